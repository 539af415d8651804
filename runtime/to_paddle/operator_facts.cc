#include "runtime/to_paddle/operator_facts.h"

#include <algorithm>
#include <iterator>

namespace fluid2onnx {
namespace {

constexpr std::string_view kWideLists[] = {
    "slice",          // its bounds may exceed all sizes
    "strided_slice",  // likewise
};

// All have a binary kernel of oneDNN.
constexpr std::string_view kNeedAxes[] = {
    "elementwise_add",
    "elementwise_div",
    "elementwise_mul",
    "elementwise_sub",
};

constexpr std::string_view kFailOnEmpty[] = {
    "where",  // Paddle checks its operands for elements
};

constexpr std::string_view kConditions[] = {
    "Condition",  // of where; a mask that leads elsewhere is an operand
};

template <size_t N>
bool lists(const std::string_view (&table)[N], std::string_view name) {
  return std::find(std::begin(table), std::end(table), name) != std::end(table);
}

}  // namespace

bool reads_wide_lists(std::string_view op_type) { return lists(kWideLists, op_type); }
bool needs_axes(std::string_view op_type) { return lists(kNeedAxes, op_type); }
bool fails_on_empty(std::string_view op_type) { return lists(kFailOnEmpty, op_type); }
bool is_condition(std::string_view slot) { return lists(kConditions, slot); }

}  // namespace fluid2onnx
