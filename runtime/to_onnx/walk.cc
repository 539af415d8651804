#include "runtime/to_onnx/walk.h"

#include "runtime/paddle/program/uses.h"

namespace fluid2onnx {

std::vector<NeededOp>& Walk::list(int32_t block, const NameSet& wanted, const NameSet& kept) {
  listed_.push_back(std::make_unique<std::vector<NeededOp>>(needed_ops(program_.get(), block, wanted, kept)));
  return *listed_.back();
}

void Walk::run_main(Scope& scope, const NameSet& wanted, const NameSet& kept) {
  // Releases in batches: the allocator reuses large gaps, not the gap of one operator.
  constexpr size_t kBatch = 1024;
  std::vector<NeededOp>& ops = list(0, wanted, kept);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (progress_) progress_("converting", i, ops.size());
    any_deferred_ |= convert_(ops, i, scope);
    if ((i + 1) % kBatch != 0) continue;
    for (size_t done = i + 1 - kBatch; done <= i; ++done) release(ops[done], scope, wanted);
  }
  if (!any_deferred_) listed_.clear();
}

void Walk::run(int32_t block, Scope& scope, const NameSet& wanted, const NameSet& kept) {
  const std::vector<NeededOp>& ops = list(block, wanted, kept);
  for (size_t i = 0; i < ops.size(); ++i) any_deferred_ |= convert_(ops, i, scope);
}

void Walk::release(NeededOp& live, Scope& scope, const NameSet& wanted) {
  // A deferred operator still reads the values that variables had at its position.
  if (any_deferred_) return;
  uint64_t mentions = live.last_mentions;
  bool in_report = false;  // the report names the operators that write outputs
  Strings last;
  const auto look_at = [&](const std::string& name) {
    in_report = in_report || wanted.count(name) != 0;
    if (mentions & 1) last.push_back(name);
    mentions >>= 1;
  };
  for_each_read(program_.get(), *live.op, look_at);
  for_each_written(program_.get(), *live.op, look_at);
  for (const std::string& name : last) scope.forget(name);
  if (!program_.owned()) return;
  program_.release_variables(last);
  if (in_report) return;
  program_.release_slots(*live.op);
  live.read_later = {};
}

}  // namespace fluid2onnx
