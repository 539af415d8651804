#include "runtime/support/value.h"

#include <string>

#include "runtime/support/error.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {

Dims::Dims(const Ints& list) {
  if (list.size() > static_cast<size_t>(limits::kListItems)) {
    throw Error(E_TOO_LARGE, "a list of sizes or axes has " + std::to_string(list.size()) +
                                 " items, expected at most " + std::to_string(limits::kListItems));
  }
  items.assign(list.begin(), list.end());
}

}  // namespace fluid2onnx
