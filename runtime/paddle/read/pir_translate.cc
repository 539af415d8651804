#include "runtime/paddle/read/pir_translate.h"

#include <algorithm>
#include <utility>

#include "runtime/paddle/program/make_op.h"
#include "runtime/paddle/program/numbered_slots.h"
#include "runtime/paddle/program/validate.h"
#include "runtime/paddle/read/pir_translator.h"
#include "runtime/support/hints.h"
#include "runtime/support/number_text.h"

namespace fluid2onnx {
namespace {

constexpr std::string_view kDialect = "pd_op.";
constexpr std::string_view kCustomDialect = "custom_op.";

bool is_input(const PirOp& op) { return op.name == "pd_op.data" || op.name == "pd_op.feed"; }

/// Attributes of any operator that say nothing of what it computes.
bool is_annotation(std::string_view attr) {
  return attr == "struct_name" || attr == "chunk_id" || attr.starts_with("op_");
}

auto find_attr(const PirOperator& known, std::string_view name) {
  return std::find_if(known.attrs.begin(), known.attrs.end(), [&](const PirAttr& attr) { return attr.name == name; });
}

void refuse_unread(const PirOp& op, const std::string& attr, Op* out) {
  if (!is_annotation(attr)) out->refuse("attribute '" + attr + "' of '" + op.name + "' has a value of an unknown kind");
}

/// Fluid has the numbers of dtypes.
AttributeValue in_fluid(const AttributeValue& value) {
  const auto* dtype = std::get_if<Dtype>(&value);
  return dtype ? AttributeValue(int64_t{dtype_to_paddle(*dtype)}) : value;
}

/// A list that holds one tensor of all values, rather than a tensor for each.
bool holds_one_tensor(const PirBinding& value) {
  return value.elements.size() == 1 && pir_small_size(value.elements.front().type.dims) != 1;
}

std::vector<std::string> variables_of_elements(const PirBinding& value) {
  std::vector<std::string> names;
  for (const PirBinding& element : value.elements) names.push_back(element.variable);
  return names;
}

std::vector<std::string> variables_of(const PirBinding& value) {
  return value.type.is_list ? variables_of_elements(value) : std::vector<std::string>{value.variable};
}

/// The attribute's value for the operand; nothing if it is not known.
std::optional<AttributeValue> constant_of(const PirBinding& value) {
  if (!value.type.is_list && value.elements.empty()) return value.constant;
  if (value.elements.size() == 1) return value.elements.front().constant;
  std::vector<Number> numbers;
  for (const PirBinding& element : value.elements) {
    const auto number = element.constant ? Attribute{"", *element.constant}.as_scalars() : std::nullopt;
    if (!number || number->size() != 1) return std::nullopt;
    numbers.push_back(number->front());
  }
  return numbers;
}

/// A number as exact text.
AttributeValue as_text(const AttributeValue& number) {
  return shortest_text(Attribute{"", number}.as_float().value_or(0));
}

}  // namespace

std::string pir_text_attr(const PirOp& op, std::string_view name) {
  const Attribute* attr = op.attr(name);
  return attr ? attr->as_string().value_or("") : "";
}

std::optional<int64_t> pir_small_size(const std::optional<Shape>& dims) {
  constexpr int64_t kMaxConstantSize = 4096;  // of what may become an attribute
  if (!dims) return std::nullopt;
  int64_t size = 1;
  for (const int64_t dim : *dims) {
    if (dim < 0 || dim > kMaxConstantSize || (size *= dim) > kMaxConstantSize) return std::nullopt;
  }
  return size;
}

PirTranslator::Handler PirTranslator::handler_of(std::string_view name) {
  static const std::map<std::string_view, Handler> handlers{
      {kPirParameter, &PirTranslator::parameter},
      {"builtin.combine", &PirTranslator::combine},
      {"builtin.shadow_output", &PirTranslator::fetch},
      {"builtin.slice", &PirTranslator::element_of_list},
      {"builtin.split", &PirTranslator::split_list},
      {"pd_op.array_pop", &PirTranslator::array_pop},
      {"pd_op.assign_array", &PirTranslator::assign_array},
      {"pd_op.assign_value", &PirTranslator::assign_value},
      {"pd_op.assign_value_", &PirTranslator::assign_value},
      {"pd_op.create_array", &PirTranslator::create_array},
      {"pd_op.data", &PirTranslator::input},
      {"pd_op.feed", &PirTranslator::input},
      {"pd_op.fetch", &PirTranslator::fetch},
      {"pd_op.full", &PirTranslator::full},
      {"pd_op.full_int_array", &PirTranslator::full_int_array},
      {"pd_op.if", &PirTranslator::if_else},
      {"pd_op.select_input", &PirTranslator::select_input},
      {"pd_op.stack", &PirTranslator::stack},
      {"pd_op.while", &PirTranslator::while_loop},
  };
  const auto found = handlers.find(name);
  return found == handlers.end() ? nullptr : found->second;
}

Program PirTranslator::run(const PirBlock& main) {
  program_.format = ProgramFormat::pir_json;
  program_.blocks.emplace_back();
  open_ = {true};
  look_ahead(main);
  translate(main);
  sort_ports();
  drop_unread_constants();
  validate_blocks(program_);
  return std::move(program_);
}

void PirTranslator::look_ahead(const PirBlock& block) {
  for (const PirOp& op : block.ops) {
    if (op.name == kPirParameter) names_.insert(pir_text_attr(op, kPirParameterName));
    if (is_input(op)) names_.insert(pir_text_attr(op, "name"));
    if (const PirOperator* known = known_operator(op)) {
      for (const PirResult& result : known->results) {
        const auto at = static_cast<size_t>(result.overwrites);
        if (result.overwrites >= 0 && at < op.operands.size()) overwritten_.insert(op.operands[at]);
      }
    }
    for (const PirBlock& region : op.regions) look_ahead(region);
  }
}

void PirTranslator::translate(const PirBlock& block) {
  for (const PirOp& op : block.ops) translate(op);
}

void PirTranslator::translate(const PirOp& op) {
  const PirOp* const outer = std::exchange(op_, &op);
  if (const Handler handler = handler_of(op.name)) {
    for (const std::string& name : op.unread)
      if (!is_annotation(name)) throw bad(op, "attribute '" + name + "' has a value of an unknown kind");
    (this->*handler)(op);
  } else if (const PirOperator* known = known_operator(op)) emit(by_table(op, *known));
  else unknown(op);
  op_ = outer;
}

// --- by the table

const PirOperator* PirTranslator::known_operator(const PirOp& op) {
  return op.name.starts_with(kDialect) ? find_pir_operator(std::string_view(op.name).substr(kDialect.size())) : nullptr;
}

PirTranslator::Translated PirTranslator::by_table(const PirOp& op, const PirOperator& known) {
  Translated made{make(std::string(known.fluid)), {}};
  if (op.operands.size() > known.operands.size() || op.results.size() > known.results.size()) {
    made.op.refuse("'" + op.name + "' has more operands or results than in Paddle 3.3");
  }
  for (size_t i = 0; i < std::min(op.operands.size(), known.operands.size()); ++i) {
    if (op.operands[i] != 0) add_operand(op, known.operands[i], value(op, i), &made.op);
  }
  for (const Attribute& attr : op.attrs) add_attr(op, known, attr, &made.op);
  for (const std::string& name : op.unread) {
    const auto found = find_attr(known, name);
    if (found == known.attrs.end() || !found->ignored) refuse_unread(op, name, &made.op);
  }
  for (const PirFixedAttr& fixed : known.fixed) {
    std::visit([&](auto value) { made.op.attrs.push_back({std::string(fixed.attr), value}); }, fixed.value);
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (i < known.results.size()) add_result(op, i, known.results[i], &made);
    else declare(op, i);
  }
  return made;
}

void PirTranslator::add_operand(const PirOp& op, const PirOperand& known, const PirBinding& value, Op* out) {
  if (!known.cast.empty()) {
    if (value.type.is_list) throw bad(op, "operand '" + std::string(known.name) + "' is a list, expected one value");
    out->inputs.push_back({std::string(known.slot), {cast_operand(op, known, value)}});
    return;
  }
  if (known.attr.empty()) {
    if (!known.slot.empty()) out->inputs.push_back({std::string(known.slot), variables_of(value)});
    else if (!known.ignored)
      out->refuse("operand '" + std::string(known.name) + "' of '" + op.name + "' cannot be converted");
    return;
  }
  if (auto constant = constant_of(value)) {
    out->attrs.push_back({std::string(known.attr), known.is_text ? as_text(*constant) : std::move(*constant)});
  } else {
    add_run_time_value(known, value, out);
  }
}

void PirTranslator::add_run_time_value(const PirOperand& known, const PirBinding& value, Op* out) {
  if (value.type.is_list && holds_one_tensor(value)) return add_run_time_value(known, value.elements.front(), out);
  if (!value.elements.empty() && !known.list_slot.empty()) {
    out->inputs.push_back({std::string(known.list_slot), variables_of_elements(value)});
  } else if (!known.list_slot.empty() && known.slot.empty() && pir_small_size(value.type.dims) == 1) {
    out->inputs.push_back({std::string(known.list_slot), {value.variable}});
  } else if (!value.type.is_list && !known.slot.empty()) {
    out->inputs.push_back({std::string(known.slot), variables_of(value)});
  } else if (known.names_variable) {
    out->attrs.push_back({std::string(known.attr), VariableRefs{variables_of(value), value.type.is_list}});
  } else {
    out->refuse("'" + std::string(known.name) + "' is computed at run time in a form that cannot be converted");
  }
}

std::string PirTranslator::cast_operand(const PirOp& op, const PirOperand& known, const PirBinding& value) {
  const Attribute* attr = op.attr(known.cast);
  const Dtype dtype = attr ? attr->as_dtype().value_or(Dtype::undefined) : Dtype::undefined;
  if (dtype == Dtype::undefined || dtype == value.type.dtype) return value.variable;
  PirType type = value.type;
  type.dtype = dtype;
  const std::string name = declare(value.variable + "." + std::string(dtype_name(dtype)), type, block_);
  emit(cast(value.variable, dtype, name));
  return name;
}

void PirTranslator::add_attr(const PirOp& op, const PirOperator& known, const Attribute& attr, Op* out) {
  const auto found = find_attr(known, attr.name);
  if (found == known.attrs.end()) {
    if (!is_annotation(attr.name)) {
      out->refuse("attribute '" + attr.name + "' of '" + op.name + "' is unknown");
    }
  } else if (!found->attr.empty()) {
    out->attrs.push_back({std::string(found->attr), in_fluid(attr.value)});
  } else if (!found->ignored) {
    out->refuse("attribute '" + attr.name + "' of '" + op.name + "' cannot be converted");
  }
}

void PirTranslator::add_result(const PirOp& op, size_t at, const PirResult& known, Translated* made) {
  if (op.results[at].id == 0) return;
  const auto target = static_cast<size_t>(known.overwrites);
  const bool in_place = known.overwrites >= 0 && target < op.operands.size() && op.operands[target] != 0;
  PirBinding binding;
  if (in_place) {
    binding = value(op, target);
    if (binding.type.is_list != op.results[at].type.is_list) {
      throw bad(op, "result " + std::to_string(at) + " overwrites an operand, but only one of them is a list");
    }
    // The elements of a list are variables, those of a tensor the numbers that it held.
    if (!binding.type.is_list) binding.elements.clear();
    for (PirBinding& element : binding.elements) element.constant.reset();
    binding.type = op.results[at].type;
    binding.constant.reset();
    binding.block = block_;
    binding.overwritten = true;
    bind(op, op.results[at].id, binding);
  } else {
    binding = declare(op, at);
  }
  std::vector<std::string> names = variables_of(binding);
  if (!known.cast.empty()) {
    if (binding.type.is_list) throw bad(op, "result " + std::to_string(at) + " is a list, expected one value");
    const std::string uncast = declare(names.front() + ".uncast", {}, block_);
    made->casts.push_back(cast(uncast, dtype_from_name(known.cast).value_or(Dtype::undefined), names.front()));
    names = {uncast};
  }
  // A result that Fluid does not have matters only if it is read.
  made->op.outputs.push_back({std::string(known.slot.empty() ? known.name : known.slot), std::move(names)});
}

void PirTranslator::custom(const PirOp& op) {
  Op out = make(op.name.substr(kCustomDialect.size()));
  for (size_t i = 0; i < op.operands.size(); ++i) {
    out.inputs.push_back({numbered_input(i), {}});
    if (op.operands[i] != 0) out.inputs.back().args = variables_of(value(op, i));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    out.outputs.push_back({numbered_output(i), {}});
    if (op.results[i].id != 0) out.outputs.back().args = variables_of(declare(op, i));
  }
  for (const Attribute& attr : op.attrs) {
    if (!is_annotation(attr.name)) out.attrs.push_back({attr.name, in_fluid(attr.value)});
  }
  for (const std::string& name : op.unread) refuse_unread(op, name, &out);
  emit(std::move(out));
}

void PirTranslator::unknown(const PirOp& op) {
  if (op.name.starts_with(kCustomDialect)) return custom(op);
  Slot operands{"X", {}}, results{"Out", {}};
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i] == 0) continue;
    for (const std::string& name : variables_of(value(op, i))) operands.args.push_back(name);
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (op.results[i].id == 0) continue;
    for (const std::string& name : variables_of(declare(op, i))) results.args.push_back(name);
  }
  emit(make(op.name, {std::move(operands)}, {std::move(results)}));
}

// --- values and variables

const PirBinding& PirTranslator::value(const PirOp& op, size_t operand) const {
  if (operand >= op.operands.size()) throw bad(op, "operand " + std::to_string(operand) + " is missing");
  const int64_t id = op.operands[operand];
  const auto found = values_.find(id);
  if (found == values_.end() || !open_[static_cast<size_t>(found->second.block)]) {
    throw bad(
        op, "operand " + std::to_string(operand) + " is value " + std::to_string(id) + ", which is not defined before");
  }
  return found->second;
}

const PirBinding& PirTranslator::single(const PirOp& op, size_t operand) const {
  const PirBinding& found = value(op, operand);
  if (found.type.is_list) throw bad(op, "operand " + std::to_string(operand) + " is a list, expected one value");
  return found;
}

PirBinding PirTranslator::declare(const PirOp& op, size_t result) {
  const PirValue& value = op.results[result];
  std::string base = op.name.substr(op.name.find('.') + 1);
  if (base.ends_with('_')) base.pop_back();
  base += "_" + std::to_string(value.id);
  PirBinding binding;
  binding.type = value.type;
  binding.block = block_;
  if (value.type.is_list) {
    for (size_t i = 0; i < value.type.elements.size(); ++i) {
      const PirType& type = value.type.elements[i];
      if (type.is_list) throw bad(op, "a result is a list of lists");
      binding.elements.push_back({declare(base + "." + std::to_string(i), type, block_), type, {}, {}, block_});
    }
  } else {
    binding.variable = declare(base, value.type, block_);
  }
  if (value.id != 0) bind(op, value.id, binding);
  return binding;
}

std::string PirTranslator::declare(const std::string& wanted, const PirType& type, int32_t block) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  add_variable(name, type, block);
  return name;
}

Variable& PirTranslator::add_variable(const std::string& name, const PirType& type, int32_t block) {
  Variable& variable = program_.blocks[static_cast<size_t>(block)].variables[name];
  variable.kind = type.kind;
  variable.dtype = type.dtype;
  variable.dims = type.dims;
  return variable;
}

void PirTranslator::bind(const PirOp& op, int64_t id, PirBinding binding) {
  if (id == 0) return;
  binding.overwritten = binding.overwritten || overwritten_.count(id) != 0;
  if (!values_.emplace(id, std::move(binding)).second) {
    throw bad(op, "value " + std::to_string(id) + " is defined twice");
  }
}

Op PirTranslator::make(std::string type, std::vector<Slot> inputs, std::vector<Slot> outputs,
                       std::vector<Attribute> attrs) const {
  Op op = make_op(std::move(type), std::move(inputs), std::move(outputs), std::move(attrs));
  op.source = op_->source;
  op.block = block_;
  op.index = op_->index;
  return op;
}

Op PirTranslator::cast(const std::string& from, Dtype dtype, const std::string& to) const {
  return make("cast", {{"X", {from}}}, {{"Out", {to}}}, {{"out_dtype", int64_t{dtype_to_paddle(dtype)}}});
}

void PirTranslator::emit(Translated made) {
  emit(std::move(made.op));
  for (Op& op : made.casts) emit(std::move(op));
}

void PirTranslator::emit_assign(const std::string& from, const std::string& to) {
  if (from != to) emit(make("assign", {{"X", {from}}}, {{"Out", {to}}}));
}

Error PirTranslator::bad(const PirOp& op, const std::string& message) const {
  Op place;
  place.type = op.name;
  place.source = op.source;
  place.block = block_;
  place.index = op.index;
  return Error(E_BAD_PROGRAM, message).at(program_.model_path + ": " + place.place()).hint(kExportAgain);
}

Program translate_pir(const PirBlock& main, const std::string& model_path) {
  return PirTranslator(model_path).run(main);
}

}  // namespace fluid2onnx
