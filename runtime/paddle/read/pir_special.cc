// Operators of Paddle 3's IR that have no counterpart, or say more than their counterpart: ports, lists and constants.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/paddle/read/paddle_3_operators.h"
#include "runtime/paddle/read/pir_translator.h"

namespace fluid2onnx {
namespace {

constexpr int64_t kLargestExact = int64_t{1} << 53;  // as a float64

std::optional<AttributeValue> filled(double number, Dtype dtype, int64_t size) {
  if (dtype == Dtype::bool_) return std::vector<bool>(static_cast<size_t>(size), number != 0);
  if (is_integer(dtype)) {
    const auto whole = Attribute{"", std::trunc(number)}.as_int();
    if (!whole) return std::nullopt;
    return std::vector<int64_t>(static_cast<size_t>(size), *whole);
  }
  return std::vector<double>(static_cast<size_t>(size), number);
}

}  // namespace

void PirTranslator::parameter(const PirOp& op) {
  const std::string name = pir_text_attr(op, kPirParameterName);
  if (program_.blocks.front().find(name)) throw bad(op, "two values have the name '" + name + "'");
  const PirValue& result = op.results.front();
  Variable& variable = add_variable(name, result.type, 0);
  variable.persistable = op.attr(kPirPersistable)->as_bool().value_or(true);
  bind(op, result.id, {name, result.type, {}, {}, 0});
}

void PirTranslator::input(const PirOp& op) {
  const std::string name = pir_text_attr(op, "name");
  if (name.empty()) throw bad(op, "an input without a name");
  if (op.results.size() != 1) throw bad(op, "expected one result");
  if (block_ != 0) throw bad(op, "expected in the main block only");
  if (program_.blocks.front().find(name)) throw bad(op, "two values have the name '" + name + "'");
  const PirValue& result = op.results.front();
  add_variable(name, result.type, 0);
  bind(op, result.id, {name, result.type, {}, {}, 0});
  program_.inputs.push_back({name});
  // Of programs that Paddle translated from the older format, which has them in any order.
  const Attribute* column = op.attr("col");
  input_columns_.push_back(column ? column->as_int().value_or(0) : 0);
}

void PirTranslator::fetch(const PirOp& op) {
  if (block_ != 0) throw bad(op, "expected in the main block only");
  const PirBinding& fetched = single(op, 0);
  std::string wanted = pir_text_attr(op, "name");
  if (wanted.empty()) wanted = pir_text_attr(op, "output_name");
  if (wanted.empty()) wanted = fetched.variable;
  const std::string name = declare(wanted, fetched.type, block_);
  emit_assign(fetched.variable, name);
  program_.outputs.push_back({name, name});
  const Attribute* column = op.attr("col");
  output_columns_.push_back(column ? column->as_int().value_or(0) : 0);
  for (const PirValue& result : op.results) bind(op, result.id, {name, fetched.type, {}, {}, 0});
}

void PirTranslator::combine(const PirOp& op) {
  if (op.results.size() != 1) throw bad(op, "expected one result");
  PirBinding list;
  list.type.is_list = true;
  list.block = block_;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    list.elements.push_back(op.operands[i] == 0 ? PirBinding() : single(op, i));
  }
  bind(op, op.results.front().id, std::move(list));
}

void PirTranslator::split_list(const PirOp& op) {
  const PirBinding& list = value(op, 0);
  if (!list.type.is_list || list.elements.size() < op.results.size()) {
    throw bad(op, "expected a list of " + std::to_string(op.results.size()) + " values");
  }
  for (size_t i = 0; i < op.results.size(); ++i) bind_element(op, list, i, op.results[i].id);
}

void PirTranslator::element_of_list(const PirOp& op) {
  const PirBinding& list = value(op, 0);
  const Attribute* attr = op.attr("index");
  const int64_t at = attr ? attr->as_int().value_or(-1) : -1;
  if (!list.type.is_list || at < 0 || at >= static_cast<int64_t>(list.elements.size()) || op.results.size() != 1) {
    throw bad(op, "expected an element of a list");
  }
  bind_element(op, list, static_cast<size_t>(at), op.results.front().id);
}

void PirTranslator::bind_element(const PirOp& op, const PirBinding& list, size_t at, int64_t id) {
  const PirBinding& element = list.elements[at];
  if (id != 0 && !element.type.is_list && element.variable.empty()) {
    throw bad(op, "element " + std::to_string(at) + " of the list is missing");
  }
  bind(op, id, PirBinding(element));
}

/// Paddle declares the element and the array as 0-D, because its shape function does not set their dims.
void PirTranslator::array_pop(const PirOp& op) {
  PirOp with_dims = op;
  for (PirValue& result : with_dims.results) result.type.dims = single(op, 0).type.dims;
  emit(by_table(with_dims, *known_operator(op)));
}

void PirTranslator::assign_array(const PirOp& op) {
  if (op.results.size() != 1) throw bad(op, "expected one result");
  const std::string from = single(op, 0).variable;
  emit_assign(from, declare(op, 0).variable);
}

void PirTranslator::create_array(const PirOp& op) {
  // Fluid's arrays are there as soon as they are declared.
  if (op.results.size() != 1) throw bad(op, "expected one result");
  declare(op, 0);
}

/// Sizes computed at run time are stacked to one tensor, where Fluid takes them one by one as well. Then
/// it is known which of them are constants.
void PirTranslator::stack(const PirOp& op) {
  emit(by_table(op, *known_operator(op)));
  const PirBinding& list = value(op, 0);
  const Attribute* axis = op.attr("axis");
  if (!list.type.is_list || list.elements.empty() || !axis || axis->as_int() != 0 || op.results.size() != 1) return;
  const int64_t id = op.results.front().id;
  if (id == 0 || overwritten_.count(id)) return;
  for (const PirBinding& element : list.elements) {
    if (element.type.dims != Shape{} || element.overwritten) return;
  }
  values_.at(id).elements = list.elements;
}

void PirTranslator::full(const PirOp& op) {
  const Attribute* number = op.attr("value");
  const auto whole = number ? number->as_int() : std::nullopt;
  const bool exact = !whole || (*whole <= kLargestExact && *whole >= -kLargestExact);
  const auto count = op.results.size() == 1 ? pir_small_size(op.results.front().type.dims) : std::nullopt;
  if (!exact && count && *count > 0) return full_of_large(op, *whole, *count);
  emit(by_table(op, *known_operator(op)));
  const Attribute* dtype = op.attr("dtype");
  if (op.results.size() != 1 || !number || !dtype) throw bad(op, "expected a number, a dtype and one result");
  const auto size = pir_small_size(op.results.front().type.dims);
  const auto value = number->as_float();
  if (!size || !value) return;
  make_constant(op, filled(*value, dtype->as_dtype().value_or(Dtype::undefined), *size));
}

/// fill_constant computes with float64.
void PirTranslator::full_of_large(const PirOp& op, int64_t number, int64_t count) {
  const std::vector<int64_t> numbers(static_cast<size_t>(count), number);
  emit_values(op, *op.results.front().type.dims, {"value", numbers});
}

void PirTranslator::full_int_array(const PirOp& op) {
  const Attribute* numbers = op.attr("value");
  const auto values = numbers ? numbers->as_ints() : std::nullopt;
  if (op.results.size() != 1 || !values) throw bad(op, "expected integers and one result");
  check_results(op);
  emit_values(op, {static_cast<int64_t>(values->size())}, {"value", *values});
}

void PirTranslator::emit_values(const PirOp& op, const Shape& shape, const Attribute& integers) {
  const Attribute* wanted = op.attr("dtype");
  const Dtype dtype = wanted ? wanted->as_dtype().value_or(Dtype::int64) : Dtype::int64;
  const auto typed = values_of_dtype(integers, dtype);
  if (!typed) throw bad(op, "expected numbers of its dtype");
  emit(make("assign_value", {}, {{"Out", {declare(op, 0).variable}}},
            {{"shape", shape}, {"dtype", int64_t{dtype_to_paddle(dtype)}}, *typed}));
  make_constant(op, integers.value);
}

void PirTranslator::assign_value(const PirOp& op) {
  Translated made = by_table(op, *known_operator(op));
  const Attribute* numbers = op.attr("values");
  const Attribute* wanted = op.attr("dtype");
  if (op.results.size() != 1 || !numbers || !wanted) throw bad(op, "expected values, a dtype and one result");
  const Dtype dtype = wanted->as_dtype().value_or(Dtype::undefined);
  auto values = values_of_dtype(*numbers, dtype);
  if (!values) throw bad(op, "attribute 'values' is " + std::string(numbers->kind_name()) + ", expected numbers");
  made.op.attrs.push_back(*values);
  emit(std::move(made));
  // No attribute holds complex numbers.
  const bool complex = dtype == Dtype::complex64 || dtype == Dtype::complex128;
  if (!complex && pir_small_size(op.results.front().type.dims)) make_constant(op, std::move(values->value));
}

void PirTranslator::make_constant(const PirOp& op, std::optional<AttributeValue> value) {
  const int64_t id = op.results.front().id;
  if (id == 0 || overwritten_.count(id)) return;
  PirBinding& binding = values_.at(id);
  constants_.insert(binding.variable);
  // Attributes have no axes.
  if (op.results.front().type.dims && op.results.front().type.dims->size() <= 1) binding.constant = std::move(value);
}

void PirTranslator::drop_unread_constants() {
  std::unordered_set<std::string> read;
  for (const Output& output : program_.outputs) read.insert(output.value);
  for (const Block& block : program_.blocks) {
    for (const Op& op : block.ops) {
      for (const Slot& slot : op.inputs) read.insert(slot.args.begin(), slot.args.end());
      for (const Attribute& attr : op.attrs) {
        if (const VariableRefs* refs = attr.as_variables()) read.insert(refs->names.begin(), refs->names.end());
      }
    }
  }
  for (Block& block : program_.blocks) {
    std::erase_if(block.ops, [&](const Op& op) {
      const std::string& name = op.outputs.size() == 1 ? op.output(op.outputs.front().name, 0) : std::string();
      return constants_.count(name) != 0 && read.count(name) == 0;
    });
  }
}

void PirTranslator::sort_ports() {
  const auto sort = [](auto* ports, const std::vector<int64_t>& columns) {
    std::vector<size_t> order(ports->size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return columns[a] < columns[b]; });
    auto sorted = std::move(*ports);
    ports->clear();
    for (const size_t at : order) ports->push_back(std::move(sorted[at]));
  };
  sort(&program_.inputs, input_columns_);
  sort(&program_.outputs, output_columns_);
}

}  // namespace fluid2onnx
