#include "runtime/to_paddle/program_builder.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <unordered_set>

#include "runtime/convert/compute.h"
#include "runtime/convert/program_slots.h"
#include "runtime/onnx/graph/opsets.h"
#include "runtime/onnx/graph/sign.h"
#include "runtime/support/has_item.h"
#include "runtime/support/limits.h"
#include "runtime/support/overloaded.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

/// Constants up to this size are made by an operator; others are parameters.
constexpr int64_t kFewElements = 1;
constexpr int64_t kLargestExact = int64_t{1} << 53;  // as a float64

Shape dims_of(const onnx::TensorShapeProto& shape) {
  Shape dims;
  for (const auto& d : shape.dim()) dims.push_back(d.has_dim_value() ? d.dim_value() : -1);
  return dims;
}

using VisitName = std::function<void(std::string& name, bool is_result)>;

/// Visits the names of an operator and of the operators in its blocks.
void for_each_name(Program* program, Op* op, const VisitName& visit) {
  for (Slot& slot : op->outputs) {
    for (std::string& name : slot.args) visit(name, true);
  }
  for (Slot& slot : op->inputs) {
    for (std::string& name : slot.args) visit(name, false);
  }
  // edit() copies attributes that operators share.
  if (std::any_of(op->attrs.begin(), op->attrs.end(), [](const Attribute& attr) { return attr.as_variables(); })) {
    for (Attribute& attr : op->attrs.edit()) {
      auto* refs = std::get_if<VariableRefs>(&attr.value);
      for (size_t i = 0; refs && i < refs->names.size(); ++i) visit(refs->names[i], false);
    }
  }
  for (const int32_t inner : op->sub_blocks()) {
    for (Op& nested : program->blocks[static_cast<size_t>(inner)].ops) for_each_name(program, &nested, visit);
  }
}

}  // namespace

ProgramBuilder::ProgramBuilder() : model_(newest_opset()), emitter_(model_) {
  result_.program.blocks.emplace_back();
  frames_.push_back({0, {}, {}, {}});
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

std::string ProgramBuilder::free_array_name(std::string_view hint) {
  // Without a number at its end, or array_1 would have array_10 for an element.
  return free_name(free_name(hint) + ".items");
}

Variable ProgramBuilder::declaration(Value v) const {
  Variable variable;
  if (model_[v].type().has_sequence_type()) {
    variable.kind = VariableKind::tensor_array;
    const auto& element = model_[v].type().sequence_type().elem_type();
    if (element.has_tensor_type()) variable.dtype = static_cast<Dtype>(element.tensor_type().elem_type());
    return variable;
  }
  variable.dtype = model_.dtype(v);
  if (variable.dtype == Dtype::string) throw Refused(E_DTYPE, "strings are not supported by Paddle's tensors");
  if (dtype_to_paddle(variable.dtype) < 0 && variable.dtype != Dtype::undefined) {
    throw Refused(E_DTYPE, std::string(dtype_name(variable.dtype)) + " is not supported by Paddle");
  }
  if (const auto* shape = model_.shape(v)) variable.dims = dims_of(*shape);
  return variable;
}

std::string ProgramBuilder::new_variable(std::string_view hint, Value like) {
  std::string name = model_[like].type().has_sequence_type() ? free_array_name(hint) : free_name(hint);
  declare(name, like);
  return name;
}

void ProgramBuilder::declare(const std::string& name, Value like) {
  block().variables[name] = declaration(like);
  names_.emplace(name, 0);
}

void ProgramBuilder::declare(const std::string& name, VariableKind kind, Dtype dtype, std::optional<Shape> dims) {
  Variable& variable = block().variables[name];
  variable.kind = kind;
  variable.dtype = dtype;
  variable.dims = std::move(dims);
  names_.emplace(name, 0);
}

void ProgramBuilder::bind(const std::string& variable, Value v) {
  names_.emplace(variable, 0);
  frames_.back().bind(v, variable);
  values_[variable] = v;
}

void ProgramBuilder::unbind(Value v) {
  for (Frame& frame : frames_) frame.names.erase(v.id);
}

void ProgramBuilder::declare_shape(Value v) {
  const auto declared = block().variables.find(find(v));
  if (declared == block().variables.end() || declared->second.dims) return;
  if (const auto* shape = model_.shape(v)) declared->second.dims = dims_of(*shape);
}

void ProgramBuilder::forget_from(Value first) {
  for (Frame& frame : frames_) {
    std::erase_if(frame.names, [&](const auto& entry) { return entry.first >= first.id; });
    std::erase_if(frame.lifted,
                  [&](const auto& entry) { return entry.first >= first.id || entry.second.id >= first.id; });
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
    throw Refused(E_UNSUPPORTED,
                  "a sequence of tensors is used where Paddle needs a tensor, such as for an output of the model");
  }
  if (const Tensor* tensor = emitter_.constant_of(v)) return constant_variable(v, *tensor);
  const Node* producer = model_.producer(v);
  if (!producer) throw Error(E_INTERNAL, "'" + model_[v].name + "' has no value in the program");
  const Node node = *producer;
  struct Level {
    int& depth;
    explicit Level(int& d) : depth(d) { ++depth; }
    ~Level() { --depth; }
  } const level(pending_depth_);
  if (pending_depth_ > limits::kPendingDepth) make_operands(v);
  const Values results = convert_node_(node);
  for (size_t i = 0; i < node.outputs.size() && i < results.size(); ++i) {
    if (!node.outputs[i] || !results[i]) continue;
    const std::string name = variable(results[i]);
    if (find(node.outputs[i]).empty()) bind(name, node.outputs[i]);
  }
  const std::string name = find(v);
  if (name.empty())
    throw Error(E_INTERNAL, "the converter of '" + node.op_type + "' does not assign '" + model_[v].name + "'");
  return name;
}

/// Without recursion, for long chains.
void ProgramBuilder::make_operands(Value v) {
  const auto pending = [this](Value operand) {
    return operand && model_[operand].producer >= 0 && !model_[operand].type().has_sequence_type() &&
           !emitter_.constant_of(operand) && find(operand).empty();
  };
  std::vector<std::pair<Value, size_t>> open{{v, 0}};  // and the next operand of its node
  while (!open.empty()) {
    const Value at = open.back().first;
    const Values& operands = model_.node(model_[at].producer).inputs;
    if (open.back().second < operands.size()) {
      const Value operand = operands[open.back().second++];
      if (pending(operand)) open.emplace_back(operand, 0);
      continue;
    }
    if (at != v && pending(at)) variable(at);
    open.pop_back();
  }
}

std::string ProgramBuilder::constant_variable(Value v, const Tensor& tensor) {
  // Parameters are stored in the outermost block, independent of the first reader; a small one is made where it is
  // read, if its dtype is one that fill_constant has.
  using D = Dtype;
  // Paddle reads fill_constant's text as a float64, which turns the largest int64 into the smallest one.
  const auto inexact = [](int64_t x) { return x > kLargestExact || x < -kLargestExact; };
  const auto wholes = tensor.dtype() == D::int64 && tensor.count() <= kFewElements ? tensor.as_ints() : std::nullopt;
  const bool large = wholes && std::any_of(wholes->begin(), wholes->end(), inexact);
  if (large || tensor.count() > kFewElements ||
      has_item(std::initializer_list<D>{D::uint16, D::uint32, D::uint64, D::complex64, D::complex128},
               tensor.dtype())) {
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
  const Ints ints = tensor.as_ints().value_or(Ints());
  const Floats floats = tensor.as_floats().value_or(Floats());
  const double value = floats.empty() ? 0 : floats.front();
  op.attrs.push_back({"shape", tensor.dims()});
  op.attrs.push_back({"dtype", int64_t{dtype_to_paddle(tensor.dtype())}});
  op.attrs.push_back({"value", std::isfinite(value) ? static_cast<double>(static_cast<float>(value)) : 0.0});
  // A float attribute holds no large integers and no float64.
  std::string text;
  if (!ints.empty() && !is_floating(tensor.dtype())) text = std::to_string(ints.front());
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
    // An array is written again and again, also by operators before these.
    const bool renamed = declared != here.variables.end() && !declared->second.persistable &&
                         declared->second.kind != VariableKind::tensor_array;
    if (renamed) to.emplace(old, name);
  }
  const auto each = [&](const VisitName& visit) {
    for (size_t i = first; i < here.ops.size(); ++i) for_each_name(&result_.program, &here.ops[i], visit);
  };
  // Other variables are known to earlier operators.
  std::unordered_set<std::string> made;
  each([&](std::string& name, bool is_result) {
    if (is_result) made.insert(name);
  });
  std::erase_if(to, [&](const auto& entry) { return !made.count(entry.first); });
  if (to.empty()) return;
  each([&](std::string& name, bool) {
    if (const auto found = to.find(name); found != to.end()) name = found->second;
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
  frames_.push_back({result_.program.blocks.size() - 1, {}, {}, {}});
  return current();
}

void ProgramBuilder::leave() { frames_.pop_back(); }

}  // namespace fluid2onnx
