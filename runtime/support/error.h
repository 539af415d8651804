#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "runtime/support/error_code.h"

namespace fluid2onnx {

/// The hint of E_INTERNAL, unless another one is set.
inline constexpr char kReportBug[] = "report this bug of fluid2onnx with the model";

/// A failure that the user of the library can do something about. It has four parts:
///
///   code     stable and machine readable, E_TRUNCATED; scripts and tests compare it. error_code.h lists all
///   message  what was found and what was expected; lower case, names in single quotes, no full stop
///   place    where: "model.pdmodel: byte 1203", "model.pdmodel: block 0, op 12 'conv2d'"; may be empty
///   hint     what to do next; may be empty
///
/// what() is "PLACE: MESSAGE [CODE]", with a second line "  hint: HINT" if there is a hint.
/// Bugs of our own are asserts, not Errors.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string_view message);

  /// Chained while throwing: throw Error(E_IO, "...").at("model.pdmodel").hint("do this").
  Error& at(std::string_view place);
  Error& hint(std::string_view hint);

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& place() const { return place_; }
  const std::string& hint() const { return hint_; }

  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void render();

  ErrorCode code_;
  std::string message_;
  std::string place_;
  std::string hint_;
  std::string text_;
};

/// Any other exception as an Error: of the file system E_IO, of memory E_MEMORY, others E_INTERNAL.
Error error_of(const std::exception& reason);

}  // namespace fluid2onnx
