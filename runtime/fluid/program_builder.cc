#include "runtime/fluid/program_builder.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <unordered_set>

#include "runtime/convert/operands.h"
#include "runtime/driver/program_source.h"
#include "runtime/graph/opsets.h"
#include "runtime/graph/sign.h"
#include "runtime/support/overloaded.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

/// Constants of so many elements are made by an operator; others are parameters.
constexpr int64_t kFewElements = 1;
constexpr int64_t kLargestExact = int64_t{1} << 53;  // as a float64
/// Results that are constants of so many bytes take the place of the operator.
constexpr uint64_t kSmallConstant = 4096;

/// The attribute that the operand is, if all of it is known.
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

bool is_any_of(Dtype dtype, std::initializer_list<Dtype> list) {
  return std::find(list.begin(), list.end(), dtype) != list.end();
}

AttributeValue zero_of(const std::string& type) {
  if (type == "ints") return std::vector<int64_t>();
  if (type == "floats") return std::vector<double>();
  if (type == "float") return 0.0;
  return int64_t{0};
}

Shape dims_of(const onnx::TensorShapeProto& shape) {
  Shape dims;
  for (const auto& d : shape.dim()) dims.push_back(d.has_dim_value() ? d.dim_value() : -1);
  return dims;
}

/// What a kernel computes in that lacks a dtype: the least that holds its numbers.
Dtype stand_in(const FluidOperator& op, Dtype dtype) {
  const auto first = [&](std::initializer_list<Dtype> list) {
    for (const Dtype d : list) {
      if (op.dtypes.count(d)) return d;
    }
    return Dtype::undefined;
  };
  using D = Dtype;
  switch (dtype) {
    case D::float16:
    case D::bfloat16: return first({D::float32, D::float64});
    case D::float32: return first({D::float64});
    case D::float64: return first({D::float32});
    case D::bool_:
    case D::uint8:
    case D::int8:
    case D::int16: return first({D::int32, D::int64, D::float32, D::float64});
    case D::int32: return first({D::int64, D::float64, D::float32});
    case D::int64: return first({D::int32, D::float64, D::float32});
    default: return D::undefined;
  }
}

/// What `where` gives if its condition, that something be below 0, never holds: Paddle's kernels would fail there for
/// tensors without elements.
Value never_below_zero(const Model& model, const FluidOperands& operands) {
  if (operands.size() != 3) return {};
  Value values[3];
  for (size_t i = 0; i < 3; ++i) {
    const auto& list = operands[i].second;
    const auto* v = list.size() == 1 ? std::get_if<Value>(&list.front().rep()) : nullptr;
    if (!v || !*v) return {};
    values[i] = *v;
  }
  const NodeId producer = model[values[0]].producer;
  if (producer < 0) return {};
  const Node& less = model.node(producer);
  if (less.op_type != "Less" || less.inputs.size() != 2 || !less.inputs[1]) return {};
  const auto& bound = model[less.inputs[1]].constant;
  Ints zeros;
  if (!bound || bound->count() != 1 || !bound->as_ints(&zeros) || zeros.front() != 0) return {};
  return never_negative(model, less.inputs[0]) ? values[2] : Value();
}

}  // namespace

ProgramBuilder::ProgramBuilder() : model_(newest_opset()), emitter_(model_) {
  result_.program.blocks.emplace_back();
  frames_.push_back({0, {}, {}});
  // Of the operators that write_program adds.
  for (const std::string_view name : kPortVariables) names_.emplace(name, 0);
}

// -- variables -----------------------------------------------------------------------------------------------

std::string ProgramBuilder::free_name(std::string_view hint) {
  std::string name(hint);
  for (auto taken = names_.find(name); taken != names_.end(); taken = names_.find(name)) {
    name = std::string(hint) + "_" + std::to_string(taken->second++);
  }
  names_.emplace(name, 0);
  return name;
}

Variable ProgramBuilder::declaration(Value v) const {
  Variable variable;
  if (model_[v].type().has_sequence_type()) {
    variable.kind = VariableKind::tensor_array;
    return variable;
  }
  variable.dtype = model_.dtype(v);
  if (variable.dtype == Dtype::string) throw Refused(E_DTYPE, "Paddle has no tensors of strings");
  if (dtype_to_paddle(variable.dtype) < 0 && variable.dtype != Dtype::undefined) {
    throw Refused(E_DTYPE, "Paddle has no " + std::string(dtype_name(variable.dtype)));
  }
  if (const auto* shape = model_.shape(v)) variable.dims = dims_of(*shape);
  return variable;
}

std::string ProgramBuilder::new_variable(std::string_view hint, Value like) {
  std::string name = free_name(hint);
  declare(name, like);
  return name;
}

void ProgramBuilder::declare(const std::string& name, Value like) {
  block().variables[name] = declaration(like);
  names_.emplace(name, 0);
}

void ProgramBuilder::declare(const std::string& name, VariableKind kind, Dtype dtype) {
  Variable& variable = block().variables[name];
  variable.kind = kind;
  variable.dtype = dtype;
  names_.emplace(name, 0);
}

void ProgramBuilder::bind(const std::string& variable, Value v) {
  names_.emplace(variable, 0);
  frames_.back().bind(v, variable);
  values_[variable] = v;
}

void ProgramBuilder::forget_from(Value first) {
  for (Frame& frame : frames_) {
    std::erase_if(frame.names, [&](const auto& entry) { return entry.first >= first.id; });
  }
  std::erase_if(values_, [&](const auto& entry) { return entry.second.id >= first.id; });
}

std::string ProgramBuilder::find(Value v) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const auto found = frame->names.find(v.id);
    if (found != frame->names.end()) return found->second;
  }
  return "";
}

std::string ProgramBuilder::variable(Value v) {
  if (!v) return "";
  if (std::string name = find(v); !name.empty()) return name;
  if (model_[v].type().has_sequence_type()) {
    throw Refused(E_UNSUPPORTED, "a sequence of tensors where Paddle wants a tensor: in a loop, a branch or a result");
  }
  if (const Tensor* tensor = emitter_.constant_of(v)) return constant_variable(v, *tensor);
  const NodeId producer = model_[v].producer;
  if (producer < 0) throw Error(E_INTERNAL, "nothing gives '" + model_[v].name + "' in the program");
  const Node node = model_.node(producer);
  const Values results = convert_node_(node);
  for (size_t i = 0; i < node.outputs.size() && i < results.size(); ++i) {
    if (!node.outputs[i] || !results[i]) continue;
    const std::string name = variable(results[i]);
    if (find(node.outputs[i]).empty()) bind(name, node.outputs[i]);
  }
  const std::string name = find(v);
  if (name.empty())
    throw Error(E_INTERNAL, "the converter of '" + node.op_type + "' does not give '" + model_[v].name + "'");
  return name;
}

std::string ProgramBuilder::constant_variable(Value v, const Tensor& tensor) {
  // Parameters live in the outermost block, whoever reads them first; a small one is made where it is read, if its
  // dtype is one that fill_constant has.
  using D = Dtype;
  // Paddle reads fill_constant's text as a float64, which turns the largest int64 into the smallest one.
  Ints wholes;
  const auto inexact = [](int64_t x) { return x > kLargestExact || x < -kLargestExact; };
  const bool large = tensor.dtype() == D::int64 && tensor.count() <= kFewElements && tensor.as_ints(&wholes) &&
                     std::any_of(wholes.begin(), wholes.end(), inexact);
  if (large || tensor.count() > kFewElements ||
      is_any_of(tensor.dtype(), {D::uint16, D::uint32, D::uint64, D::complex64, D::complex128})) {
    const std::string name = free_name(model_[v].name);
    Variable variable = declaration(v);
    variable.persistable = true;
    result_.program.blocks.front().variables[name] = variable;
    result_.weights.emplace(name, tensor);
    frames_.front().bind(v, name);
    values_[name] = v;
    return name;
  }
  Op op;
  op.type = "fill_constant";
  const std::string name = new_variable("constant", v);
  op.outputs.push_back({"Out", {name}});
  Floats floats;
  Ints ints;
  const bool whole = tensor.as_ints(&ints);
  const double value = tensor.as_floats(&floats) && !floats.empty() ? floats.front() : 0;
  op.attrs.push_back({"shape", tensor.dims()});
  op.attrs.push_back({"dtype", int64_t{dtype_to_paddle(tensor.dtype())}});
  op.attrs.push_back({"value", std::isfinite(value) ? static_cast<double>(static_cast<float>(value)) : 0.0});
  // A float attribute holds no large integers and no float64.
  std::string text;
  if (whole && !ints.empty() && !is_floating(tensor.dtype())) text = std::to_string(ints.front());
  else if (std::isnan(value)) text = "nan";
  else if (std::isinf(value)) text = value > 0 ? "inf" : "-inf";
  else if (!floats.empty()) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    text = buffer;
  }
  op.attrs.push_back({"str_value", text});
  append(std::move(op));
  bind(name, v);
  return name;
}

void ProgramBuilder::rename(const std::vector<std::pair<Value, std::string>>& names, size_t first) {
  Block& here = block();
  std::unordered_map<std::string, std::string> to;
  for (const auto& [v, name] : names) {
    const std::string old = find(v);
    if (old.empty() || old == name || names_.count(name) > 0) continue;
    const auto declared = here.variables.find(old);
    if (declared != here.variables.end() && !declared->second.persistable) to.emplace(old, name);
  }
  const auto each = [&](const auto& visit) {
    const std::function<void(Op&)> look = [&](Op& op) {
      for (Slot& slot : op.outputs)
        for (std::string& arg : slot.args) visit(arg, true);
      for (Slot& slot : op.inputs)
        for (std::string& arg : slot.args) visit(arg, false);
      for (Attribute& attr : op.attrs)
        if (auto* refs = std::get_if<VariableRefs>(&attr.value))
          for (std::string& arg : refs->names) visit(arg, false);
      for (const int32_t inner : op.sub_blocks())
        for (Op& nested : result_.program.blocks[static_cast<size_t>(inner)].ops) look(nested);
    };
    for (size_t i = first; i < here.ops.size(); ++i) look(here.ops[i]);
  };
  // Made by these operators: nobody else has read it.
  std::unordered_set<std::string> made;
  each([&](const std::string& arg, bool output) {
    if (output && to.count(arg)) made.insert(arg);
  });
  std::erase_if(to, [&](const auto& entry) { return !made.count(entry.first); });
  if (to.empty()) return;
  each([&](std::string& arg, bool) {
    if (const auto found = to.find(arg); found != to.end()) arg = found->second;
  });
  Frame& frame = frames_.back();
  for (const auto& [old, name] : to) {
    auto variable = here.variables.extract(old);
    variable.key() = name;
    here.variables.insert(std::move(variable));
    names_.emplace(name, 0);
    for (const int32_t id : std::exchange(frame.ids[old], {})) {
      const auto bound = frame.names.find(id);
      if (bound == frame.names.end() || bound->second != old) continue;
      bound->second = name;
      frame.ids[name].push_back(id);
    }
    frame.ids.erase(old);
    values_[name] = values_[old];
    values_.erase(old);
  }
}

// -- blocks --------------------------------------------------------------------------------------------------

int32_t ProgramBuilder::enter() {
  Block inner;
  inner.index = static_cast<int32_t>(result_.program.blocks.size());
  inner.parent = current();
  result_.program.blocks.push_back(std::move(inner));
  frames_.push_back({result_.program.blocks.size() - 1, {}, {}});
  return current();
}

void ProgramBuilder::leave() { frames_.pop_back(); }

// -- operators -----------------------------------------------------------------------------------------------

void ProgramBuilder::append(Op op) {
  Block& here = block();
  op.block = here.index;
  op.index = static_cast<int32_t>(here.ops.size());
  // Paddle 3 does not know what an attribute that is left out means.
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
  // The attribute has to be there for those who only look at it.
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
        slot.args.push_back(variable(emitter_.cast(one, Dtype::int32)));
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
    context.refuse(E_UNKNOWN_LENGTH,
                   "'" + attr.name + "' of Paddle's '" + known.type + "' has a length that is not known");
  }
  op->attrs.push_back({attr.name, VariableRefs{{variable(tensor)}, false}});
}

Values ProgramBuilder::emit(GraphContext& context, const char* type, const FluidOperands& operands, const Attrs& attrs,
                            int64_t results) {
  const FluidOperator* known = find_fluid_operator(type);
  if (!known) throw Error(E_INTERNAL, "nothing is known of Paddle's operator '" + std::string(type) + "'");
  if (std::string_view(type) == "where") {
    if (const Value same = never_below_zero(model_, operands)) return {same};
  }

  // Numbers take the dtype of the tensors beside them, and the kernel is chosen by it: what it has a kernel for, else
  // what is no condition.
  std::vector<Dtype> dtypes;
  for (const auto& [slot, list] : operands) {
    for (const Operand& operand : list) {
      const auto* v = std::get_if<Value>(&operand.rep());
      if (v && *v && known->input(slot) && model_.dtype(*v) != Dtype::undefined) dtypes.push_back(model_.dtype(*v));
    }
  }
  const auto first = [&](const auto& fits) {
    const auto found = std::find_if(dtypes.begin(), dtypes.end(), fits);
    return found == dtypes.end() ? Dtype::undefined : *found;
  };
  // The first slot decides where it holds numbers, or a mask that is no condition: what lies behind it may be indices.
  // Integers there may be indices themselves, of a table behind them.
  const auto leads = [&] {
    if (dtypes.empty() || known->inputs.empty() || operands.front().first != known->inputs.front().name) return false;
    if (operands.front().second.empty() || !std::get_if<Value>(&operands.front().second.front().rep())) return false;
    const Dtype d = dtypes.front();
    return is_floating(d) || (d == Dtype::bool_ && known->inputs.front().name != std::string_view("Condition"));
  };
  Dtype usual = leads() ? dtypes.front() : first([&](Dtype d) { return known->dtypes.count(d) > 0; });
  if (usual == Dtype::undefined) usual = first([](Dtype d) { return d != Dtype::bool_; });
  if (usual == Dtype::undefined && !dtypes.empty()) usual = dtypes.front();
  const Dtype computed = usual == Dtype::undefined || known->dtypes.empty() || known->dtypes.count(usual)
                             ? usual
                             : stand_in(*known, usual);
  if (computed == Dtype::undefined && usual != Dtype::undefined) {
    context.refuse(E_DTYPE, "Paddle's '" + known->type + "' has no kernel for " + std::string(dtype_name(usual)));
  }
  Op op;
  op.type = type;
  for (const auto& [name, list] : operands) {
    if (!known->input(name)) {
      const FluidAttr* attr = known->attr(name);
      if (!attr) throw Error(E_INTERNAL, "'" + known->type + "' has no '" + name + "'");
      fill_attr(context, &op, *known, *attr, list.front());
      continue;
    }
    Slot slot{name, {}};
    for (const Operand& operand : list) {
      if (operand.omitted()) continue;
      Value v = context.tensor(operand, std::holds_alternative<Value>(operand.rep()) ? Dtype::undefined : usual);
      if (!v) continue;
      if (computed != usual && model_.dtype(v) == usual) {
        v = emit(context, "cast", {{"X", {v}}}, {{"in_dtype", usual}, {"out_dtype", computed}}, 1).front();
      }
      slot.args.push_back(variable(v));
    }
    if (!slot.args.empty()) op.inputs.push_back(std::move(slot));
  }
  for (const Attr& attr : attrs) op.attrs.push_back(attribute(context, *known, attr));

  // Those that are optional are given when more are asked for than the others are.
  const auto plain = std::count_if(known->outputs.begin(), known->outputs.end(),
                                   [](const FluidSlot& slot) { return !slot.optional && !slot.list; });
  const bool lists =
      std::any_of(known->outputs.begin(), known->outputs.end(), [](const FluidSlot& slot) { return slot.list; });
  const bool every = !lists && results > plain;
  std::vector<std::string> wanted;
  for (const FluidSlot& slot : known->outputs) {
    const bool more = static_cast<int64_t>(wanted.size()) < results;
    if (slot.optional && !(every || (slot.list && more))) continue;
    Slot out{slot.name, {}};
    // Statistics that training would update lie over those that are given: MeanOut is Mean.
    const auto updated = std::find_if(op.inputs.begin(), op.inputs.end(),
                                      [&](const Slot& input) { return input.name + "Out" == slot.name; });
    if (!more && updated != op.inputs.end()) {
      op.outputs.push_back({slot.name, updated->args});
      continue;
    }
    const int64_t count = !slot.list ? 1 : more ? results - static_cast<int64_t>(wanted.size()) : 0;
    for (int64_t i = 0; i < count; ++i) {
      out.args.push_back(free_name(std::string(type) + ".tmp"));
      if (more) wanted.push_back(out.args.back());
    }
    if (!out.args.empty()) op.outputs.push_back(std::move(out));
  }

  const std::map<std::string, Value> made = shadow(op, computed);
  bool constant = true;
  for (const std::string& name : wanted) {
    const Tensor* tensor = emitter_.constant_of(made.at(name));
    // What is made of the model's weights alone is a weight, however large; what grows out of nothing is made when it
    // runs.
    constant = constant && tensor && (!op.inputs.empty() || tensor->byte_size() <= kSmallConstant);
  }
  Values values;
  for (const std::string& name : wanted) values.push_back(made.at(name));
  if (!constant || wanted.empty()) {
    for (const Slot& slot : op.outputs) {
      for (const std::string& name : slot.args) {
        if (values_.count(name) > 0) continue;
        const auto value = made.find(name);
        Variable& variable = block().variables[name];
        if (value != made.end()) {
          variable = declaration(value->second);
          bind(name, value->second);
        } else {
          variable.dtype = computed;
        }
      }
    }
    append(std::move(op));
  }
  if (computed != usual) {
    for (Value& v : values) {
      if (model_.dtype(v) != computed) continue;
      v = emit(context, "cast", {{"X", {v}}}, {{"in_dtype", computed}, {"out_dtype", usual}}, 1).front();
    }
  }
  return values;
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
  const ProgramSource source(result_.program, placed, names, value_of, no_lod, no_name);
  if (const ConverterInfo* info = find_converter(op.type)) {
    const GraphId graph = model_.current();
    try {
      GraphContext context(emitter_, source);
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
      // What Paddle can compute and ONNX cannot say: its shape stays unknown.
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
