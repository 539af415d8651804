#include "generator/lower/fold.h"

#include <algorithm>
#include <string_view>

#include "generator/lower/make.h"

namespace opgen::lowered {
namespace {

using K = Expr::Kind;

bool is_constant(const ExprPtr& e) { return e->kind == K::constant; }

template <class T>
ExprPtr compared(std::string_view op, const T& a, const T& b) {
  if (op == "==") return make_constant(a == b);
  if (op == "!=") return make_constant(!(a == b));
  if constexpr (!std::is_same_v<T, DtypeName>) {
    if (op == "<") return make_constant(a < b);
    if (op == "<=") return make_constant(!(b < a));
    if (op == ">") return make_constant(b < a);
    if (op == ">=") return make_constant(!(a < b));
  }
  return nullptr;
}

/// Nothing where the result does not fit: it is computed, and refused, while converting.
ExprPtr calculated(std::string_view op, int64_t a, int64_t b) {
  int64_t out = 0;
  if (op == "+" && !__builtin_add_overflow(a, b, &out)) return make_constant(out);
  if (op == "-" && !__builtin_sub_overflow(a, b, &out)) return make_constant(out);
  if (op == "*" && !__builtin_mul_overflow(a, b, &out)) return make_constant(out);
  return nullptr;
}

ExprPtr calculated(std::string_view op, double a, double b) {
  if (op == "+") return make_constant(a + b);
  if (op == "-") return make_constant(a - b);
  if (op == "*") return make_constant(a * b);
  return nullptr;
}

ExprPtr membership(const ExprPtr& element, const ExprPtr& list, bool wanted) {
  if (list->kind != K::list || !std::all_of(list->args.begin(), list->args.end(), is_constant)) return nullptr;
  const bool found = std::any_of(list->args.begin(), list->args.end(),
                                 [&](const ExprPtr& item) { return item->literal == element->literal; });
  return make_constant(found == wanted);
}

}  // namespace

ExprPtr fold(const Operation& operation, const std::vector<ExprPtr>& args) {
  const std::string_view op = operation.name;
  if (args.empty() || !is_constant(args[0])) return nullptr;
  if (op == "not") return make_constant(!std::get<bool>(args[0]->literal));
  if (op == "show" && args[0]->type.base == Base::string) return args[0];
  if (const auto* number = std::get_if<int64_t>(&args[0]->literal); op == "show" && number != nullptr)
    return make_constant(std::to_string(*number));
  if (op == "neg") {
    if (const auto* number = std::get_if<double>(&args[0]->literal)) return make_constant(-*number);
    if (const auto* number = std::get_if<int64_t>(&args[0]->literal)) return calculated("-", int64_t{0}, *number);
  }
  if (args.size() != 2) return nullptr;
  if (op == "in" || op == "not_in") return membership(args[0], args[1], op == "in");
  if (!is_constant(args[1]) || args[0]->literal.index() != args[1]->literal.index()) return nullptr;
  return std::visit(
      [&](const auto& a) -> ExprPtr {
        using T = std::decay_t<decltype(a)>;
        const T& b = std::get<T>(args[1]->literal);
        if (ExprPtr known = compared(op, a, b)) return known;
        if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) return calculated(op, a, b);
        if constexpr (std::is_same_v<T, std::string>)
          if (op == "+") return make_constant(a + b);
        return nullptr;
      },
      args[0]->literal);
}

}  // namespace opgen::lowered
