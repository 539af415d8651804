#include "runtime/support/error.h"

#include <filesystem>
#include <new>

namespace fluid2onnx {

Error::Error(ErrorCode code, std::string_view message)
    : code_(code), message_(message), hint_(code == E_INTERNAL ? kReportBug : "") {
  render();
}

Error& Error::at(std::string_view place) {
  place_ = place;
  render();
  return *this;
}

Error& Error::hint(std::string_view hint) {
  hint_ = hint;
  render();
  return *this;
}

void Error::render() {
  text_ = place_.empty() ? "" : place_ + ": ";
  text_ += message_ + " [" + std::string(code_name(code_)) + "]";
  if (!hint_.empty()) text_ += "\n  hint: " + hint_;
  // A zero byte in a name would end the text of what().
  for (size_t at = 0; (at = text_.find('\0', at)) != std::string::npos;) text_.replace(at, 1, "\\0");
}

Error error_of(const std::exception& reason) {
  if (dynamic_cast<const std::bad_alloc*>(&reason)) return Error(E_MEMORY, "not enough memory");
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&reason)) {
    return Error(E_IO, "cannot access '" + files->path1().string() + "': " + files->code().message());
  }
  return Error(E_INTERNAL, reason.what());
}

}  // namespace fluid2onnx
