// All error codes: what scripts compare, what the process exits with, and the sentence in the guide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace fluid2onnx {

/// What the process exits with.
enum class ExitCode : std::uint8_t {
  done = 0,
  cannot_convert = 1,  ///< the model as asked for
  usage = 2,
  bad_file = 3,  ///< missing, damaged, or it cannot be written
};

// The guide shows those of one exit code in this order; its table is rendered from this one (target regen).
// clang-format off
#define FLUID2ONNX_ERROR_CODES(X) \
  X(E_UNSUPPORTED_OP, cannot_convert, "no spec for the operator") \
  X(E_UNSUPPORTED, cannot_convert, "a form of the program, of control flow or of a file that is not supported") \
  X(E_OPSET, cannot_convert, "the operator, or this form of it, needs another opset, which is named") \
  X(E_REQUIRE, cannot_convert, "attributes, operands or shapes that the operator's spec does not convert") \
  X(E_NO_VARIANT, cannot_convert, "the same, where none of the spec's variants is for them") \
  X(E_INPUT, cannot_convert, "an operand that the operator's spec does not convert") \
  X(E_ATTRIBUTE, cannot_convert, "an attribute whose value says nothing") \
  X(E_TRAINING, cannot_convert, "what the operator does in training only") \
  X(E_UNKNOWN_VALUE, cannot_convert, "a number must be known while converting: give `--input-shape`") \
  X(E_UNKNOWN_LENGTH, cannot_convert, "the length of a list must be known while converting: give `--input-shape`") \
  X(E_UNKNOWN_RANK, cannot_convert, "the rank of a tensor must be known while converting: give `--input-shape`") \
  X(E_NOT_CONSTANT, cannot_convert, "a tensor must be a constant") \
  X(E_NOT_SCALAR, cannot_convert, "a tensor must have one element") \
  X(E_SHAPE, cannot_convert, "shapes that do not fit each other, or that ONNX's inference rejects") \
  X(E_AXIS, cannot_convert, "an axis that the tensor lacks") \
  X(E_INDEX, cannot_convert, "an index beyond the end of a list") \
  X(E_DIVISION_BY_ZERO, cannot_convert, "arithmetic on attributes and sizes that divides by 0") \
  X(E_OVERFLOW, cannot_convert, "arithmetic on attributes and sizes that exceeds 64 bits") \
  X(E_DTYPE, cannot_convert, "an element type that the ONNX operator does not take at the opset") \
  X(E_DTYPE_MISMATCH, cannot_convert, "operands of different element types") \
  X(E_CONSTANT_DTYPE, cannot_convert, "a constant that its element type cannot hold") \
  X(E_COMPLEX, cannot_convert, "complex numbers where the operator's spec does not expect them") \
  X(E_LOD, cannot_convert, "an operand is not divided into sequences, or has too many levels of them") \
  X(E_IF_TYPE, cannot_convert, "the branches of a condition give different types") \
  X(E_LOOP_TYPE, cannot_convert, "what a loop carries changes its type") \
  X(E_NO_VALUE, cannot_convert, "a variable is read before anything gives it a value") \
  X(E_NO_OUTPUT, cannot_convert, "an output of an operator is read that its spec does not give") \
  X(E_FUSED, cannot_convert, "the program was rewritten by Paddle's inference passes") \
  X(E_TRAINING_PROGRAM, cannot_convert, "the program is not an inference program") \
  X(E_TOO_LARGE, cannot_convert, "a size or an attribute is out of all proportion") \
  X(E_REFERENCE, cannot_convert, "`--weights reference` to files that the model cannot refer to") \
  X(E_CHECK, cannot_convert, "the result is not valid ONNX, a mistake of fluid2onnx: please report it") \
  X(E_INTERNAL, cannot_convert, "a mistake of fluid2onnx: please report it") \
  X(E_USAGE, usage, "options that are wrong, or that do not fit the model") \
  X(E_NOT_FOUND, bad_file, "there is no such file") \
  X(E_NOT_A_FILE, bad_file, "a folder, a pipe or a device where a file is wanted") \
  X(E_IO, bad_file, "a file cannot be read") \
  X(E_WRITE, bad_file, "a file cannot be written") \
  X(E_NO_MODEL, bad_file, "the folder holds no model") \
  X(E_MANY_MODELS, bad_file, "the folder holds several models") \
  X(E_NO_PARAMS, bad_file, "the parameters are missing") \
  X(E_NOT_A_MODEL, bad_file, "the file is no model: neither a program of Paddle nor ONNX") \
  X(E_TRUNCATED, bad_file, "the file ends too early") \
  X(E_BAD_PROGRAM, bad_file, "the program, or the ONNX model, is damaged") \
  X(E_ATTR_KIND, bad_file, "an attribute of an operator is of the wrong kind") \
  X(E_TENSOR, bad_file, "a constant of the model has an impossible shape") \
  X(E_BAD_PARAMS, bad_file, "the parameters are damaged") \
  X(E_PARAM_MISMATCH, bad_file, "the parameters belong to another program") \
  X(E_MEMORY, bad_file, "there is not enough memory")
// clang-format on

enum class ErrorCode : std::uint8_t {
#define X(name, exit, sentence) name,
  FLUID2ONNX_ERROR_CODES(X)
#undef X
};
using enum ErrorCode;

struct ErrorCodeInfo {
  ErrorCode code;
  std::string_view name;
  ExitCode exit;
  std::string_view sentence;  ///< without full stop
};

/// By the number of the code.
constexpr std::array kErrorCodes = {
#define X(name, exit, sentence) ErrorCodeInfo{ErrorCode::name, #name, ExitCode::exit, sentence},
    FLUID2ONNX_ERROR_CODES(X)
#undef X
};

constexpr const ErrorCodeInfo& code_info(ErrorCode code) { return kErrorCodes[static_cast<std::size_t>(code)]; }
constexpr std::string_view code_name(ErrorCode code) { return code_info(code).name; }

/// A code, also by its name, as specs give it. A name that the table above lacks does not compile.
struct NamedErrorCode {
  ErrorCode code;

  constexpr NamedErrorCode(ErrorCode given) : code(given) {}
  consteval NamedErrorCode(const char* name) : code(find(name)) {}

 private:
  static consteval ErrorCode find(std::string_view name) {
    for (const ErrorCodeInfo& row : kErrorCodes) {
      if (row.name == name) return row.code;
    }
    throw std::invalid_argument("FLUID2ONNX_ERROR_CODES has no such code: add it, with a sentence");
  }
};

}  // namespace fluid2onnx
