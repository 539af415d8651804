// The current values of a program's variables while it is walked.
//
// Names are not SSA: a later operator may write a name again, so a scope is updated in order of execution. A block
// reads outer variables and writes to its own scope. The operator that owns the block decides which values leave it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/support/text.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

struct Deferred;

/// The value of a variable, with its LoD.
struct ValueWithLod {
  Value value;
  Lod lod{};
};

struct Binding {
  Value value;
  /// It depends on an operator that failed, so later failures may have the same cause.
  bool tainted = false;
  /// Set: the operator that writes the variable is not converted yet; `value` is absent.
  std::shared_ptr<Deferred> deferred;
  /// `value` is Paddle's stand-in for a variable that the Python function had not assigned, and it is never read. Its
  /// dtype and shape are arbitrary.
  bool undefined = false;
  Lod lod{};  ///< of `value`
};

class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  /// Null if the name has no value here or in an outer scope.
  const Binding* find(std::string_view name) const {
    const auto found = bindings_.find(name);
    if (found != bindings_.end()) return &found->second;
    return outer_ ? outer_->find(name) : nullptr;
  }
  void set(std::string_view name, Binding binding) {
    const auto found = bindings_.find(name);
    if (found != bindings_.end()) {
      found->second = std::move(binding);
    } else {
      bindings_.emplace(name, std::move(binding));
    }
  }
  /// Removes the value of a name in this scope.
  void forget(const std::string& name) { bindings_.erase(name); }

 private:
  const Scope* outer_;
  std::unordered_map<std::string, Binding, TextHash, std::equal_to<>> bindings_;
};

}  // namespace fluid2onnx
