#include "runtime/files/temporaries.h"

#include <array>
#include <atomic>
#include <cstring>

#include "runtime/files/output_file.h"
#include "runtime/support/platform.h"

namespace fluid2onnx {
namespace {

// A signal's handler may neither lock nor allocate.
struct Slot {
  enum State : int { free, changing, used };
  std::atomic<int> state{free};
  char path[4096];
};
std::array<Slot, 8> slots;
// On Windows, other threads run while the handler does.
std::atomic<bool> ending{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

}  // namespace

void remember_temporary(const std::string& path) {
  if (path.size() >= sizeof(Slot::path)) return;
  for (Slot& slot : slots) {
    int expected = Slot::free;
    if (!slot.state.compare_exchange_strong(expected, Slot::changing)) continue;
    std::memcpy(slot.path, path.c_str(), path.size() + 1);
    slot.state = Slot::used;
    if (ending) platform::remove_file(slot.path);
    return;
  }
}

void forget_temporary(const std::string& path) {
  for (Slot& slot : slots) {
    if (slot.state == Slot::used && path == slot.path) {
      slot.state = Slot::free;
      return;
    }
  }
}

void remove_temporaries() noexcept {
  ending = true;
  for (Slot& slot : slots) {
    if (slot.state == Slot::used) platform::remove_file(slot.path);
  }
}

}  // namespace fluid2onnx
