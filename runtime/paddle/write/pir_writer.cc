#include "runtime/paddle/write/pir_writer.h"

#include <algorithm>
#include <utility>

#include "runtime/paddle/program/uses.h"
#include "runtime/paddle/write/pir_plan.h"
#include "runtime/paddle/write/pir_text.h"
#include "runtime/support/error.h"
#include "runtime/support/number_text.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

constexpr char kHead[] =
    R"({"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[{"#":"region_0","blocks":[)"
    R"({"#":"block_0","args":[],"ops":[)";
constexpr char kTail[] = "]}]}]}}";
constexpr char kPlain[] = "write X.pdmodel instead, which Paddle 3 loads too";

/// Fluid aligns the second operand by an attribute; PIR broadcasts like NumPy.
bool is_elementwise(const Op& op) {
  const auto& all = pir_candidates(op.type);
  return !all.empty() && op.input("X").size() == 1 && op.input("Y").size() == 1 &&
         std::none_of(all.front()->attrs.begin(), all.front()->attrs.end(),
                      [](const PirAttr& attr) { return attr.attr == "axis"; });
}

}  // namespace

PirWriter::PirWriter(const Program& program) : program_(program) {
  for (const Output& output : program.outputs) read_.insert(output.value);
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      for_each_read(program, op, [&](const std::string& name) { read_.insert(name); });
    }
  }
}

PirWriter::Handler PirWriter::handler_of(std::string_view type) {
  static const std::map<std::string_view, Handler> handlers{
      {"assign", &PirWriter::assign},
      {"assign_value", &PirWriter::assign_value},
      {"conditional_block", &PirWriter::conditional_block},
      {"deformable_conv_v1", &PirWriter::deformable_conv_v1},
      {"fill_constant", &PirWriter::fill_constant},
      {"gather", &PirWriter::gather},
      {"range", &PirWriter::range},
      {"select_input", &PirWriter::select_input},
      {"while", &PirWriter::while_loop},
      {"write_to_array", &PirWriter::write_to_array},
  };
  const auto found = handlers.find(type);
  return found == handlers.end() ? nullptr : found->second;
}

std::string PirWriter::run() {
  std::string text = kHead;
  out_ = &text;
  open_.push_back({&program_.main(), 0, {}});
  write_inputs();
  create_arrays(program_.main());
  write_operators(program_.main());
  write_outputs();
  return problems.empty() ? text + kTail : std::string();
}

void PirWriter::write_operators(const Block& block) {
  for (size_t at = 0; at < block.ops.size(); ++at) {
    open_.back().at = at;
    write(block.ops[at]);
  }
}

void PirWriter::write(const Op& op) {
  try {
    if (const Handler handler = handler_of(op.type)) (this->*handler)(op);
    else by_table(op);
  } catch (const NotExpressible& why) {
    Problem problem{E_UNSUPPORTED, "Paddle 3's format cannot express this operator: " + std::string(why.what()),
                    kPlain};
    problem.block = op.block;
    problem.index = op.index;
    problem.op_type = op.type;
    for (const Slot& slot : op.outputs) {
      for (const std::string& name : slot.args) {
        if (problem.output.empty()) problem.output = name;
        bind(name, {++results_, declared(name)});  // so that readers of it are checked too
      }
    }
    problems.push_back(std::move(problem));
  }
}

// --- by the table

void PirWriter::by_table(const Op& op) {
  if (is_elementwise(op) && op.attr("axis") && op.get_int("axis") != -1) return by_table(aligned(op));
  const auto& all = pir_candidates(op.type);
  if (all.empty()) throw NotExpressible("it has no operator for '" + op.type + "'");
  std::string why;
  for (const PirOperator* known : all) {
    try {
      return carry_out(plan(op, *known));
    } catch (const NotExpressible& reason) {
      if (why.empty()) why = reason.what();
    }
  }
  throw NotExpressible(why);
}

int64_t PirWriter::number(const Attribute& attr) {
  const bool whole = std::holds_alternative<int64_t>(attr.value) || std::holds_alternative<bool>(attr.value);
  if (whole) {
    const int64_t number = *attr.as_int();
    const bool narrow = number == static_cast<int32_t>(number);
    return full(number, narrow ? Dtype::int32 : Dtype::int64, {1});
  }
  std::optional<double> real = attr.as_float();
  Dtype dtype = Dtype::float32;
  if (const auto text = attr.as_string()) {  // text holds the exact number
    const ParsedNumber number = parse_number(*text);
    if (number.error == std::errc()) real = number.value;
    dtype = Dtype::float64;
  }
  if (!real) throw NotExpressible("'" + attr.name + "' is " + attr.kind_name() + ", not a number");
  return full(*real, dtype, {1});
}

PirWriter::Ids PirWriter::operands_of(const Plan& plan) {
  using Item = Plan::Item;
  Ids operands;
  for (size_t i = 0; i < plan.operands.size(); ++i) {
    const Item& item = plan.operands[i];
    const Attribute attr{std::string(plan.known->operands[i].name), item.value};
    switch (item.kind) {
      case Item::absent: operands.push_back(0); break;
      case Item::state: operands.push_back(full(int64_t{0}, Dtype::uint8, {1})); break;
      case Item::single: operands.push_back(value(item.names.front()).id); break;
      case Item::scalar: operands.push_back(number(attr)); break;
      case Item::list: {
        // The reader follows the sections of a split only as a list.
        const bool are_sizes = plan.known->operands[i].type == "ints" && plan.known->name != std::string_view("split");
        operands.push_back(are_sizes ? sizes(item.names) : combine(item.names));
        break;
      }
      case Item::ints: {
        const auto ints = attr.as_ints();
        if (!ints) throw NotExpressible("'" + attr.name + "' is " + attr.kind_name() + ", not integers");
        operands.push_back(full_ints(*ints));
        break;
      }
    }
  }
  return operands;
}

void PirWriter::carry_out(const Plan& plan) {
  const Ids operands = operands_of(plan);
  std::vector<PirType> types;
  for (const Plan::Result& result : plan.results) {
    PirType type;
    type.is_list = result.list;
    if (result.list) {
      for (const std::string& name : result.names) type.elements.push_back(declared(name));
    } else {
      type = declared(result.names.front());
    }
    types.push_back(std::move(type));
  }
  const Ids ids = emit("1." + std::string(plan.known->name), operands, types, plan.attrs);
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const Plan::Result& result = plan.results[i];
    if (!result.list) {
      if (!result.names.front().empty()) bind(result.names.front(), {ids[i], types[i]});
      continue;
    }
    if (result.names.empty()) continue;
    const Ids elements = emit("0.split", {ids[i]}, types[i].elements, {});
    for (size_t k = 0; k < elements.size(); ++k) bind(result.names[k], {elements[k], types[i].elements[k]});
  }
}

Op PirWriter::aligned(const Op& op) {
  const std::string& y = op.input("Y", 0);
  const auto x_dims = declared(op.input("X", 0)).dims, y_dims = declared(y).dims;
  if (!x_dims || !y_dims) throw NotExpressible("its 'axis' needs operands of known rank");
  const auto x_rank = static_cast<int64_t>(x_dims->size()), y_rank = static_cast<int64_t>(y_dims->size());
  const int64_t behind = x_rank - *op.get_int("axis") - y_rank;
  Op result = op;
  std::erase_if(result.attrs.edit(), [](const Attribute& attr) { return attr.name == "axis"; });
  if (behind <= 0) return result;
  std::vector<int64_t> axes;
  PirType type = declared(y);
  for (int64_t i = 0; i < behind; ++i) {
    axes.push_back(y_rank + i);
    type.dims->push_back(1);
  }
  const std::string name = y + " along " + op.output("Out", 0);
  const Ids operands{value(y).id, full_ints(axes)};
  bind(name, {emit("1.unsqueeze", operands, {type}, {}).front(), type});
  for (Slot& slot : result.inputs) {
    if (slot.name == "Y") slot.args = {name};
  }
  return result;
}

// --- operators of the file

void PirWriter::append(const std::string& text) {
  if (!out_->ends_with('[')) *out_ += ',';
  *out_ += text;
}

int64_t PirWriter::first_equal(int64_t id) const {
  const auto found = first_equal_.find(id);
  return found == first_equal_.end() ? id : found->second;
}

PirWriter::Ids PirWriter::emit(std::string_view name, const Ids& operands, const std::vector<PirType>& results,
                               const std::vector<std::string>& attrs, bool persistable) {
  Ids ids;
  for (size_t i = 0; i < results.size(); ++i) ids.push_back(++results_);
  emit_with(name, operands, ids, results, attrs, "", persistable);
  return ids;
}

void PirWriter::emit_with(std::string_view name, const Ids& operands, const Ids& ids,
                          const std::vector<PirType>& results, const std::vector<std::string>& attrs,
                          const std::string& regions, bool persistable) {
  std::vector<std::string> inputs, outputs, stops, kept;
  if (program_.outputs.size() > 1 && regions.empty() && !ids.empty()) {
    std::string expression = std::string(name) + joined(attrs, ",");
    for (const int64_t id : operands) expression += " " + std::to_string(first_equal(id));
    const auto [found, is_new] = first_.try_emplace(std::move(expression), ids.front());
    for (size_t i = 0; !is_new && i < ids.size(); ++i) first_equal_[ids[i]] = found->second + static_cast<int64_t>(i);
  }
  for (const int64_t id : operands) inputs.push_back(R"({"%":)" + std::to_string(id) + "}");
  for (size_t i = 0; i < results.size(); ++i) {
    const PirType& type = results[i];
    outputs.push_back(R"({"%":)" + std::to_string(ids[i]) + R"(,"TT":)" + pir_type_text(type) + "}");
    const bool trains = !type.is_list && is_floating(type.dtype);
    stops.push_back(*pir_value_text("bool", !trains));
    kept.push_back(*pir_value_text("bool", true));
  }
  std::vector<std::string> flags;
  if (persistable) flags.push_back(pir_attr_text("persistable", pir_list_text(kept)));
  if (!results.empty()) flags.push_back(pir_attr_text("stop_gradient", pir_list_text(stops)));
  append(R"({"#":")" + std::string(name) + R"(","A":[)" + joined(attrs, ",") + R"(],"I":[)" + joined(inputs, ",") +
         R"(],"O":[)" + joined(outputs, ",") + R"(],"OA":[)" + joined(flags, ",") + "]" +
         (regions.empty() ? "" : R"(,"regions":[)" + regions + "]") + "}");
}

int64_t PirWriter::combine(const std::vector<std::string>& names) {
  Ids ids;
  PirType list;
  list.is_list = true;
  for (const std::string& name : names) {
    const Bound bound = value(name);
    ids.push_back(bound.id);
    list.elements.push_back(bound.type);
  }
  return emit("0.combine", ids, {list}, {}).front();
}

/// One tensor where possible. Paddle merges equal lists, and then overwrites or frees their elements after the last
/// other use, although an operator still reads the list.
int64_t PirWriter::sizes(const std::vector<std::string>& names) {
  const bool flat = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const PirType type = value(name).type;
    return type.dims && type.dims->size() == 1 && type.dtype == value(names.front()).type.dtype;
  });
  if (flat && names.size() == 1) return value(names.front()).id;
  const int64_t list = combine(names);
  if (!flat) return list;
  PirType type = value(names.front()).type;
  type.dims = Shape{static_cast<int64_t>(names.size())};
  const int64_t axis = full(int64_t{0}, Dtype::int32, {1});
  return emit("1.concat", {list, axis}, {type}, {}).front();
}

// --- values

PirWriter::Bound PirWriter::value(const std::string& name) const {
  for (auto block = open_.rbegin(); block != open_.rend(); ++block) {
    const auto found = block->values.find(name);
    if (found != block->values.end()) return found->second;
  }
  throw NotExpressible("'" + name + "' is read before it has a value");
}

bool PirWriter::is_bound(const std::string& name) const {
  return std::any_of(open_.begin(), open_.end(), [&](const Open& block) { return block.values.count(name) != 0; });
}

PirType PirWriter::declared(const std::string& name) const {
  PirType type;
  const Variable* variable = name.empty() ? nullptr : program_.find_variable(open_.back().block->index, name);
  if (!variable) return type;
  type.kind = variable->kind;
  type.dtype = variable->dtype;
  type.dims = variable->dims;
  return type;
}

std::string pir_json_of(const Program& program, std::vector<Problem>* problems) {
  PirWriter writer(program);
  std::string text = writer.run();
  *problems = std::move(writer.problems);
  return text;
}

}  // namespace fluid2onnx
