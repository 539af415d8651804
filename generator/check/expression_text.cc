#include "generator/check/expression_text.h"

#include "generator/check/builtins.h"

namespace opgen {

bool is_number(const Type& t) {
  return !t.list &&
         (t.base == Base::integer || t.base == Base::floating || t.base == Base::dim || t.base == Base::scalar);
}
bool may_be_unknown(const Type& t) { return t.base == Base::dim || t.base == Base::scalar; }

std::string quoted(const Type& t) { return "'" + type_name(t) + "'"; }

std::string counted(size_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }
std::string taken(size_t results) { return std::to_string(results) + (results == 1 ? " is taken" : " are taken"); }

bool names_dtype(const Expr& e) { return e.kind == Expr::Kind::string && builtin_constant(e.text).base == Base::dtype; }
std::string bare_dtype(const Expr& e) { return "dtypes are names: write " + e.text + " without quotes"; }

std::string way_out(const Type& have, const Type& want) {
  const auto is = [](const Type& t, Base base, bool list) { return t.base == base && t.list == list; };
  if (is(want, Base::tensor, false)) {
    if (is(have, Base::operand, false)) return "an operand may be a number: tensor(x, dtype(Y)) is a tensor of either";
    if (is(have, Base::tensor, true)) return "take one of the list, xs[0], or join them: Concat(xs, axis=0)";
    if (is(have, Base::dtype, false) || is(have, Base::string, false))
      return "Cast(X, to=...) changes a tensor's dtype";
  }
  if (is(want, Base::tensor, true) && is(have, Base::tensor, false)) return "a list of one is written [X]";
  if (is_tensorish(have)) {
    if (is(want, Base::dim, true)) return "dims_of(X) are the elements of a 1-D integer tensor, shape(X) its sizes";
    if (is(want, Base::dim, false) || is(want, Base::integer, false))
      return "dim_of(X) is the only element of an integer tensor, dim(X, i) the size of an axis";
    if (is(want, Base::integer, true))
      return "dims_of(X) are the elements, floats(X) those of a tensor for which is_const(X) holds";
    if (is(want, Base::floating, true)) return "floats(X) are the elements of a tensor for which is_const(X) holds";
    if (is(want, Base::dtype, false)) return "write dtype(X)";
  }
  if (is(want, Base::dtype, false) && (is(have, Base::string, false) || is(have, Base::integer, false)))
    return "dtypes are names: float32, int64, bool ...";
  if (is(want, Base::integer, false) && is(have, Base::floating, false))
    return "write int(x), floor(x) or floor(x + 0.5)";
  if (is(want, Base::boolean, false) && is_number(have)) return "compare it, as in 'x != 0'";
  if (want.list && !have.list && converts(have, one(want.base))) return "a list of one is written [x]";
  return "";
}

}  // namespace opgen
