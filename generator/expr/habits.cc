#include "generator/expr/habits.h"

#include <algorithm>
#include <array>

#include "generator/diagnostics/text.h"

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
    Habit{"^", "write 'a ** b' for a power, 'a != b' for the exclusive or of conditions"},
    Habit{"{", "write a list as [1, 2], and a column of the for_each table as ${name}"},
    Habit{";", "write each statement as an item of the list"},
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

constexpr std::array kWordHabits = {
    Habit{"is", "write has(X) or 'not has(X)' for the presence of an operand, and '==' to compare numbers"},
    Habit{"True", "write 'true'"},
    Habit{"False", "write 'false'"},
    Habit{"None", "write '_' for an omitted operand, and has(X) to test for one"},
    Habit{"null", "write '_' for an omitted operand, and has(X) to test for one"},
    Habit{"nullptr", "write '_' for an omitted operand, and has(X) to test for one"},
    Habit{"v3", "write since(3.0)"},  // what specs of earlier versions list as an attribute
    Habit{"elif", "write 'if' under 'else', or 'a if condition else b'"},
};

constexpr std::array kFunctions = {
    Habit{"isinstance", "write is_float(dtype(X)), is_int(dtype(X)) or is_sequence(X)"},
    Habit{"type", "write dtype(X) for the type of a tensor's elements"},
    Habit{"ndim", "write rank(X)"},
    Habit{"str", "write {expression} for a number in a message"},
    Habit{"print", "run 'opgen explain' for the nodes of a recipe"},
    Habit{"append", "write xs = xs + [x]"},
    Habit{"map", "write [f(x) for x in xs]"},
    Habit{"filter", "write [x for x in xs if condition]"},
    Habit{"assert", "write 'require:' with 'else: message'"},
    Habit{"is_none", "write 'not has(X)'"},
    // Functions of the library that were renamed.
    Habit{"extremes", "write top_k"},
    Habit{"like", "write cast_to(x, dtype(X))"},
    Habit{"lone", "write squeeze_all"},
    Habit{"or_zero", "write mask_zero"},
    Habit{"pick", "write gather_nd"},
    Habit{"put", "write scatter_nd"},
    Habit{"tally", "write segment_sum"},
};

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
    return "ONNX operators have no module in front: write " + capitalised(member) + "(X) for tensors";
  }
  std::string help = find(kMembers, member);
  if (help.empty() && called)
    return "values have no members: call an operator, as in " + capitalised(member) + "(" + owner + ")";
  if (help.empty()) return "values have no members: call a function, as in rank(" + owner + ")";
  for (size_t at = help.find('$'); at != std::string::npos; at = help.find('$', at + owner.size()))
    help.replace(at, 1, owner);
  return "write " + help;
}

std::string word_habit(const std::string& word) { return find(kWordHabits, word); }

std::string function_habit(const std::string& name) { return find(kFunctions, name); }

}  // namespace opgen
