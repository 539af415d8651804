#include "runtime/to_onnx/operator_facts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fluid2onnx {
namespace {

// What Paddle's dy2static writes for a variable without a value.
constexpr std::string_view kGiveUndefined[] = {
    "assign_value",   // the number is its constant
    "fill_constant",  // the number fills it
};
constexpr const char* kNumbers[] = {"fp32_values", "fp64_values", "values", "value"};  // their attributes
constexpr double kUndefined = 1.77113e27;  // Paddle's RETURN_NO_VALUE_MAGIC_NUM

constexpr std::string_view kTakeSteps[] = {
    "array_to_lod_tensor",  // its recipe restores the order of the rows
    "read_from_array",      // slices the rows of one step
};

constexpr std::string_view kSizesOfOperands[] = {
    "bipartite_match",   // loop that matches the best pair
    "cholesky",          // loop over columns
    "cholesky_solve",    // substitution row by row
    "crf_decoding",      // loop over steps
    "crop",              // slice
    "inverse",           // Newton iterations
    "roll",              // two slices joined
    "solve",             // by the inverse
    "triangular_solve",  // substitution row by row
};

template <size_t N>
bool lists(const std::string_view (&table)[N], std::string_view op) {
  return std::find(std::begin(table), std::end(table), op) != std::end(table);
}

}  // namespace

bool gives_undefined(const Op& op) {
  if (!lists(kGiveUndefined, op.type)) return false;
  return std::any_of(std::begin(kNumbers), std::end(kNumbers), [&](const char* name) {
    const Attribute* attribute = op.attr(name);
    const auto numbers = attribute ? attribute->as_floats() : std::nullopt;
    return numbers && numbers->size() == 1 && std::fabs(numbers->front() / kUndefined - 1) < 1e-6;
  });
}

bool takes_steps(std::string_view op_type) { return lists(kTakeSteps, op_type); }
bool has_sizes_of_operands(std::string_view op_type) { return lists(kSizesOfOperands, op_type); }

}  // namespace fluid2onnx
