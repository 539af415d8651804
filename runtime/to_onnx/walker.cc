#include "runtime/to_onnx/walker.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "runtime/convert/complex.h"
#include "runtime/convert/lod_shares.h"
#include "runtime/convert/program_source.h"
#include "runtime/convert/required.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/support/text.h"
#include "runtime/to_onnx/block_context.h"
#include "runtime/to_onnx/complex_parts.h"
#include "runtime/to_onnx/custom_node.h"
#include "runtime/to_onnx/declared_sizes.h"
#include "runtime/to_onnx/own_signature.h"

namespace fluid2onnx {
namespace {

/// Paddle leaves in some declarations what the memory held: such sizes are unknown.
std::optional<Ints> plausible(std::optional<Ints> dims) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  if (dims)
    std::replace_if(
        dims->begin(), dims->end(), [](int64_t d) { return d > kLargest; }, int64_t{-1});
  return dims;
}

constexpr char kUnsupportedHint[] =
    "pass a spec with --spec (see 'fluid2onnx spec --help'), or cut the model before it with --outputs";

/// Paddle's RETURN_NO_VALUE_MAGIC_NUM: what a variable is given that Python had not assigned.
bool makes_undefined(const Op& op) {
  constexpr double kMagic = 1.77113e27;
  if (op.type != "assign_value" && op.type != "fill_constant") return false;
  for (const char* name : {"fp32_values", "fp64_values", "values", "value"}) {
    const Attribute* attribute = op.attr(name);
    const auto numbers = attribute ? attribute->as_floats() : std::nullopt;
    if (numbers && numbers->size() == 1 && std::fabs(numbers->front() / kMagic - 1) < 1e-6) return true;
  }
  return false;
}

/// Reasons that lie in what is known of the operands, and of placeholders too little is.
bool about_operands(ErrorCode code) {
  switch (code) {
    case E_UNSUPPORTED:
    case E_OPSET:
    case E_REQUIRE:
    case E_NO_VARIANT:
    case E_INPUT:
    case E_ATTRIBUTE:
    case E_ATTR_KIND:
    case E_TRAINING:
    case E_BAD_PROGRAM: return false;
    default: return true;
  }
}

/// A result that the program reads, and that no converter gave.
Refused no_output(const Op& op, std::string_view missing, const GraphContext& context) {
  std::string slot;
  for (const Slot& s : op.outputs)
    if (std::find(s.args.begin(), s.args.end(), missing) != s.args.end()) slot = " (its '" + s.name + "')";
  std::vector<std::string> given;
  for (const auto& [name, values] : context.results()) given.push_back(name);
  return Refused(E_NO_OUTPUT, "the converter does not assign '" + std::string(missing) + "'" + slot +
                                  ", which is read later" + (given.empty() ? "" : "; it assigns " + listed(given)));
}

/// Where the user names an operator that is nearly this one, that.
std::string unsupported_hint(const std::string& op, const ConvertOptions& options) {
  const auto near = [&](const auto& table) {
    std::vector<std::string> names;
    for (const auto& [name, what] : table) names.push_back(name);
    return closest(op, names);
  };
  if (const std::string custom = near(options.custom_ops); !custom.empty())
    return "--custom-op names '" + custom + "': did you mean '" + op + "'?";
  const std::string spec = options.specs ? near(*options.specs) : "";
  if (spec.empty()) return kUnsupportedHint;
  return "the spec in " + options.specs->at(spec).spec + " is of '" + spec + "': did you mean '" + op + "'?";
}

/// Small ones are copied: they are looked at again and again, and the system maps up to megabytes around each.
Tensor tensor_of(const Parameter& parameter) {
  constexpr uint64_t kSmall = 1024;
  const TensorData& data = parameter.data;
  if (data.length > kSmall) {
    return Tensor(parameter.dtype, parameter.dims, FileSlice{data.file, data.offset, data.length});
  }
  const auto bytes = data.bytes();
  Tensor copy(parameter.dtype, parameter.dims, std::vector<uint8_t>(bytes.begin(), bytes.end()));
  data.file->forget(data.offset, data.length);
  return copy;
}

}  // namespace

Walker::Walker(const Program& program, const ConvertOptions& options, Emitter& emitter, Program* given_up)
    : program_(program),
      given_up_(given_up),
      options_(options),
      emitter_(emitter),
      any_complex_(has_complex(program)),
      counted_(program.blocks.size()) {}

Walker::~Walker() = default;

void Walker::show_as(const std::string& variable, const std::string& name) {
  shown_[variable] = name;
  shown_names_.insert(name);
}

std::string Walker::display(const Op& op, const std::string& name) const {
  const auto shown = shown_.find(name);
  if (shown == shown_.end()) return shown_names_.count(name) ? "" : name;
  // Earlier values of the variable must not take the name.
  const auto last = last_writer_.find(name);
  return last != last_writer_.end() && last->second == &op ? shown->second : "";
}

void Walker::set_input(Scope& scope, const std::string& variable, Value value, Lod lod) {
  any_lod_ = any_lod_ || !lod.empty();
  scope.set(variable, {value, false, nullptr, false, std::move(lod)});
}

void Walker::run_main(Scope& scope, const NameSet& wanted) {
  for (const Op& op : program_.main().ops) {
    for_each_written(program_, op, [&](const std::string& name) {
      if (shown_.count(name)) last_writer_[name] = &op;
    });
  }
  run(0, scope, wanted);
  if (!any_postponed_) live_.clear();
}

void Walker::run(int32_t block, Scope& scope, const NameSet& wanted) {
  live_.push_back(std::make_unique<std::vector<LiveOp>>(live_ops(program_, block, wanted, kept_)));
  std::vector<LiveOp>& ops = *live_.back();
  for (size_t i = 0; i < ops.size(); ++i) {
    if (block == 0 && options_.progress) options_.progress("converting", i, ops.size());
    convert(ops, i, scope);
    // Many at once: what stays would settle in the gaps of one.
    constexpr size_t kAtOnce = 1024;
    if (block != 0 || (i + 1) % kAtOnce != 0) continue;
    for (size_t done = i + 1 - kAtOnce; done <= i; ++done) let_go(ops[done], scope);
  }
}

void Walker::let_go(LiveOp& live, Scope& scope) {
  // A postponed operator has names of before.
  if (any_postponed_) return;
  uint64_t mentions = live.last_mentions;
  bool shown = false;  // the final report may mention it
  Strings last;
  const auto look_at = [&](const std::string& name) {
    shown = shown || shown_.count(name) != 0;
    if (mentions & 1) last.push_back(name);
    mentions >>= 1;
  };
  for_each_read(program_, *live.op, look_at);
  for_each_written(program_, *live.op, look_at);
  for (const std::string& name : last) scope.forget(name);
  if (!given_up_) return;
  Block& block = given_up_->blocks.front();
  for (const std::string& name : last) block.variables.erase(name);
  if (shown) return;
  Op& op = block.ops[static_cast<size_t>(live.op - block.ops.data())];
  op.inputs = std::vector<Slot>();
  op.outputs = std::vector<Slot>();
  op.attrs = {};
  live.read_later = {};
}

void Walker::convert(const std::vector<LiveOp>& ops, size_t position, Scope& scope) {
  convert_in(ops[position], ops, position, scope, scope, nullptr);
}

bool Walker::reads_tainted(const Op& op, Scope& scope) {
  bool tainted = false;
  for_each_read(program_, op, [&](const std::string& name) {
    const Binding* binding = scope.find(name);
    if (!binding) return;
    tainted = tainted || binding->tainted || (binding->postponed && binding->postponed->tainted);
  });
  return tainted;
}

bool Walker::holds_steps(const Op& op, const std::string& name, const Binding& binding) const {
  if (binding.lod.size() != 2 || !binding.value) return false;
  if (emitter_.model()[binding.value].type().has_sequence_type()) return false;
  const Variable* declared = program_.find_variable(op.block, name);
  return declared && declared->kind == VariableKind::tensor_array;
}

Value Walker::array_of(const Op& op, const std::string& name, const Binding& binding) {
  if (!holds_steps(op, name, binding)) return {};
  const Value counts = emitter_.emit_one("Sub", {binding.lod[1], binding.lod[0]});
  return emitter_.emit_one("SplitToSequence", {binding.value, counts}, {Attr("axis", 0), Attr("keepdims", 1)});
}

void Walker::convert_in(const LiveOp& live, const std::vector<LiveOp>& ops, size_t position, Scope& from, Scope& to,
                        Postponed* postponed) {
  const Op& op = *live.op;
  count(op);
  const Found& found = find(op.type);
  if (!op.refusal.empty() && !found.custom) fail(op, {E_UNSUPPORTED, op.refusal}, Fault::own);
  else if (!found)
    fail(op, {E_UNSUPPORTED_OP, "operator '" + op.type + "' is not supported", unsupported_hint(op.type, options_)},
         Fault::own);
  else if (convert_with(found, live, ops, position, from, to, postponed)) return;
  if (!left_.empty()) {
    const CustomOp custom{kLeftDomain, op.type};
    Found left;
    left.custom = &custom;
    left.why = std::exchange(left_, "");
    if (convert_with(left, live, ops, position, from, to, postponed)) return;
  }
  write_placeholders(live, to);
}

bool Walker::convert_with(const Found& found, const LiveOp& live, const std::vector<LiveOp>& ops, size_t position,
                          Scope& from, Scope& to, Postponed* postponed) {
  const Op& op = *live.op;
  const int64_t failures = failures_;
  const bool tainted = reads_tainted(op, from);
  const GraphId graph = emitter_.model().current();
  std::string lines;  // of a spec, where it fails
  const auto fault = [&] { return failures_ != failures ? Fault::inside : tainted ? Fault::behind : Fault::own; };
  try {
    const bool takes_steps = op.type == "read_from_array" || op.type == "array_to_lod_tensor";
    const auto value_of = [&](const std::string& name) {
      const Binding* binding = resolve(from, name);
      if (!binding) throw Refused(E_NO_VALUE, "variable '" + name + "' is read here before it has a value");
      const Value array = takes_steps ? Value() : array_of(op, name, *binding);
      return array ? array : binding->value;
    };
    const auto lod_of = [&](const std::string& name) {
      const Binding* binding = resolve(from, name);
      if (!binding || (!takes_steps && holds_steps(op, name, *binding))) return Lod();
      return binding->lod;
    };
    const ProgramSource source(program_, op, live.read_later, value_of, lod_of,
                               [this](const Op& o, const std::string& name) { return display(o, name); });
    BlockContext context({*this, live, ops, position, from, postponed, tainted}, source);
    if (found.custom) {
      leave(op, found, context);
    } else {
      check_complex(op, found);
      if (found.added && found.added->signature) {
        lines = found.added->signature->place;
        check_signature(op, *found.added, live.read_later);
        lines.clear();
      }
      check_operands(op, found);
      found.run(context, &lines);
    }
    if (context.postponing()) return any_postponed_ = true;

    const auto operand = [&](const std::string& name) {
      const Binding* binding = from.find(name);
      return binding ? binding->value : Value();
    };
    const bool sized = declares_sizes(program_, emitter_.model(), op, operand);
    const bool taints = tainted || failures_ != failures;
    const bool undefined = makes_undefined(op);
    std::vector<std::string_view> missing(live.read_later.begin(), live.read_later.end());
    const auto bind = [&](const std::string& name, Value value, Lod lod) {
      if (name.empty() || !value) return;
      std::erase(missing, name);
      any_lod_ = any_lod_ || !lod.empty();
      if (found.added) note_dtype(op, name, value, *found.added);
      add_rank(op, name, value);
      if (sized) add_sizes(op, name, value);
      if (!kept_.count(name)) to.set(name, {value, taints, nullptr, undefined, std::move(lod)});
    };
    for (const Slot& slot : op.outputs) {
      const auto results = context.results().find(slot.name);
      if (results == context.results().end()) continue;
      for (size_t i = 0; i < slot.args.size() && i < results->second.size(); ++i) {
        if (!results->second[i]) continue;  // The spec gives no value to a result that nothing reads.
        const Lod* own = context.own_lod(slot.name, static_cast<int64_t>(i));
        bind(slot.args[i], results->second[i], own ? *own : passed_lod(op, slot.name, i, results->second[i], from));
      }
    }
    for (const auto& [name, held] : context.variables()) bind(name, held.value, held.lod);
    // Results that specs ignore and that lie over an operand are what training would update (MeanOut of batch_norm).
    if (!missing.empty() && op.sub_blocks().empty()) {
      for_each_read(program_, op, [&](const std::string& name) { std::erase(missing, name); });
    }
    if (!missing.empty()) throw no_output(op, missing.front(), context);
    return true;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Refused& e) {
    fail(op, {e.code(), e.message(), e.hint(), e.lowest_opset(), lines}, fault(), found.custom != nullptr);
  } catch (const Error& e) {
    // Attributes of the wrong kind are the model's fault, all else ours.
    const bool model = e.code() != E_INTERNAL;
    Reason reason{e.code(), e.message(), model ? e.hint() : bug_hint(found), 0, lines};
    // Without a hint it is a value, which a custom spec gives another type.
    if (e.code() == E_ATTR_KIND && e.hint().empty() && found.added && found.added->signature) {
      reason.code = E_USAGE;
      reason.message += " in the spec's signature";
      reason.hint = signature_hint(op, *found.added->signature);
    }
    fail(op, std::move(reason), fault(), found.custom != nullptr);
  } catch (const std::exception& e) {
    fail(op, {E_INTERNAL, e.what(), bug_hint(found), 0, lines}, fault(), found.custom != nullptr);
  }
  // The graph is of no use any more, but later operators must stand where they would have stood.
  while (emitter_.model().current() != graph) emitter_.model().leave();
  return false;
}

void Walker::leave(const Op& op, const Found& found, OpContext& context) {
  emit_custom_node(context, emitter_.model(), program_, op, *found.custom);
  CustomNode node{found.custom->domain + "::" + found.custom->op, op.place(), found.why};
  // Bodies of loops are converted more than once.
  const auto same = [&](const CustomNode& n) { return n.place == node.place; };
  if (std::none_of(custom_nodes_.begin(), custom_nodes_.end(), same)) custom_nodes_.push_back(std::move(node));
}

void Walker::Found::run(OpContext& op, std::string* lines) const {
  if (added) added->convert(op, lines);
  else built_in->convert(op);
}

std::string Walker::bug_hint(const Found& found) {
  if (found.added)
    return "look into " + found.added->spec +
           "; if it is right, please report it with the model as a bug of fluid2onnx";
  return std::string("this is a bug of fluid2onnx") +
         (found.built_in ? std::string(" in ") + found.built_in->spec : "") + "; please report it with the model";
}

const Walker::Found& Walker::find(const std::string& op) {
  const auto [at, is_new] = found_.try_emplace(op);
  Found& found = at->second;
  if (!is_new) return found;
  if (const auto custom = options_.custom_ops.find(op); custom != options_.custom_ops.end()) {
    found.custom = &custom->second;
    return found;
  }
  if (options_.specs)
    if (const auto added = options_.specs->find(op); added != options_.specs->end()) found.added = &added->second;
  if (!found.added) {
    found.built_in = find_converter(op);
    found.required = required_slots(op);
  }
  return found;
}

bool Walker::Found::takes_complex_in(const std::string& op, const std::string& slot) const {
  if (!added) return takes_complex(op, slot);
  const auto& slots = added->complex;
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

void Walker::count(const Op& op) {
  std::vector<bool>& counted = counted_[static_cast<size_t>(op.block)];
  const auto at = static_cast<size_t>(op.index);
  if (counted.size() <= at) counted.resize(at + 1);
  if (!counted[at]) ++operators_[op.type];
  counted[at] = true;
}

void Walker::check_complex(const Op& op, const Found& found) const {
  if (!any_complex_) return;
  for (const Slot& slot : op.inputs) {
    for (const std::string& name : slot.args) {
      const Variable* declared = name.empty() ? nullptr : program_.find_variable(op.block, name);
      if (!declared || !is_complex(declared->dtype) || found.takes_complex_in(op.type, slot.name)) continue;
      Refused refused(E_COMPLEX, "complex numbers in '" + slot.name + "' of '" + op.type + "' cannot be converted");
      refused.hint("compute with the results of paddle.real and paddle.imag");
      throw refused;
    }
  }
}

void Walker::check_operands(const Op& op, const Found& found) {
  const auto nameless = [](const std::string& name) { return name.empty(); };
  for (const Slot& slot : op.inputs) {
    const auto left_out = std::count_if(slot.args.begin(), slot.args.end(), nameless);
    if (left_out == 0 || static_cast<size_t>(left_out) == slot.args.size()) continue;
    throw Refused(E_BAD_PROGRAM, "a tensor in the list '" + slot.name + "' has no name");
  }
  const auto require = [&](std::string_view slot) {
    const auto& names = op.input(slot);
    if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); })) return;
    throw Refused(E_BAD_PROGRAM, "operand '" + std::string(slot) + "' is missing");
  };
  if (found.added) {
    for (const std::string& slot : found.added->required) require(slot);
  } else {
    for (const std::string_view slot : found.required) require(slot);
  }
}

void Walker::refuse_output(const std::string& variable, const Refused& reason) {
  const auto writer = last_writer_.find(variable);
  if (writer != last_writer_.end()) {
    fail(*writer->second, {reason.code(), reason.message(), reason.hint(), reason.lowest_opset()}, Fault::own,
         /*must_fail=*/true);
    return;
  }
  Problem problem;
  problem.code = reason.code();
  problem.message = reason.message();
  problem.hint = reason.hint();
  problem.lowest_opset = reason.lowest_opset();
  problem.index = -1;
  problem.output = variable;
  problems_.push_back(std::move(problem));
}

void Walker::note_dtype(const Op& op, const std::string& name, Value value, const AddedConverter& added) {
  retyped_.erase(name);
  const Variable* declared = program_.find_variable(op.block, name);
  const Dtype made = emitter_.model().dtype(value);
  if (!declared || declared->dtype == Dtype::undefined || made == Dtype::undefined || made == declared->dtype) return;
  retyped_[name] = "'" + name + "' is " + std::string(dtype_name(made)) + " by the spec of '" + op.type + "' in " +
                   added.spec + ", and the program declares it " + std::string(dtype_name(declared->dtype));
}

std::string Walker::retyped(const Op& op) const {
  for (const Slot& slot : op.inputs)
    for (const std::string& name : slot.args)
      if (const auto found = retyped_.find(name); found != retyped_.end()) return found->second;
  return "";
}

void Walker::fail(const Op& op, Reason reason, Fault fault, bool must_fail) {
  const bool about_dtype = reason.code == E_DTYPE || reason.code == E_DTYPE_MISMATCH || reason.code == E_CONSTANT_DTYPE;
  if (about_dtype && reason.hint.empty()) reason.hint = retyped(op);
  if (options_.continue_on_error && !must_fail && fault != Fault::inside && can_be_custom(op)) {
    left_ = reason.message + " [" + std::string(code_name(reason.code)) + "]";
    return;
  }
  ++failures_;
  if (fault == Fault::inside || (fault == Fault::behind && about_operands(reason.code))) return;
  if (!failed_.insert({op.block, op.index}).second) return;
  Problem problem;
  problem.code = reason.code;
  problem.message = std::move(reason.message);
  problem.hint = std::move(reason.hint);
  problem.lowest_opset = reason.lowest_opset;
  problem.spec = std::move(reason.spec);
  problem.behind = fault == Fault::behind;
  problem.block = op.block;
  problem.index = op.index;
  problem.op_type = op.type;
  problem.output = first_output(op);
  problem.source = op.source.to_string();
  problems_.push_back(std::move(problem));
}

Lod Walker::passed_lod(const Op& op, std::string_view slot, size_t index, Value result, const Scope& scope) const {
  const LodShare* share = any_lod_ ? find_lod_share(op.type, slot) : nullptr;
  if (!share) return {};
  const std::string& operand = op.input(share->operand, share->first ? 0 : index);
  const Binding* binding = operand.empty() ? nullptr : scope.find(operand);
  if (!binding || binding->lod.empty()) return {};
  // A result of other rows is divided in no way: Paddle looks at attributes (slice along axis 0), we at what they do.
  const Model& model = emitter_.model();
  const auto *rows = model.shape(binding->value), *result_rows = model.shape(result);
  if (!result_rows || !rows) return binding->lod;
  if (result_rows->dim_size() == 0 || rows->dim_size() == 0) return {};
  const auto &from = rows->dim(0), &to = result_rows->dim(0);
  const bool differ = from.has_dim_value() && to.has_dim_value() && from.dim_value() != to.dim_value();
  return differ ? Lod() : binding->lod;
}

void Walker::add_rank(const Op& op, const std::string& name, Value value) {
  Model& model = emitter_.model();
  const Dtype dtype = model.dtype(value);
  if (model.shape(value) || dtype == Dtype::undefined) return;
  const Variable* declared = program_.find_variable(op.block, name);
  // Older Paddles declare 0-D tensors as [1].
  if (declared && declared->dims && declared->dims->size() > 1) {
    model.set_type(value, tensor_type(dtype, Ints(declared->dims->size(), -1)));
    declared_ranks_.insert(value.id);
  }
}

void Walker::add_sizes(const Op& op, const std::string& name, Value value) {
  const Variable* declared = program_.find_variable(op.block, name);
  if (declared) take_declared_sizes(emitter_.model(), value, *declared);
}

void Walker::write_placeholders(const LiveOp& live, Scope& scope) {
  Model& model = emitter_.model();
  for (const std::string& name : live.read_later) {
    if (kept_.count(name)) continue;
    const Variable* declared = program_.find_variable(live.op->block, name);
    const Value value = model.new_value(name);
    if (declared && declared->dtype != Dtype::undefined) {
      model.set_type(value, tensor_type(declared->dtype, plausible(declared->dims)));
    }
    Lod lod(static_cast<size_t>(std::max(0, declared ? declared->lod_level : 0)));
    for (Value& lengths : lod) {
      lengths = model.new_value(name + ".lengths");
      model.set_type(lengths, tensor_type(Dtype::int64, Ints{-1}));
    }
    any_lod_ = any_lod_ || !lod.empty();
    scope.set(name, {value, true, nullptr, false, std::move(lod)});
  }
}

const Binding* Walker::resolve(Scope& scope, const std::string& name) {
  const Binding* binding = scope.find(name);
  if (binding && binding->postponed) {
    force(binding->postponed);
    return scope.find(name);
  }
  if (binding) return binding;

  const Parameter* parameter = program_.find_parameter(name);
  if (!parameter) return nullptr;
  scope.set(name, {enter(*parameter).value, false, nullptr});
  return scope.find(name);
}

Walker::Entered& Walker::enter(const Parameter& parameter) {
  Model& model = emitter_.model();
  Entered& entered = parameters_[parameter.name];
  // What entered inside the body of a loop is gone when the body had to be emitted again.
  const bool there = entered.value && static_cast<size_t>(entered.value.id) < model.value_count() &&
                     model[entered.value].name == entered.name;
  if (!there) {
    entered.value = model.add_parameter(parameter.name, tensor_of(parameter));
    // For each, the system may have mapped some pages around.
    constexpr int kForgetAfter = 64;
    if (++parameters_read_ % kForgetAfter == 0) parameter.data.file->forget();
    entered.name = model[entered.value].name;
  }
  return entered;
}

void Walker::force(const std::shared_ptr<Postponed>& postponed) {
  static const std::vector<LiveOp> none;
  convert_in(*postponed->op, none, 0, postponed->scope, *postponed->home, postponed.get());
}

}  // namespace fluid2onnx
