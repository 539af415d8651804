#include "generator/check/builtins.h"

#include <array>

namespace opgen {

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table{
      {"abs", "abs(x: int|float) -> int|float", "Absolute value", 1, 1},
      {"all", "all(xs: bools) -> bool", "True if every element is", 1, 1},
      {"any", "any(xs: bools) -> bool", "True if some element is", 1, 1},
      {"approximation", "approximation(name: string) -> bool", "True if the user allowed the named approximation", 1,
       1},
      {"ceil", "ceil(x: scalar) -> dim", "Rounds up to an integer; a dim when x is known only at run time", 1, 1},
      {"codes", "codes(text: string) -> ints", "The characters of a text as numbers", 1, 1},
      {"constant", "constant(data: ints|floats|bools|number, type: dtype, shape: ints?) -> tensor",
       "A constant tensor of a given dtype; 0-D from a number, 1-D from a list, or of the given shape", 2, 3},
      {"cos", "cos(x: float) -> float", "Cosine of a number known now", 1, 1},
      {"count", "count(Out: output) -> int", "How many tensors the operator has in a list output", 1, 1},
      {"declared_dtype", "declared_dtype(Out: output) -> dtype", "The dtype that the program declares for an output", 1,
       1},
      {"dim", "dim(X: tensor, axis: int) -> dim", "Size of one axis; negative axes count from the end", 2, 2},
      {"dim_of", "dim_of(X: tensor) -> dim", "The only element of an integer tensor", 1, 1},
      {"dims_of", "dims_of(X: tensor) -> dims", "The elements of a 1-D integer tensor", 1, 1},
      {"dtype", "dtype(X: tensor) -> dtype", "Element type", 1, 1},
      {"dtype_before_cast", "dtype_before_cast(X: tensor) -> dtype",
       "Element type that the tensor was cast from, or its own", 1, 1},
      {"enumerate", "enumerate(xs)", "For 'for: i, x in enumerate(xs)'", 1, 1},
      {"exp", "exp(x: float) -> float", "Exponential of a number known now", 1, 1},
      {"float", "float(x: int|dim) -> float|scalar", "An integer as a float", 1, 1},
      {"floats", "floats(X: tensor) -> floats", "The elements of a constant tensor; guard with is_const", 1, 1},
      {"floor", "floor(x: scalar) -> dim", "Rounds down to an integer; a dim when x is known only at run time", 1, 1},
      {"has", "has(X: input|param) -> bool", "True if the operator was given this optional input or parameter", 1, 1},
      {"highest", "highest(type: dtype) -> float|int", "The largest finite number of a dtype", 1, 1},
      {"index", "index(xs: ints, x: int) -> int", "Position of the first x in the list, -1 if there is none", 2, 2},
      {"int", "int(x: float|scalar|bool) -> int|dim", "Rounds towards zero", 1, 1},
      {"ints", "ints(X: tensor) -> ints", "The elements of a constant tensor; guard with is_const", 1, 1},
      {"is_complex", "is_complex(X: input) -> bool",
       "True if the operand holds complex numbers: pairs of real and imaginary part along its last axis", 1, 1},
      {"is_const", "is_const(X: tensor) -> bool", "True if the tensor's elements are known while converting", 1, 1},
      {"is_float", "is_float(type: dtype) -> bool", "float16, bfloat16, float32 or float64", 1, 1},
      {"is_int", "is_int(type: dtype) -> bool", "A signed or unsigned integer, not bool", 1, 1},
      {"is_sequence", "is_sequence(X: tensor) -> bool", "True for a tensor array: an ONNX sequence of tensors", 1, 1},
      {"known", "known(x: dim|dims|scalar|scalars) -> bool",
       "True if the number (all numbers of the list) is known while converting", 1, 1},
      {"len", "len(xs) -> int", "Length of a list; refused when it is unknown", 1, 1},
      {"lengths", "lengths(X: input, level: int = -1) -> tensor|tensors",
       "How many rows each sequence of the operand has (of an outer level, how many sequences of the next): int64. Of a "
       "list, of each tensor. Guard with lod_level(X)",
       1, 2},
      {"lod", "lod(X: input) -> tensors", "The lengths of all levels, outermost first; none if the operand has no LoD", 1,
       1},
      {"lod_level", "lod_level(X: input) -> int",
       "How many levels divide the operand into sequences; 0 if it has no LoD", 1, 1},
      {"log", "log(x: float) -> float", "Natural logarithm of a number known now", 1, 1},
      {"lowest", "lowest(type: dtype) -> float|int", "The smallest finite number of a dtype", 1, 1},
      {"max", "max(a, b, ...) -> int|float|dim", "Largest", 1, -1},
      {"min", "min(a, b, ...) -> int|float|dim", "Smallest", 1, -1},
      {"number", "number(text: string) -> float",
       "The number that a text spells, also inf and nan; refused when it spells none", 1, 1},
      {"product", "product(xs: ints|dims) -> int|dim", "Product of all elements; 1 for none", 1, 1},
      {"projection", "projection(X: tensor) -> tensors",
       "The operand, the weight [in, out] and, if there is one, the bias of which the tensor was made by a matrix product "
       "with a weight of the model; none if it was not",
       1, 1},
      {"range", "range(to) or range(from, to) or range(from, to, step) -> ints", "Integers in order, without the last",
       1, 3},
      {"rank", "rank(X: tensor) -> int", "Number of axes; refused when it is unknown", 1, 1},
      {"rank_known", "rank_known(X: tensor) -> bool", "True if the number of axes is known", 1, 1},
      {"reversed", "reversed(xs) -> list", "The list from its end", 1, 1},
      {"round", "round(x: float) -> int", "To the nearest integer, halves away from zero", 1, 1},
      {"shape", "shape(X: tensor) -> dims", "All sizes", 1, 1},
      {"sin", "sin(x: float) -> float", "Sine of a number known now", 1, 1},
      {"sorted", "sorted(xs: ints) -> ints", "In ascending order", 1, 1},
      {"sqrt", "sqrt(x: float) -> float", "Square root of a number known now", 1, 1},
      {"sum", "sum(xs: ints|floats) -> int|float", "Sum of all elements", 1, 1},
      {"tensor", "tensor(x: operand, type: dtype = int64 for integers, float32 for floats) -> tensor",
       "A number or list as a tensor", 1, 2},
      {"used", "used(Out: output) -> bool", "True if anybody reads the output", 1, 1},
      {"zip", "zip(xs, ys, ...)", "For 'for: x, y in zip(xs, ys)'; as long as the shortest", 2, -1},
  };
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
