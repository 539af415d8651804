#include "generator/expr/habits.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace opgen {
namespace {

struct Habit {
  std::string_view written;
  const char* help;
};

// Longer ones first.
constexpr std::array kSymbolHabits = {
    Habit{"&&", "write 'and'"},
    Habit{"||", "write 'or'"},
    Habit{"&", "write 'and'; for tensors And(X, Y)"},
    Habit{"|", "write 'or'; for tensors Or(X, Y)"},
    Habit{"!", "write 'not'; for tensors Not(X)"},
    Habit{"~", "write 'not'; for tensors Not(X)"},
    Habit{"^", "a power is written 'a ** b'; 'a != b' is the exclusive or of conditions"},
    Habit{"{", "a list is written [1, 2]; a column of the for_each table is ${name}"},
    Habit{";", "each statement is an item of the list"},
};

constexpr std::array kMembers = {
    Habit{"shape", "shape($), or dim($, i) for the size of one axis"},
    Habit{"dtype", "dtype($)"},
    Habit{"ndim", "rank($)"},
    Habit{"dim", "rank($)"},
    Habit{"size", "product(shape($))"},
    Habit{"numel", "product(shape($))"},
    Habit{"T", "Transpose($)"},
    Habit{"append", "$ = $ + [x]"},
    Habit{"extend", "$ = $ + xs"},
    Habit{"astype", "Cast($, to=float32)"},
    Habit{"to", "Cast($, to=float32)"},
    Habit{"sum", "ReduceSum($, axes)"},
    Habit{"mean", "ReduceMean($, axes)"},
    Habit{"reshape", "Reshape($, shape)"},
    Habit{"view", "Reshape($, shape)"},
    Habit{"transpose", "Transpose($, perm=[1, 0])"},
    Habit{"permute", "Transpose($, perm=[1, 0])"},
    Habit{"unsqueeze", "Unsqueeze($, axes)"},
    Habit{"squeeze", "Squeeze($, axes)"},
};

/// The module before a function in Python.
constexpr std::array kModules = {"np", "numpy",      "torch", "paddle", "math", "tf",  "F",   "nn",        "onnx",
                                 "op", "tensorflow", "jax",   "scipy",  "jnp",  "cv2", "ops", "functional"};

/// Functions of such modules that ONNX calls otherwise than by a capital letter.
constexpr std::array kModuleFunctions = {
    Habit{"maximum", "Max(X, Y)"},
    Habit{"minimum", "Min(X, Y)"},
    Habit{"sum", "ReduceSum(X, axes)"},
    Habit{"mean", "ReduceMean(X, axes)"},
    Habit{"matmul", "MatMul(X, Y)"},
    Habit{"mm", "MatMul(X, Y)"},
    Habit{"dot", "MatMul(X, Y)"},
    Habit{"concatenate", "Concat(X, Y, axis=0)"},
    Habit{"concat", "Concat(X, Y, axis=0)"},
    Habit{"cat", "Concat(X, Y, axis=0)"},
    Habit{"clamp", "Clip(X, low, high)"},
    Habit{"power", "a ** b"},
    Habit{"pow", "a ** b"},
    Habit{"argmax", "ArgMax(X, axis=0)"},
    Habit{"argmin", "ArgMin(X, axis=0)"},
    Habit{"where", "Where(condition, X, Y)"},
    Habit{"leaky_relu", "LeakyRelu(X, alpha=0.01)"},
};

constexpr std::array kWords = {
    Habit{"is", "ask has(X) or 'not has(X)' whether an operand is there, and '==' whether numbers are equal"},
    Habit{"True", "it is written 'true'"},
    Habit{"False", "it is written 'false'"},
    Habit{"None", "an operand is left out by '_'; whether one is there asks has(X)"},
    Habit{"null", "an operand is left out by '_'; whether one is there asks has(X)"},
    Habit{"nullptr", "an operand is left out by '_'; whether one is there asks has(X)"},
    Habit{"v3", "ask since(3.0)"},  // what specs of earlier versions list as an attribute
    Habit{"elif", "each choice is a key of its own: 'if', 'elif', 'else'"},
};

constexpr std::array kFunctions = {
    Habit{"isinstance", "ask is_float(dtype(X)), is_int(dtype(X)) or is_sequence(X)"},
    Habit{"type", "ask dtype(X) for the type of a tensor's elements"},
    Habit{"ndim", "write rank(X)"},
    Habit{"str", "numbers in a message are shown by {expression}"},
    Habit{"print", "'opgen explain' shows what a recipe becomes"},
    Habit{"append", "write xs = xs + [x]"},
    Habit{"map", "write [f(x) for x in xs]"},
    Habit{"filter", "write [x for x in xs if condition]"},
    Habit{"assert", "write 'require:' with 'else: message'"},
    Habit{"is_none", "write 'not has(X)'"},
    // What functions of the library were called before.
    Habit{"extremes", "it is called 'top_k' now"},
    Habit{"like", "it is called 'cast_like' now"},
    Habit{"lone", "it is called 'squeeze_all' now"},
    Habit{"or_zero", "it is called 'mask_zero' now"},
    Habit{"pick", "it is called 'gather_nd' now"},
    Habit{"put", "it is called 'scatter_nd' now"},
    Habit{"tally", "it is called 'segment_sum' now"},
};

/// "elu" as ONNX may call it: Elu.
std::string capitalised(std::string name) {
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

template <typename Table>
std::string find(const Table& table, std::string_view word) {
  for (const Habit& h : table)
    if (h.written == word) return h.help;
  return "";
}

}  // namespace

std::string symbol_habit(std::string_view text, size_t* length) {
  *length = 1;
  for (const Habit& h : kSymbolHabits) {
    if (!text.starts_with(h.written)) continue;
    *length = h.written.size();
    return h.help;
  }
  return "";
}

std::string member_habit(const std::string& owner, const std::string& member, bool called) {
  if (std::find(kModules.begin(), kModules.end(), owner) != kModules.end()) {
    const std::string function = find(kModuleFunctions, member);
    if (!function.empty()) return "write " + function;
    return "operators are ONNX's, without a module in front: write " + capitalised(member) + "(X) for tensors";
  }
  std::string help = find(kMembers, member);
  if (help.empty() && called)
    return "nothing has members: an operator is called, as in " + capitalised(member) + "(" + owner + ")";
  if (help.empty()) return "nothing has members: call a function, as in rank(" + owner + ")";
  for (size_t at = help.find('$'); at != std::string::npos; at = help.find('$', at + owner.size()))
    help.replace(at, 1, owner);
  return "write " + help;
}

std::string word_habit(const std::string& word) { return find(kWords, word); }

std::string function_habit(const std::string& name) { return find(kFunctions, name); }

}  // namespace opgen
