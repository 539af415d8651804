// Operators that the table cannot describe: ports, parameters, constants, arrays, if and while.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "runtime/paddle/program/make_op.h"
#include "runtime/paddle/write/pir_text.h"
#include "runtime/paddle/write/pir_writer.h"
#include "runtime/paddle/write/write_program.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

std::string attr_text(const char* name, std::string_view kind, const AttributeValue& value) {
  const auto text = pir_value_text(kind, value);
  if (!text) throw NotExpressible("its attribute must be " + std::string(kind));
  return pir_attr_text(name, *text);
}

PirType tensor_of(Dtype dtype, Shape dims) {
  PirType type;
  type.dtype = dtype;
  type.dims = std::move(dims);
  return type;
}

const std::string& first_of(const Op& op, std::string_view slot) {
  const auto& names = op.output(slot);
  if (names.size() != 1) throw NotExpressible("it has " + std::to_string(names.size()) + " results");
  return names.front();
}

/// [1, 0, ""]: what only becomes an attribute of a kernel is made by the CPU.
constexpr char kCpu[] = R"({"#":"1.a_place","D":[1,0,""]})";

/// The value of fill_constant; its text form, if present, is exact.
AttributeValue filler(const Op& op, Dtype dtype) {
  const std::string text = op.get_string("str_value").value_or("");
  if (text.empty()) return op.get_float("value").value_or(0);
  const bool whole = is_integer(dtype) || dtype == Dtype::bool_;
  char* end = nullptr;
  if (whole) {
    const int64_t number = std::strtoll(text.c_str(), &end, 10);
    if (*end == '\0') return number;
  }
  return std::strtod(text.c_str(), &end);
}

}  // namespace

void PirWriter::write_inputs() {
  for (const std::string& name : parameter_names(program_)) {
    const PirType type = declared(name);
    const bool trains = is_floating(type.dtype);
    append(R"({"#":"p","A":[0,1,1,)" + pir_quoted(name) + R"(],"DA":[],"O":{"%":)" + std::to_string(++results_) +
           R"(,"TT":)" + pir_type_text(type) + R"(},"OA":)" + (trains ? "[1,0,1]" : "[1,1,0]") + R"(,"QA":[]})");
    bind(name, {results_, type});
  }
  for (const Input& input : program_.inputs) {
    const PirType type = declared(input.name);
    const std::vector<std::string> attrs{attr_text("name", "str", input.name),
                                         attr_text("shape", "intarray", type.dims.value_or(Shape{-1})),
                                         attr_text("dtype", "dtype", type.dtype), attr_text("place", "place", false)};
    define(input.name, "1.data", {}, type, attrs);
  }
}

/// Paddle merges equal expressions, and then loses the name of one output: copies keep the outputs apart.
void PirWriter::write_outputs() {
  std::set<int64_t> fetched;
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const Output& output = program_.outputs[i];
    if (!is_bound(output.value)) {
      throw Error(E_INTERNAL, "'" + output.value + "' has no value in the program");
    }
    Bound from = value(output.value);
    while (!fetched.insert(first_equal(from.id)).second) from.id = emit("1.assign", {from.id}, {from.type}, {}).front();
    emit("1.fetch", {from.id}, {from.type},
         {attr_text("name", "str", output.name), attr_text("col", "i32", static_cast<int64_t>(i))}, true);
  }
}

// --- constants

int64_t PirWriter::full(const AttributeValue& value, Dtype dtype, const Shape& shape) {
  return emit("1.full", {}, {tensor_of(dtype, shape)},
              {attr_text("shape", "intarray", shape), attr_text("value", "scalar", value),
               attr_text("dtype", "dtype", dtype), pir_attr_text("place", kCpu)})
      .front();
}

int64_t PirWriter::full_ints(const std::vector<int64_t>& values) {
  return emit("1.full_int_array", {}, {tensor_of(Dtype::int64, {static_cast<int64_t>(values.size())})},
              {attr_text("value", "i64[]", values), attr_text("dtype", "dtype", Dtype::int64),
               pir_attr_text("place", kCpu)})
      .front();
}

void PirWriter::fill_constant(const Op& op) {
  const std::string& name = first_of(op, "Out");
  const Dtype dtype = op.get_dtype("dtype").value_or(Dtype::float32);
  PirType type = declared(name);
  type.dtype = dtype;
  const auto value_attr = [&] { return attr_text("value", "scalar", filler(op, dtype)); };
  const std::vector<std::string> dtype_and_place{attr_text("dtype", "dtype", dtype),
                                                 attr_text("place", "place", false)};
  const bool known = op.input("ShapeTensor").empty() && op.input("ShapeTensorList").empty();
  if (known && op.input("ValueTensor").empty()) {
    const Shape shape = op.get_ints("shape").value_or(Shape());
    std::vector<std::string> attrs{attr_text("shape", "intarray", shape), value_attr()};
    attrs.insert(attrs.end(), dtype_and_place.begin(), dtype_and_place.end());
    return define(name, "1.full", {}, type, attrs);
  }
  const int64_t shape = known                                 ? full_ints(op.get_ints("shape").value_or(Shape()))
                        : op.input("ShapeTensorList").empty() ? value(op.input("ShapeTensor", 0)).id
                                                              : sizes(op.input("ShapeTensorList"));
  const int64_t filling =
      op.input("ValueTensor").empty() ? full(filler(op, dtype), dtype, {1}) : value(op.input("ValueTensor", 0)).id;
  define(name, "1.full_with_tensor", {filling, shape}, type, {dtype_and_place.front()});
}

void PirWriter::assign_value(const Op& op) {
  const std::string& name = first_of(op, "Out");
  const PirType type = declared(name);
  for (const Attribute& attr : op.attrs) {
    const auto numbers = attr.as_scalars();
    if (!attr.name.ends_with("values") || !numbers || numbers->empty()) continue;
    return define(name, "1.assign_value", {}, type,
                  {attr_text("shape", "i32[]", op.get_ints("shape").value_or(Shape())),
                   attr_text("dtype", "dtype", op.get_dtype("dtype").value_or(type.dtype)),
                   attr_text("values", "scalar[]", attr.value), attr_text("place", "place", false)});
  }
  throw NotExpressible("its 'values' are missing");
}

/// The dtype attribute is that of the operands.
void PirWriter::range(const Op& op) {
  const std::string& name = first_of(op, "Out");
  const PirType type = declared(name);
  Ids operands;
  for (const char* slot : {"Start", "End", "Step"}) operands.push_back(value(op.input(slot, 0)).id);
  define(name, "1.arange", operands, type,
         {attr_text("dtype", "dtype", type.dtype), attr_text("place", "place", false)});
}

/// The one without a mask, which in PIR is an operand that may be absent.
void PirWriter::deformable_conv_v1(const Op& op) {
  Op newer = op;
  newer.type = "deformable_conv";
  by_table(newer);
}

/// Paddle 3 takes the axis of `gather` for 0 where nothing is gathered from, since it is an operand; that of
/// `index_select` is an attribute. Both have a row for each index of one axis.
void PirWriter::gather(const Op& op) {
  const auto axis = op.attr("axis") && !op.attr("axis")->as_variables() ? op.get_int("axis") : std::nullopt;
  const PirType x = declared(op.input("X", 0)), index = declared(op.input("Index", 0));
  const bool kernel =
      x.dtype == Dtype::float32 || x.dtype == Dtype::float64 || x.dtype == Dtype::int32 || x.dtype == Dtype::int64;
  if (!axis || *axis == 0 || !op.input("Axis").empty() || !kernel || !index.dims || index.dims->size() != 1)
    return by_table(op);
  by_table(make_op_at(op, "index_select", {{"X", op.input("X")}, {"Index", op.input("Index")}}, op.outputs,
                      {{"dim", *axis}}));
}

// --- arrays: writes are in place

void PirWriter::write_to_array(const Op& op) {
  const Bound array = value(first_of(op, "Out")), x = value(op.input("X", 0)), at = value(op.input("I", 0));
  emit("1.array_write_", {array.id, x.id, at.id}, {array.type}, {});
}

void PirWriter::assign(const Op& op) {
  const Bound x = value(op.input("X", 0));
  if (x.type.kind != VariableKind::tensor_array) return by_table(op);
  define(first_of(op, "Out"), "1.assign_array", {x.id}, x.type, {});
}

void PirWriter::create_arrays(const Block& block) {
  std::map<std::string, Dtype> arrays;
  for (const auto& [name, variable] : block.variables) {
    if (variable.kind == VariableKind::tensor_array && is_read(name)) arrays.emplace(name, variable.dtype);
  }
  if (arrays.empty()) return;
  // Its elements say what it holds.
  for (const Block& any : program_.blocks) {
    for (const Op& op : any.ops) {
      if (op.type != "write_to_array" || !arrays.count(op.output("Out", 0))) continue;
      const Variable* element = program_.find_variable(any.index, op.input("X", 0));
      if (element) arrays[op.output("Out", 0)] = element->dtype;
    }
  }
  for (const auto& [name, dtype] : arrays) {
    PirType type = tensor_of(dtype, {-1});
    type.kind = VariableKind::tensor_array;
    define(name, "1.create_array", {}, type, {attr_text("dtype", "dtype", dtype)});
  }
}

// --- control flow

std::string PirWriter::region(const Block& block, const std::vector<std::pair<std::string, Bound>>& args,
                              const std::function<Ids()>& yields) {
  const std::string number = std::to_string(++regions_);
  std::vector<std::string> arguments;
  open_.push_back({&block, 0, {}});
  for (const auto& [name, bound] : args) {
    arguments.push_back(R"({"#":)" + std::to_string(bound.id) + R"(,"TT":)" + pir_type_text(bound.type) + "}");
    bind(name, bound);
  }
  std::string operators = "[";
  std::string* const outer = std::exchange(out_, &operators);
  create_arrays(block);
  write_operators(block);
  emit("2.yield", yields(), {}, {});
  out_ = outer;
  open_.pop_back();
  return R"({"#":"region_)" + number + R"(","blocks":[{"#":"block_)" + number + R"(","args":[)" +
         joined(arguments, ",") + R"(],"ops":)" + operators + "]}]}";
}

PirWriter::Branches PirWriter::branches_of(const Block& block) {
  Branches branches;
  for (const Op& op : block.ops) {
    if (op.type == "conditional_block") {
      for (const std::string& name : op.output("Out")) branches.sides[name] = &op;
    } else if (op.type == "select_input" && op.input("X").size() == 2) {
      for (const std::string& name : op.input("X")) branches.choices[name].push_back(&op);
    }
  }
  return branches;
}

/// The results of an operator with regions come before what its regions define: regions are written first, into a text
/// of their own, with the numbers after those of the results.
void PirWriter::conditional_block(const Op& op) {
  Open& here = open_.back();
  if (!here.branches) here.branches = branches_of(*here.block);
  const auto& given = op.output("Out");
  // Both sides stand before what chooses between their results; the second of them writes both.
  std::set<const Op*> chosen;  // in the order of the block, whose operators stand behind each other
  for (const std::string& name : given) {
    const auto found = here.branches->choices.find(name);
    if (found == here.branches->choices.end()) continue;
    for (const Op* choice : found->second)
      if (choice > &op) chosen.insert(choice);
  }
  const std::vector<const Op*> choices(chosen.begin(), chosen.end());
  const auto side_of = [&](size_t which) -> const Op* {
    if (choices.empty()) return nullptr;
    const auto found = here.branches->sides.find(choices.front()->input("X", which));
    return found == here.branches->sides.end() ? nullptr : found->second;
  };
  const Op *const otherwise = side_of(0), *const then = side_of(1);
  if (choices.empty() || !then || !otherwise || then == otherwise) {
    if (std::none_of(given.begin(), given.end(), [&](const std::string& name) { return is_read(name); })) return;
    throw NotExpressible("its conditional block has no counterpart for the opposite condition");
  }
  if (&op == std::min(then, otherwise)) return;

  std::vector<PirType> types;
  Ids ids;
  for (const Op* choice : choices) {
    types.push_back(declared(choice->output("Out", 0)));
    ids.push_back(++results_);
  }
  std::string regions;
  for (const Op* side : {then, otherwise}) {
    const size_t which = side == then ? 1 : 0;
    const Block& block = program_.blocks[static_cast<size_t>(side->sub_blocks().at(0))];
    regions += (regions.empty() ? "" : ",") + region(block, {}, [&] {
                 Ids results;
                 for (const Op* choice : choices) results.push_back(value(choice->input("X", which)).id);
                 return results;
               });
  }
  emit_with("1.if", {value(then->input("Cond", 0)).id}, ids, types, {}, regions);
  for (size_t i = 0; i < choices.size(); ++i) bind(choices[i]->output("Out", 0), {ids[i], types[i]});
}

void PirWriter::select_input(const Op& op) {
  if (!is_bound(first_of(op, "Out")))
    throw NotExpressible("its operands are not the results of two conditional blocks");
}

void PirWriter::while_loop(const Op& op) {
  const Block& body = program_.blocks[static_cast<size_t>(op.sub_blocks().at(0))];
  const std::string& condition = op.input("Condition", 0);
  std::vector<std::string> names;
  std::vector<std::pair<std::string, Bound>> args;
  std::vector<PirType> types;
  Ids operands{value(condition).id}, ids;
  for (const Op& inner : body.ops) {
    const std::string& name = inner.output("Out", 0);
    if (inner.type == "assign" && !body.find(name) && declared(name).kind == VariableKind::tensor_array)
      throw NotExpressible("its loop replaces a tensor array");
  }
  for (const std::string& name : op.output("Out")) {
    const PirType type = declared(name);
    if (name == condition || type.kind == VariableKind::tensor_array) continue;
    if (!is_bound(name)) continue;  // only the body knows it: what it held before was never read
    names.push_back(name);
    types.push_back(type);
    operands.push_back(value(name).id);
    args.push_back({name, {--arguments_, type}});
    ids.push_back(++results_);
  }
  const std::string text = region(body, args, [&] {
    Ids results{value(condition).id};
    for (const std::string& name : names) results.push_back(value(name).id);
    return results;
  });
  emit_with("1.while", operands, ids, types, {}, text);
  for (size_t i = 0; i < names.size(); ++i) bind(names[i], {ids[i], types[i]});
}

}  // namespace fluid2onnx
