// ProgramBuilder: emits operators with their dtypes, attributes and results.
#include <algorithm>
#include <optional>
#include <type_traits>

#include "runtime/convert/compute.h"
#include "runtime/convert/program_slots.h"
#include "runtime/onnx/graph/sign.h"
#include "runtime/support/error.h"
#include "runtime/support/overloaded.h"
#include "runtime/to_paddle/operator_facts.h"
#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {
namespace {

/// Constant results up to this size in bytes replace the operator.
constexpr uint64_t kSmallConstant = 4096;

/// The operand as the value of an attribute, if all of it is known.
std::optional<AttributeValue> known_value(const Operand& operand) {
  const auto constant = known_constant(operand);
  if (!constant) return std::nullopt;
  return std::visit(
      [&]<class List>(const List& list) -> std::optional<AttributeValue> {
        if constexpr (std::is_same_v<List, Bools>) return std::nullopt;
        else return constant->shape.empty() && list.size() == 1 ? AttributeValue(list.front()) : AttributeValue(list);
      },
      constant->data);
}

/// Whether a value has axes; nullopt if its rank is unknown.
std::optional<bool> has_axes(const Model& model, Value v) {
  const onnx::TensorShapeProto* shape = model.shape(v);
  return shape ? std::optional(shape->dim_size() > 0) : std::nullopt;
}

bool any_has_axes(const Model& model, const FluidOperands& operands) {
  for (const auto& [slot, list] : operands) {
    for (const Operand& operand : list) {
      const auto* v = std::get_if<Value>(&operand.rep());
      if (v && *v && has_axes(model, *v).value_or(false)) return true;
    }
  }
  return false;
}

AttributeValue zero_of(const std::string& type) {
  if (type == "ints") return std::vector<int64_t>();
  if (type == "floats") return std::vector<double>();
  if (type == "float") return 0.0;
  return int64_t{0};
}

/// The third operand of where(x < 0, a, b) if x is never negative: Paddle's kernels would fail for tensors without
/// elements.
Value never_below_zero(const Model& model, const FluidOperands& operands) {
  if (operands.size() != 3) return {};
  Value values[3];
  for (size_t i = 0; i < 3; ++i) {
    const auto& list = operands[i].operands;
    const auto* v = list.size() == 1 ? std::get_if<Value>(&list.front().rep()) : nullptr;
    if (!v || !*v) return {};
    values[i] = *v;
  }
  const Node* less = model.producer(values[0]);
  if (!less || less->op_type != "Less" || less->inputs.size() != 2) return {};
  if (model.constant_ints(less->inputs[1]) != Ints{0}) return {};
  return never_negative(model, less->inputs[0]) ? values[2] : Value();
}

}  // namespace

void ProgramBuilder::append(Op op) {
  Block& here = block();
  op.block = here.index;
  op.index = static_cast<int32_t>(here.ops.size());
  // Paddle 3 has no defaults for missing attributes.
  if (const FluidOperator* known = find_fluid_operator(op.type)) {
    for (const FluidAttr& attr : known->attrs) {
      const auto same = [&](const Attribute& given) { return given.name == attr.name; };
      if (!attr.default_value || std::any_of(op.attrs.begin(), op.attrs.end(), same)) continue;
      op.attrs.push_back({attr.name, *attr.default_value});
    }
  }
  here.ops.push_back(std::move(op));
}

Attribute ProgramBuilder::attribute(GraphContext& context, const FluidOperator& known, const Attr& attr) const {
  const FluidAttr* fact = known.attr(attr.name);
  if (!fact) context.refuse(E_INTERNAL, "'" + known.type + "' has no attribute '" + attr.name + "'");
  const std::string& type = fact->type;
  const AttributeValue value = std::visit(Overloaded{
                                              [&](int64_t n) -> AttributeValue {
                                                if (type == "bool") return n != 0;
                                                if (type == "float" || type == "scalar") return static_cast<double>(n);
                                                return n;
                                              },
                                              [&](const Ints& list) -> AttributeValue {
                                                if (type == "bools") return std::vector<bool>(list.begin(), list.end());
                                                if (type == "floats")
                                                  return std::vector<double>(list.begin(), list.end());
                                                return list;
                                              },
                                              [](const Constant&) -> AttributeValue { return int64_t{0}; },
                                              [](const auto& other) -> AttributeValue { return other; },
                                          },
                                          attr.value);
  const std::string_view name = attr.name;
  if (type == "int" && (name == "dtype" || name.ends_with("_dtype"))) {
    if (const auto* number = std::get_if<int64_t>(&value)) {
      return {attr.name, int64_t{dtype_to_paddle(static_cast<Dtype>(*number))}};
    }
  }
  return {attr.name, value};
}

void ProgramBuilder::fill_attr(GraphContext& context, Op* op, const FluidOperator& known, const FluidAttr& attr,
                               const Operand& operand) {
  if (const auto value = known_value(operand)) {
    op->attrs.push_back({attr.name, *value});
    return;
  }
  const auto items = [&]() -> std::optional<std::vector<Operand>> {
    if (const auto* dims = std::get_if<Dims>(&operand.rep()); dims && dims->sized()) {
      return std::vector<Operand>(dims->items.begin(), dims->items.end());
    }
    return std::nullopt;
  };
  if (!attr.list_slot.empty()) {
    if (const auto list = items()) {
      Slot slot{attr.list_slot, {}};
      std::vector<int64_t> values;
      for (const Operand& item : *list) {
        const auto number = known_value(item);
        values.push_back(number ? std::get<int64_t>(*number) : -1);
        const Value one = context.tensor(Operand(Dims{std::get<Dim>(item.rep())}), Dtype::int64);
        slot.args.push_back(variable(reads_wide_lists(known.type) ? one : emitter_.cast(one, Dtype::int32)));
      }
      op->inputs.push_back(std::move(slot));
      op->attrs.push_back({attr.name, values});
      return;
    }
  }
  const Value tensor = context.tensor(operand, std::get_if<Scalar>(&operand.rep()) ? Dtype::undefined : Dtype::int64);
  if (!attr.tensor_slot.empty()) {
    op->inputs.push_back({attr.tensor_slot, {variable(tensor)}});
    op->attrs.push_back({attr.name, zero_of(attr.type)});
    return;
  }
  if (known.input(attr.list_slot)) {
    context.refuse(E_UNKNOWN_LENGTH, "'" + attr.name + "' of Paddle's '" + known.type + "' has an unknown length");
  }
  op->attrs.push_back({attr.name, VariableRefs{{variable(tensor)}, false}});
}

Values ProgramBuilder::emit(GraphContext& context, std::string_view type, const FluidOperands& operands,
                            const Attrs& attrs, int64_t results) {
  const FluidOperator* known = find_fluid_operator(type);
  if (!known) throw Error(E_INTERNAL, "Paddle's operator '" + std::string(type) + "' is unknown");
  if (fails_on_empty(type)) {
    if (const Value same = never_below_zero(model_, operands)) return {same};
  }
  const KernelDtypes dtypes = kernel_dtypes(model_, *known, operands);
  if (dtypes.computed == Dtype::undefined && dtypes.usual != Dtype::undefined) {
    context.refuse(E_DTYPE,
                   "Paddle's '" + known->type + "' has no kernel for " + std::string(dtype_name(dtypes.usual)));
  }
  Op op = make(context, *known, operands, attrs, dtypes);
  const std::vector<std::string> wanted = add_outputs(*known, results, &op);
  const std::map<std::string, Value> made = shadow(op, dtypes.computed);
  Values values;
  for (const std::string& name : wanted) values.push_back(made.at(name));
  if (values.empty() || !replaced_by(op, values)) append_with_results(std::move(op), made, dtypes.computed);
  if (dtypes.computed == dtypes.usual) return values;
  for (Value& v : values) {
    if (model_.dtype(v) == dtypes.computed) v = cast(context, v, dtypes.computed, dtypes.usual);
  }
  return values;
}

Value ProgramBuilder::cast(GraphContext& context, Value v, Dtype from, Dtype to) {
  return emit(context, "cast", {{"X", v}}, {{"in_dtype", from}, {"out_dtype", to}}, 1).front();
}

Op ProgramBuilder::make(GraphContext& context, const FluidOperator& known, const FluidOperands& operands,
                        const Attrs& attrs, const KernelDtypes& dtypes) {
  const bool lifts = is_floating(dtypes.computed) && needs_axes(known.type) && any_has_axes(model_, operands);
  Op op;
  op.type = known.type;
  for (const auto& [name, list] : operands) {
    if (!known.input(name)) {
      const FluidAttr* attr = known.attr(name);
      if (!attr) throw Error(E_INTERNAL, "'" + known.type + "' has no '" + name + "'");
      fill_attr(context, &op, known, *attr, list.front());
      continue;
    }
    Slot slot{name, {}};
    for (const Operand& operand : list) {
      if (operand.omitted()) continue;
      const bool is_value = std::holds_alternative<Value>(operand.rep());
      Value v = context.tensor(operand, is_value ? Dtype::undefined : dtypes.usual);
      if (!v) continue;
      if (dtypes.computed != dtypes.usual && model_.dtype(v) == dtypes.usual) {
        v = cast(context, v, dtypes.usual, dtypes.computed);
      }
      if (lifts && has_axes(model_, v) == false) v = lifted(context, v);
      slot.args.push_back(variable(v));
    }
    if (!slot.args.empty()) op.inputs.push_back(std::move(slot));
  }
  for (const Attr& attr : attrs) op.attrs.push_back(attribute(context, known, attr));
  return op;
}

std::vector<std::string> ProgramBuilder::add_outputs(const FluidOperator& known, int64_t results, Op* op) {
  // Optional outputs are added if more results are requested than there are other outputs.
  const auto plain = std::count_if(known.outputs.begin(), known.outputs.end(),
                                   [](const FluidSlot& slot) { return !slot.optional && !slot.list; });
  const bool lists =
      std::any_of(known.outputs.begin(), known.outputs.end(), [](const FluidSlot& slot) { return slot.list; });
  const bool every = !lists && results > plain;
  std::vector<std::string> wanted;
  for (const FluidSlot& slot : known.outputs) {
    const bool more = static_cast<int64_t>(wanted.size()) < results;
    if (slot.optional && !(every || (slot.list && more))) continue;
    Slot out{slot.name, {}};
    // Outputs such as MeanOut share the variable of the input Mean.
    const auto updated = std::find_if(op->inputs.begin(), op->inputs.end(),
                                      [&](const Slot& input) { return input.name + "Out" == slot.name; });
    if (!more && updated != op->inputs.end()) {
      op->outputs.push_back({slot.name, updated->args});
      continue;
    }
    const int64_t count = !slot.list ? 1 : more ? results - static_cast<int64_t>(wanted.size()) : 0;
    for (int64_t i = 0; i < count; ++i) {
      out.args.push_back(free_name(known.type + ".tmp"));
      if (more) wanted.push_back(out.args.back());
    }
    if (!out.args.empty()) op->outputs.push_back(std::move(out));
  }
  return wanted;
}

bool ProgramBuilder::replaced_by(const Op& op, const Values& results) const {
  return std::all_of(results.begin(), results.end(), [&](Value v) {
    const Tensor* tensor = emitter_.constant_of(v);
    // A result of weights alone becomes a weight of any size. A large result without operands is computed at run time.
    return tensor && (!op.inputs.empty() || tensor->byte_size() <= kSmallConstant);
  });
}

void ProgramBuilder::append_with_results(Op op, const std::map<std::string, Value>& inferred, Dtype fallback_dtype) {
  for (const Slot& slot : op.outputs) {
    for (const std::string& name : slot.args) {
      if (values_.count(name) > 0) continue;
      const auto value = inferred.find(name);
      Variable& variable = block().variables[name];
      if (value == inferred.end()) {
        variable.dtype = fallback_dtype;
        continue;
      }
      variable = declaration(value->second);
      bind(name, value->second);
    }
  }
  append(std::move(op));
}

Value ProgramBuilder::lifted(GraphContext& context, Value v) {
  for (const Frame& frame : frames_) {
    if (const auto found = frame.lifted.find(v.id); found != frame.lifted.end()) return found->second;
  }
  const Value vector = emit(context, "reshape2", {{"X", v}}, {{"shape", Ints{1}}}, 1).front();
  frames_.back().lifted.emplace(v.id, vector);
  return vector;
}

std::map<std::string, Value> ProgramBuilder::shadow(const Op& op, Dtype usual) {
  std::map<std::string, Value> results;
  SortedNames names;
  for (const Slot& slot : op.outputs) {
    for (const std::string& name : slot.args) names.insert(name);
  }
  Op placed = op;
  placed.block = current();
  const auto value_of = [&](const std::string& name) { return values_.at(name); };
  const auto no_lod = [](const std::string&) { return Lod(); };
  const auto no_name = [](const Op&, const std::string&) { return std::string(); };
  const ProgramSlots slots(result_.program, placed, names, value_of, no_lod, no_name);
  if (const ConverterInfo* info = find_converter(op.type)) {
    const GraphId graph = model_.current();
    try {
      GraphContext context(emitter_, slots);
      info->convert(context);
      for (const Slot& slot : op.outputs) {
        const auto found = context.results().find(slot.name);
        if (found == context.results().end()) continue;
        for (size_t i = 0; i < slot.args.size() && i < found->second.size(); ++i) {
          if (found->second[i]) results[slot.args[i]] = found->second[i];
        }
      }
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Error& e) {
      // Paddle can compute it, but ONNX cannot express it: its shape stays unknown.
      while (model_.current() != graph) model_.leave();
      if (refuses_misfits_ && e.code() == E_SHAPE) throw;
    }
  }
  for (const Slot& slot : op.outputs) {
    for (const std::string& name : slot.args) {
      if (results.count(name) || values_.count(name)) continue;
      const Value v = model_.new_value(name);
      if (usual != Dtype::undefined) model_.set_type(v, tensor_type(usual));
      results[name] = v;
    }
  }
  return results;
}

}  // namespace fluid2onnx
