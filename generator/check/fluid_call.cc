#include "generator/check/fluid_call.h"

#include <map>

namespace opgen {

Type attr_type(const AttrFact& fact) {
  static const std::map<std::string, Type> types{
      {"bool", one(Base::boolean)},        {"int", one(Base::integer)},       {"float", one(Base::floating)},
      {"string", one(Base::string)},       {"ints", list_of(Base::integer)},  {"floats", list_of(Base::floating)},
      {"strings", list_of(Base::string)},  {"bools", list_of(Base::integer)}, {"scalar", one(Base::floating)},
      {"scalars", list_of(Base::floating)}};
  const std::string& n = fact.name;
  if (fact.type == "int" && (n == "dtype" || n == "in_dtype" || n == "out_dtype" || n == "to")) return one(Base::dtype);
  const auto it = types.find(fact.type);
  return it == types.end() ? Type{} : it->second;
}

FluidArgument fluid_argument(const OpFact& op, const std::string& name) {
  using Kind = FluidArgument::Kind;
  if (const SlotFact* slot = op.input(name)) return {slot->list ? Kind::list : Kind::slot, {}, slot};
  const AttrFact* attr = op.attr(name);
  if (attr == nullptr) return {};
  const Type type = attr_type(*attr);
  const bool number = type.base == Base::integer || type.base == Base::floating;
  const bool tensor = attr->tensor || op.params.count(name) > 0;
  if (!number || !tensor) return {Kind::attr, type, nullptr};
  return {Kind::param, {type.base == Base::integer ? Base::dim : Base::scalar, type.list}, nullptr};
}

std::string fluid_operator(const std::string& callee) {
  constexpr size_t kPrefix = 6;
  return callee.rfind("fluid.", 0) == 0 ? callee.substr(kPrefix) : "";
}

}  // namespace opgen
