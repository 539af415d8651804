#include "runtime/to_onnx/operator_runner.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "runtime/convert/complex.h"
#include "runtime/convert/compute.h"
#include "runtime/convert/program_slots.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/support/text.h"
#include "runtime/to_onnx/complex_parts.h"
#include "runtime/to_onnx/custom_node.h"
#include "runtime/to_onnx/custom_signature.h"

namespace fluid2onnx {
namespace {

using Fault = Problems::Fault;

/// The refusal for a result that the program reads and the converter does not assign.
Refused no_output(const Op& op, std::string_view missing, const GraphContext& context) {
  std::string slot;
  for (const Slot& s : op.outputs)
    if (std::find(s.args.begin(), s.args.end(), missing) != s.args.end()) slot = " (its '" + s.name + "')";
  std::vector<std::string> given;
  for (const auto& [name, values] : context.results()) given.push_back(name);
  return Refused(E_NO_OUTPUT, "the converter does not assign '" + std::string(missing) + "'" + slot +
                                  ", which is read later" + (given.empty() ? "" : "; it assigns " + listed(given)));
}

/// `lines`: the location in a spec given at run time, else empty.
Problem reason_of(const std::exception& exception, const Op& op, const FoundConverter& found,
                  const std::string& lines) {
  Problem reason = problem_of(exception);
  reason.spec = lines;
  // Only E_INTERNAL is a bug of the converter; other errors are the model's fault.
  if (reason.code == E_INTERNAL) reason.hint = found.bug_hint();
  // Without a hint, the message is "attribute 'NAME' is KIND, expected KIND": the custom spec declares another type.
  if (reason.code == E_ATTR_KIND && reason.hint.empty() && found.added && found.added->signature) {
    reason.code = E_USAGE;
    constexpr std::string_view kExpected = ", expected ";
    if (const size_t at = reason.message.rfind(kExpected); at != std::string::npos)
      reason.message.replace(at, kExpected.size(), ", but the spec declares ");
    reason.hint = signature_hint(op, *found.added->signature);
  }
  return reason;
}

/// Refuses complex operands that the converter does not handle.
void check_complex(const Program& program, const Op& op, const FoundConverter& found) {
  for (const Slot& slot : op.inputs) {
    for (const std::string& name : slot.args) {
      const Variable* declared = name.empty() ? nullptr : program.find_variable(op.block, name);
      if (!declared || !is_complex(declared->dtype) || found.takes_complex_in(op.type, slot.name)) continue;
      Refused refused(E_COMPLEX, "complex numbers in '" + slot.name + "' of '" + op.type + "' cannot be converted");
      refused.hint("compute with the results of paddle.real and paddle.imag");
      throw refused;
    }
  }
}

/// Refuses an operator that lacks an operand.
void check_operands(const Op& op, const FoundConverter& found) {
  const auto nameless = [](const std::string& name) { return name.empty(); };
  for (const Slot& slot : op.inputs) {
    const auto left_out = std::count_if(slot.args.begin(), slot.args.end(), nameless);
    if (left_out == 0 || static_cast<size_t>(left_out) == slot.args.size()) continue;
    throw Refused(E_BAD_PROGRAM, "a tensor in the list '" + slot.name + "' has no name");
  }
  const auto require = [&](std::string_view slot) {
    const auto& names = op.input(slot);
    if (!std::all_of(names.begin(), names.end(), nameless)) return;
    throw Refused(E_BAD_PROGRAM, "operand '" + std::string(slot) + "' is missing");
  };
  if (found.added) {
    for (const std::string& slot : found.added->required) require(slot);
  } else {
    for (const std::string_view slot : found.required) require(slot);
  }
}

}  // namespace

OperatorRunner::OperatorRunner(const Program& program, const ConvertOptions& options, Emitter& emitter, Binder& binder,
                               const OutputNames& outputs, Problems& problems, RunBlock run_block)
    : program_(program),
      any_complex_(has_complex(program)),
      emitter_(emitter),
      binder_(binder),
      outputs_(outputs),
      problems_(problems),
      lookup_(options),
      counts_(program.blocks.size()),
      target_(options.target),
      flow_{program, emitter, binder, outputs, counts_, target_, std::move(run_block), [this](Deferred& deferred) {
              static const std::vector<NeededOp> none;
              convert({*deferred.op, none, 0, deferred.scope, *deferred.home, &deferred});
            }} {}

bool OperatorRunner::convert(const std::vector<NeededOp>& ops, size_t position, Scope& scope) {
  return convert({ops[position], ops, position, scope, scope});
}

bool OperatorRunner::convert(const Task& task) {
  const Op& op = *task.live.op;
  counts_.count(op);
  const FoundConverter& found = lookup_.find(op.type);
  if (!op.refusal.empty() && !found.custom) {
    problems_.fail(op, {E_UNSUPPORTED, op.refusal, ""}, Fault::own);
  } else if (!found) {
    problems_.fail(op,
                   {E_UNSUPPORTED_OP, "operator '" + op.type + "' is not supported", lookup_.unsupported_hint(op.type)},
                   Fault::own);
  } else if (const Outcome outcome = convert_with(found, task); outcome != Outcome::failed) {
    return outcome == Outcome::deferred;
  }
  if (std::string why = problems_.take_fallback_reason(); !why.empty()) {
    const CustomOp custom{kFallbackDomain, op.type};
    FoundConverter left;
    left.custom = &custom;
    left.why = std::move(why);
    if (convert_with(left, task) != Outcome::failed) return false;
  }
  binder_.bind_placeholders(task.live, task.to);
  return false;
}

OperatorRunner::Outcome OperatorRunner::convert_with(const FoundConverter& found, const Task& task) {
  const Op& op = *task.live.op;
  const int64_t failures = problems_.failures();
  const auto failed_inside = [&] { return problems_.failures() != failures; };
  const bool tainted = reads_tainted(program_, op, task.from);
  const GraphId graph = emitter_.model().current();
  std::string lines;
  try {
    const ProgramSlots slots(
        program_, op, task.live.read_later,
        [&](const std::string& name) { return binder_.operand(op, task.from, name); },
        [&](const std::string& name) { return binder_.operand_lod(op, task.from, name); },
        [&](const Op& o, const std::string& name) { return outputs_.name_after(o, name); });
    BlockContext context(flow_, {task.live, task.ops, task.index, task.from, task.deferred, tainted}, slots);
    run(found, task.live, context, &lines);
    if (context.deferring()) return Outcome::deferred;
    bind_results(found, task, context, tainted || failed_inside());
    return Outcome::converted;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    const Fault fault = failed_inside() ? Fault::inside : tainted ? Fault::behind : Fault::own;
    problems_.fail(op, reason_of(e, op, found, lines), fault, found.custom != nullptr);
  }
  // Later operators are still converted, into the graph that was current before the failure.
  while (emitter_.model().current() != graph) emitter_.model().leave();
  return Outcome::failed;
}

void OperatorRunner::run(const FoundConverter& found, const NeededOp& live, BlockContext& context, std::string* lines) {
  const Op& op = *live.op;
  if (found.custom) return emit_as_custom_node(found, op, context);
  if (any_complex_) check_complex(program_, op, found);
  if (found.added && found.added->signature) {
    *lines = found.added->signature->place;
    check_signature(op, *found.added, live.read_later);
    lines->clear();
  }
  check_operands(op, found);
  allow_operator_steps();
  found.run(context, lines);
}

void OperatorRunner::emit_as_custom_node(const FoundConverter& found, const Op& op, BlockContext& context) {
  emit_custom_node(context, emitter_.model(), program_, op, *found.custom);
  problems_.add_custom_node({found.custom->domain + "::" + found.custom->op, op.place(), found.why});
}

void OperatorRunner::bind_results(const FoundConverter& found, const Task& task, const BlockContext& context,
                                  bool tainted) {
  const Op& op = *task.live.op;
  const Binder::Results results = binder_.results_of(op, task.from, tainted);
  std::vector<std::string_view> missing(task.live.read_later.begin(), task.live.read_later.end());
  const auto bind = [&](const std::string& name, Value value, Lod lod) {
    if (name.empty() || !value) return;
    std::erase(missing, name);
    if (found.added) problems_.note_dtype(op, name, emitter_.model().dtype(value), found.added->spec);
    binder_.bind(op, task.to, name, value, std::move(lod), results);
  };
  for (const Slot& slot : op.outputs) {
    const auto given = context.results().find(slot.name);
    if (given == context.results().end()) continue;
    for (size_t i = 0; i < slot.args.size() && i < given->second.size(); ++i) {
      const Value value = given->second[i];
      if (!value) continue;  // The spec assigns no value to an unused result.
      const Lod* own = context.own_lod(slot.name, static_cast<int64_t>(i));
      bind(slot.args[i], value, own ? *own : binder_.passed_lod(op, slot.name, i, value, task.from));
    }
  }
  for (const auto& [name, held] : context.variables()) bind(name, held.value, held.lod);
  // Only training updates results that overwrite an operand and that the spec ignores (MeanOut of batch_norm).
  if (!missing.empty() && op.sub_blocks().empty()) {
    for_each_read(program_, op, [&](const std::string& name) { std::erase(missing, name); });
  }
  if (!missing.empty()) throw no_output(op, missing.front(), context);
}

}  // namespace fluid2onnx
