// All error codes: what scripts compare, what the process exits with, and the sentence in the guide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace fluid2onnx {

/// What the process exits with.
enum class ExitCode : uint8_t {
  done = 0,
  cannot_convert = 1,  ///< the model as asked for
  usage = 2,
  bad_file = 3,  ///< missing, damaged, or it cannot be written
};

// The guide shows those of one exit code in this order; its table is rendered from this one (target regen).
// clang-format off
#define FLUID2ONNX_ERROR_CODES(X) \
  X(E_UNSUPPORTED_OP, cannot_convert, "the operator has no spec") \
  X(E_UNSUPPORTED, cannot_convert, "the program, its control flow or a file has an unsupported form") \
  X(E_OPSET, cannot_convert, "the operator, or this form of it, needs the named opset") \
  X(E_REQUIRE, cannot_convert, "the operator's spec does not cover these attributes, operands or shapes") \
  X(E_NO_VARIANT, cannot_convert, "no variant of the operator's spec covers these attributes, operands or shapes") \
  X(E_INPUT, cannot_convert, "the operator's spec does not cover this operand") \
  X(E_ATTRIBUTE, cannot_convert, "an attribute has an invalid value") \
  X(E_TRAINING, cannot_convert, "the operator is in training mode") \
  X(E_UNKNOWN_VALUE, cannot_convert, "a value must be known while converting: use `--input-shape`") \
  X(E_UNKNOWN_LENGTH, cannot_convert, "the length of a list must be known while converting: use `--input-shape`") \
  X(E_UNKNOWN_RANK, cannot_convert, "the rank of a tensor must be known while converting: use `--input-shape`") \
  X(E_NOT_CONSTANT, cannot_convert, "a tensor must be a constant") \
  X(E_NOT_SCALAR, cannot_convert, "a tensor must have one element") \
  X(E_SHAPE, cannot_convert, "shapes do not match, or ONNX's inference rejects them") \
  X(E_AXIS, cannot_convert, "an axis is out of range") \
  X(E_INDEX, cannot_convert, "an index is out of range") \
  X(E_DIVISION_BY_ZERO, cannot_convert, "arithmetic on attributes or sizes divides by 0") \
  X(E_OVERFLOW, cannot_convert, "a computed size, or a number that becomes an integer, is not a 64-bit integer") \
  X(E_DTYPE, cannot_convert, "the ONNX operator does not support the element type at the opset") \
  X(E_DTYPE_MISMATCH, cannot_convert, "operands have different element types") \
  X(E_CONSTANT_DTYPE, cannot_convert, "the element type cannot represent a constant") \
  X(E_COMPLEX, cannot_convert, "the operator's spec does not support complex numbers here") \
  X(E_LOD, cannot_convert, "an operand is not divided into sequences, or has too many levels of them") \
  X(E_IF_TYPE, cannot_convert, "the branches of a condition return different types") \
  X(E_LOOP_TYPE, cannot_convert, "a loop-carried value changes its type") \
  X(E_NO_VALUE, cannot_convert, "a variable is read before it has a value") \
  X(E_NO_OUTPUT, cannot_convert, "an output is read that the operator's spec does not assign") \
  X(E_FUSED, cannot_convert, "the program was rewritten by Paddle's inference passes") \
  X(E_TRAINING_PROGRAM, cannot_convert, "the program is not an inference program") \
  X(E_TOO_LARGE, cannot_convert, "a size or an attribute is too large") \
  X(E_REFERENCE, cannot_convert, "`--weights reference` to files that the model cannot refer to") \
  X(E_CHECK, cannot_convert, "the result is not valid ONNX: report this bug of fluid2onnx") \
  X(E_INTERNAL, cannot_convert, "an internal error: report this bug of fluid2onnx") \
  X(E_USAGE, usage, "options are wrong, or do not match the model") \
  X(E_NOT_FOUND, bad_file, "the file does not exist") \
  X(E_NOT_A_FILE, bad_file, "the path is a folder, a pipe or a device instead of a file") \
  X(E_IO, bad_file, "a file cannot be read") \
  X(E_WRITE, bad_file, "a file cannot be written") \
  X(E_NO_MODEL, bad_file, "the folder contains no model") \
  X(E_MANY_MODELS, bad_file, "the folder contains several models") \
  X(E_NO_PARAMS, bad_file, "the parameters are missing") \
  X(E_NOT_A_MODEL, bad_file, "the file is neither a Paddle program nor an ONNX model") \
  X(E_TRUNCATED, bad_file, "the file ends too early") \
  X(E_BAD_PROGRAM, bad_file, "the program, or the ONNX model, is damaged") \
  X(E_ATTR_KIND, bad_file, "an attribute of an operator has the wrong kind") \
  X(E_TENSOR, bad_file, "a constant of the model has an impossible shape") \
  X(E_BAD_PARAMS, bad_file, "the parameters are damaged") \
  X(E_PARAM_MISMATCH, bad_file, "the parameters belong to another program") \
  X(E_MEMORY, bad_file, "the memory is exhausted")
// clang-format on

enum class ErrorCode : uint8_t {
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

constexpr const ErrorCodeInfo& code_info(ErrorCode code) { return kErrorCodes[static_cast<size_t>(code)]; }
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
    throw std::invalid_argument("FLUID2ONNX_ERROR_CODES does not have this code: add it, with a sentence");
  }
};

}  // namespace fluid2onnx
