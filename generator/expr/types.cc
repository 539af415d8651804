#include "generator/expr/types.h"

#include <array>
#include <utility>

namespace opgen {
namespace {

struct Spelling {
  Base base;
  const char* one;
  const char* list;
};

constexpr std::array<Spelling, 9> kSpellings{{
    {Base::boolean, "bool", "bools"},
    {Base::integer, "int", "ints"},
    {Base::floating, "float", "floats"},
    {Base::string, "string", "strings"},
    {Base::dtype, "dtype", "dtypes"},
    {Base::dim, "dim", "dims"},
    {Base::scalar, "scalar", "scalars"},
    {Base::tensor, "tensor", "tensors"},
    {Base::operand, "operand", "operands"},
}};

const Spelling* spelling(Base base) {
  for (const Spelling& s : kSpellings)
    if (s.base == base) return &s;
  return nullptr;
}

bool is_number(Base b) { return b == Base::integer || b == Base::floating || b == Base::dim || b == Base::scalar; }

/// int < float, int < dim < scalar, float < scalar.
bool base_converts(Base from, Base to) {
  if (from == to || from == Base::unknown || to == Base::unknown) return true;
  if (to == Base::operand || to == Base::tensor)
    return is_number(from) || from == Base::boolean || from == Base::tensor ||
           (to == Base::operand && from == Base::omitted);
  switch (from) {
    case Base::integer: return to == Base::floating || to == Base::dim || to == Base::scalar;
    case Base::floating: return to == Base::scalar;
    case Base::dim: return to == Base::integer || to == Base::scalar || to == Base::floating;
    case Base::scalar: return to == Base::floating;
    default: return false;
  }
}

}  // namespace

std::string type_name(const Type& type) {
  if (type.base == Base::omitted) return "_";
  if (is_empty_list(type)) return "empty list";
  const Spelling* s = spelling(type.base);
  if (s == nullptr) return "unknown";
  std::string name = type.list ? s->list : s->one;
  if (type.optional) name += "?";
  if (type.may_be_dynamic) name += " that may be unknown";
  return name;
}

Type parse_type(const std::string& name) {
  const bool optional = !name.empty() && name.back() == '?';
  const std::string plain = optional ? name.substr(0, name.size() - 1) : name;
  for (const Spelling& s : kSpellings) {
    if (plain == s.one) return {s.base, false, optional, false};
    if (plain == s.list) return {s.base, true, optional, false};
  }
  return {};
}

bool converts(const Type& from, const Type& to) {
  if (is_unknown(from) || is_unknown(to)) return true;
  if (is_empty_list(from)) return to.list || to.base == Base::operand || to.base == Base::tensor;
  if (to.list != from.list) {
    // A list of numbers is a 1-D constant, dims are a 1-D tensor.
    return from.list && !to.list && (to.base == Base::operand || to.base == Base::tensor) &&
           (is_number(from.base) || from.base == Base::boolean);
  }
  if (from.list) {
    if (from.base == to.base) return true;
    if (to.base == Base::tensor || from.base == Base::tensor)
      return to.base == Base::operand && from.base == Base::tensor;
    if (to.base == Base::operand) return from.base != Base::string && from.base != Base::dtype;
    return base_converts(from.base, to.base);
  }
  return base_converts(from.base, to.base);
}

Type unify(const Type& a, const Type& b) {
  if (is_unknown(a)) return b;
  if (is_unknown(b)) return a;
  if (is_empty_list(a) && b.list) return b;
  if (is_empty_list(b) && a.list) return a;
  if (a.base == b.base && a.list == b.list)
    return {a.base, a.list, a.optional || b.optional, a.may_be_dynamic || b.may_be_dynamic};
  const auto tensorish = [](const Type& t) {
    return !t.list && (t.base == Base::tensor || t.base == Base::operand || t.base == Base::omitted);
  };
  if (tensorish(a) || tensorish(b)) {
    if (a.base == Base::omitted && b.base == Base::tensor && !b.list) return {Base::tensor, false, true, false};
    if (b.base == Base::omitted && a.base == Base::tensor && !a.list) return {Base::tensor, false, true, false};
    const Type operand = one(Base::operand);
    return converts(a, operand) && converts(b, operand) ? operand : Type{};
  }
  if (a.list != b.list) return {};
  const auto rank = [](Base x) {
    switch (x) {
      case Base::integer: return 0;
      case Base::floating: return 1;
      case Base::dim: return 1;
      case Base::scalar: return 2;
      default: return -1;
    }
  };
  const int ra = rank(a.base);
  const int rb = rank(b.base);
  if (ra < 0 || rb < 0) return {};
  if (ra == rb) return {Base::scalar, a.list, false, false};  // float with dim
  return {ra > rb ? a.base : b.base, a.list, false, false};
}

}  // namespace opgen
