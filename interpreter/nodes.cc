#include "interpreter/nodes.h"

#include <utility>

namespace fluid2onnx::interpreter {
namespace {

using opgen::Adaptation;
using opgen::OnnxAttr;
using opgen::OnnxGroup;

adapt::AttrKind attr_kind(OnnxAttr::Type type) {
  using T = OnnxAttr::Type;
  switch (type) {
    case T::integer: return adapt::AttrKind::integer;
    case T::floating: return adapt::AttrKind::floating;
    case T::floats: return adapt::AttrKind::floats;
    default: return adapt::AttrKind::integers;
  }
}

adapt::Step::Default default_of(const Adaptation& a) {
  using T = OnnxAttr::Type;
  if (a.type == T::integer && a.default_value.is_number()) return a.default_value.get<int64_t>();
  if (a.type == T::floating && a.default_value.is_number()) return a.default_value.get<double>();
  if (a.type == T::string && a.default_value.is_string())
    return std::string_view(a.default_value.get_ref<const std::string&>());
  return {};
}

adapt::Step step(const Adaptation& a) {
  using Kind = Adaptation::Kind;
  const char *name = a.name.c_str(), *old_name = a.old_name.c_str();
  switch (a.kind) {
    case Kind::input_was_attr: return adapt::operand_was_attr(a.since, a.index, old_name, attr_kind(a.type));
    case Kind::input_added: return adapt::operand_added(a.since, a.index, name);
    case Kind::input_required: return adapt::operand_required(a.since, a.index);
    case Kind::attr_renamed: return adapt::attr_renamed(a.since, name, old_name);
    case Kind::value_added: return adapt::value_added(a.since, name, a.value.c_str());
    case Kind::attr_added: break;
  }
  return adapt::attr_added(a.since, name, default_of(a));
}

std::vector<adapt::Step> steps(const OnnxGroup& group) {
  std::vector<adapt::Step> list;
  for (const Adaptation& a : group.adaptations) list.push_back(step(a));
  if (const char* axes = opgen::axes_from_front(group)) {
    list.push_back(adapt::axes_from_front(axes, group.op == "Unsqueeze"));
  }
  return list;
}

}  // namespace

NodeBuilder::NodeBuilder(const OnnxGroup& group)
    : steps_(steps(group)), many_(opgen::gives_many(group)), builder_(group.op.c_str(), steps_) {}

Any NodeBuilder::emit(OpContext& op, Operands operands, Attrs attributes, int64_t results) const {
  Values values = builder_(op, std::move(operands), std::move(attributes), results);
  if (many_) return values;
  return values[0];
}

}  // namespace fluid2onnx::interpreter
