// A new built-in also needs its C++ function, a theme and a test: docs/architecture.md, "Adding a built-in function".
#include "generator/check/builtins.h"

#include <array>

namespace opgen {

const std::vector<Builtin>& builtins() {
  // clang-format off
  static const std::vector<Builtin> table{
      {"abs", "abs(x: int|float) -> int|float",
       "Absolute value",
       1, 1,
       {{"abs", "int", "int", Effect::none, "std::abs($1)"},
        {"abs", "float", "float", Effect::none, "std::abs($1)"}}},
      {"all", "all(xs: bools) -> bool",
       "True if every element is true",
       1, 1, {{"all", "bools", "bool", Effect::none, "all_of($1)"}}},
      {"any", "any(xs: bools) -> bool",
       "True if some element is",
       1, 1, {{"any", "bools", "bool", Effect::none, "any_of($1)"}}},
      {"codes", "codes(x: string|ints) -> ints|string",
       "The character codes of a text, or the text of codes",
       1, 1,
       {{"codes", "string", "ints", Effect::none, "codes($1)"},
        {"from_codes", "ints", "string", Effect::none,
         "[](const Ints& codes) { return std::string(codes.begin(), codes.end()); }($1)"}}},
      {"constant", "constant(data: ints|floats|bools|number, type: dtype, shape: ints?) -> tensor",
       "A constant tensor of a given dtype; 0-D from a number, 1-D from a list, or of the given shape",
       2, 3,
       {{"constant", "any, dtype", "tensor", Effect::emits, "constant(op, $1, $2)"},
        {"constant", "any, dtype, ints", "tensor", Effect::emits, "constant(op, $1, $2, $3)"}}},
      {"cos", "cos(x: float) -> float",
       "Cosine of a number known while converting",
       1, 1, {{"cos", "float", "float", Effect::none, "std::cos($1)"}},
       "for tensors write the ONNX operator, which begins in upper case"},
      {"dim", "dim(X: tensor, axis: int) -> dim",
       "Size of one axis; negative axes count from the end",
       2, 2, {{"dim", "tensor, int", "dim", Effect::refuses, "op.dim($1, $2)"}}},
      {"dim_of", "dim_of(X: tensor) -> dim",
       "The only element of an integer tensor",
       1, 1, {{"dim_of", "tensor", "dim", Effect::refuses, "dim_of(op, $1)"}}},
      {"dims_of", "dims_of(X: tensor) -> dims",
       "The elements of a 1-D integer tensor",
       1, 1, {{"dims_of", "tensor", "dims", Effect::refuses, "dims_of(op, $1)"}}},
      {"dtype", "dtype(X: tensor|output) -> dtype",
       "Element type; of an output that no statement has assigned, the one that the program declares",
       1, 1,
       {{"dtype", "tensor", "dtype", Effect::none, "op.dtype($1)"},
        {"declared_dtype", "slot", "dtype", Effect::none, "op.declared_dtype($1)"}}},
      {"dtype_before_cast", "dtype_before_cast(X: tensor) -> dtype",
       "Element type that the tensor was cast from, or its own",
       1, 1, {{"dtype_before_cast", "tensor", "dtype", Effect::none, "op.dtype_before_cast($1)"}}},
      {"enumerate", "enumerate(xs)",
       "For 'for: i, x in enumerate(xs)'",
       1, 1, {}},
      {"float", "float(x: int|dim|string) -> float|scalar",
       "An integer as a float, or the number that a text spells, also inf and nan",
       1, 1,
       {{"float", "int", "float", Effect::none, ""},
        {"float", "float", "float", Effect::none, "$1"},
        {"float", "dim", "scalar", Effect::computes, ""},
        {"float", "scalar", "scalar", Effect::none, "$1"},
        {"number", "string", "float", Effect::refuses, "number(op, $1)"}}},
      {"floats", "floats(X: tensor) -> floats",
       "The elements of a constant tensor, integers too; guard with is_const",
       1, 1, {{"floats", "tensor", "floats", Effect::refuses, "op.const_floats($1)"}}},
      {"floor", "floor(x: scalar) -> dim",
       "Rounds down to an integer; a dim when x is known only at run time. E_OVERFLOW outside of int64",
       1, 1,
       {{"floor", "int", "int", Effect::none, "$1"},
        {"floor", "dim", "dim", Effect::none, "$1"},
        {"floor", "float", "int", Effect::refuses, "to_integer(std::floor($1))"},
        {"floor", "scalar", "dim", Effect::computes, "floor(op, $1)"}}},
      {"has", "has(X: input|param) -> bool",
       "True if the operator was given this optional input or parameter",
       1, 1, {}},
      {"highest", "highest(type: dtype) -> float|int",
       "The largest finite number of a dtype",
       1, 1, {{"highest", "dtype", "float", Effect::none, "highest($1)"}}},
      {"index", "index(xs: ints, x: int) -> int",
       "Position of the first x in the list, or -1",
       2, 2, {{"index", "ints, int", "int", Effect::none, "index_of($1, $2)"}}},
      {"int", "int(x: float|scalar|bool) -> int|dim",
       "Rounds towards zero. E_OVERFLOW outside of int64",
       1, 1,
       {{"int", "bool", "int", Effect::none, "int64_t{$1}"},
        {"int", "int", "int", Effect::none, "$1"},
        {"int", "dim", "dim", Effect::none, "$1"},
        {"int", "float", "int", Effect::refuses, "to_integer($1)"},
        {"int", "scalar", "dim", Effect::computes, "truncate(op, $1)"}}},
      {"is_complex", "is_complex(X: input) -> bool",
       "True if the operand holds complex numbers: pairs of real and imaginary part along its last axis",
       1, 1, {{"is_complex", "slot", "bool", Effect::none, "is_complex(op.declared_dtype($1))"}}},
      {"is_const", "is_const(X: tensor) -> bool",
       "True if the tensor's elements are known while converting",
       1, 1, {{"is_const", "tensor", "bool", Effect::none, "op.is_const($1)"}}},
      {"is_float", "is_float(type: dtype) -> bool",
       "float16, bfloat16, float32 or float64",
       1, 1, {{"is_float", "dtype", "bool", Effect::none, "is_floating($1)"}}},
      {"is_sequence", "is_sequence(X: tensor) -> bool",
       "True for a tensor array: an ONNX sequence of tensors",
       1, 1, {{"is_sequence", "tensor", "bool", Effect::none, "op.is_sequence($1)"}}},
      {"known", "known(x: dim|dims|scalar|scalars) -> bool",
       "True if the value (all values of the list) is known while converting; known(rank(X)) for a rank",
       1, 1,
       {{"known", "dim", "bool", Effect::none, "$1.known()"},
        {"known", "scalar", "bool", Effect::none, "$1.known()"},
        {"known", "dims", "bool", Effect::none, "is_known($1)"},
        {"known", "scalars", "bool", Effect::none, "is_known($1)"}}},
      {"len", "len(xs) -> int",
       "Length of a list; refused when it is unknown. Of a list output that no statement has assigned, the number of "
       "tensors that the operator has in it",
       1, 1,
       {{"len", "dims", "int", Effect::refuses, "length(op, $1, $what)"},
        {"len", "list", "int", Effect::none, "length($1)"},
        {"count", "slot", "int", Effect::none, "op.output_count($1)"}}},
      {"lengths", "lengths(X: input, level: int = -1) -> tensor|tensors",
       "How many rows each sequence of the operand has (of an outer level, how many sequences of the next): int64. Of a "
       "list, of each tensor. Guard with lod_level(X)",
       1, 2,
       {{"lengths", "slot, int", "tensor", Effect::emits, "op.lengths($1, $2)"},
        {"all_lengths", "slot, int", "tensors", Effect::emits, "all_lengths(op, $1, $2)"}}},
      {"lod", "lod(X: input) -> tensors",
       "The lengths of all levels, outermost first; none if the operand has no LoD. Of a list, of its first tensor",
       1, 1, {{"lod", "slot", "tensors", Effect::emits, "lod_of(op, $1)"}}},
      {"lod_level", "lod_level(X: input) -> int",
       "How many levels divide the operand into sequences; 0 if it has no LoD. Of a list, the level that all its tensors have",
       1, 1,
       {{"lod_level", "slot", "int", Effect::none, "op.lod_level($1)"},
        {"least_lod_level", "slot", "int", Effect::none, "least_lod_level(op, $1)"}}},
      {"log", "log(x: float) -> float",
       "Natural logarithm of a number known while converting",
       1, 1, {{"log", "float", "float", Effect::none, "std::log($1)"}},
       "for tensors write the ONNX operator, which begins in upper case"},
      {"lowest", "lowest(type: dtype) -> float|int",
       "The smallest finite number of a dtype",
       1, 1, {{"lowest", "dtype", "float", Effect::none, "lowest($1)"}}},
      {"max", "max(a, b, ...) -> int|float|dim",
       "Largest",
       1, -1,
       {{"max", "int, int", "int", Effect::none, "std::max<int64_t>($1, $2)"},
        {"max", "float, float", "float", Effect::none, "std::max<double>($1, $2)"},
        {"max", "dim, dim", "dim", Effect::computes, "max(op, $1, $2)"},
        {"max", "ints", "int", Effect::none, "max_of($1)"},
        {"max", "floats", "float", Effect::none, "max_of($1)"}}},
      {"min", "min(a, b, ...) -> int|float|dim",
       "Smallest",
       1, -1,
       {{"min", "int, int", "int", Effect::none, "std::min<int64_t>($1, $2)"},
        {"min", "float, float", "float", Effect::none, "std::min<double>($1, $2)"},
        {"min", "dim, dim", "dim", Effect::computes, "min(op, $1, $2)"},
        {"min", "ints", "int", Effect::none, "min_of($1)"},
        {"min", "floats", "float", Effect::none, "min_of($1)"}}},
      {"product", "product(xs: ints|dims) -> int|dim",
       "Product of all elements; 1 for none",
       1, 1,
       {{"product", "dims", "dim", Effect::computes, "product(op, $1)"},
        {"product", "list", "element", Effect::none, "product_of($1)"}}},
      {"projection", "projection(X: tensor) -> tensors",
       "The operand, the weight [in, out] and the bias, if any, of the matrix product with a weight of the model that "
       "computes the tensor; empty for other tensors",
       1, 1, {{"projection", "tensor", "tensors", Effect::none, "op.projection($1)"}}},
      {"range", "range(to) or range(from, to) or range(from, to, step) -> ints",
       "Integers in order, without the last",
       1, 3,
       {{"range", "int", "ints", Effect::none, "range(0, $1)"},
        {"range", "int, int", "ints", Effect::none, "range($1, $2)"},
        {"range", "int, int, int", "ints", Effect::none, "range($1, $2, $3)"}}},
      {"rank", "rank(X: tensor) -> int",
       "Number of axes; refused when it is unknown",
       1, 1, {{"rank", "tensor", "int", Effect::refuses, "op.rank($1)"}}},
      {"shape", "shape(X: tensor) -> dims",
       "All sizes",
       1, 1, {{"shape", "tensor", "dims", Effect::refuses, "op.shape($1)"}}},
      {"since", "since(release) -> bool",
       "True if the program is of this release of Paddle or of a later one, as in since(3.0); a program in the format of "
       "Paddle 3 is of 3.0 at least",
       1, 1, {{"since", "int", "bool", Effect::none, "(op.attr_int(\"paddle_release\", 0) >= $1)"}}},
      {"sorted", "sorted(xs: ints) -> ints",
       "In ascending order",
       1, 1, {{"sorted", "ints", "ints", Effect::none, "sorted($1)"}}},
      {"sqrt", "sqrt(x: float) -> float",
       "Square root of a number known while converting",
       1, 1, {{"sqrt", "float", "float", Effect::none, "std::sqrt($1)"}},
       "for tensors write the ONNX operator, which begins in upper case"},
      {"sum", "sum(xs: ints|floats) -> int|float",
       "Sum of all elements",
       1, 1,
       {{"sum", "ints", "int", Effect::none, "sum_of($1)"},
        {"sum", "floats", "float", Effect::none, "sum_of($1)"}}},
      {"target_has", "target_has(op: string, type: dtype?) -> bool",
       "True if the engine of --target runs this ONNX operator at the opset, on operands of the dtype; true without --target",
       1, 2,
       {{"target_has", "string", "bool", Effect::none, "op.target_has($1)"},
        {"target_has", "string, dtype", "bool", Effect::none, "op.target_has($1, $2)"}}},
      {"tensor", "tensor(x: operand, type: dtype = int64 for integers, float32 for floats) -> tensor",
       "A number or list as a tensor",
       1, 2,
       {{"tensor", "operand", "tensor", Effect::emits, "op.tensor($1)"},
        {"tensor", "operand, dtype", "tensor", Effect::emits, "op.tensor($1, $2)"}}},
      {"used", "used(Out: output) -> bool",
       "True if the output is read",
       1, 1, {{"used", "slot", "bool", Effect::none, "op.used($1)"}}},
      {"zip", "zip(xs, ys, ...)",
       "For 'for: x, y in zip(xs, ys)'; as long as the shortest",
       2, -1, {}},
  };
  // clang-format on
  return table;
}

const Builtin* find_builtin(const std::string& name) {
  for (const Builtin& b : builtins())
    if (name == b.name) return &b;
  return nullptr;
}

namespace {
constexpr std::array<const char*, 17> kDtypes{"undefined", "float32", "float64", "float16",   "bfloat16",  "int8",
                                              "int16",     "int32",   "int64",   "uint8",     "uint16",    "uint32",
                                              "uint64",    "bool",    "string",  "complex64", "complex128"};
}

Type builtin_constant(const std::string& name) {
  for (const char* d : kDtypes)
    if (name == d) return one(Base::dtype);
  if (name == "pi" || name == "inf" || name == "nan") return one(Base::floating);
  if (name == "opset" || name == "to_end") return one(Base::integer);
  return {};
}

std::vector<std::string> builtin_constant_names() {
  std::vector<std::string> names(kDtypes.begin(), kDtypes.end());
  names.insert(names.end(), {"pi", "inf", "nan", "opset", "to_end"});
  return names;
}

const char* operator_node(const std::string& op) {
  if (op == "+") return "Add";
  if (op == "-") return "Sub";
  if (op == "*") return "Mul";
  if (op == "/") return "Div";
  if (op == "**") return "Pow";
  return nullptr;
}

}  // namespace opgen
