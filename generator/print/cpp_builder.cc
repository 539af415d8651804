#include "generator/print/cpp_builder.h"

#include "generator/diagnostics/text.h"
#include "generator/print/cpp_text.h"
#include "generator/print/page.h"

namespace opgen::cpp {
namespace {

const char* attr_kind(OnnxAttr::Type type) {
  using T = OnnxAttr::Type;
  switch (type) {
    case T::integer: return "AttrKind::integer";
    case T::floating: return "AttrKind::floating";
    case T::floats: return "AttrKind::floats";
    default: return "AttrKind::integers";
  }
}

/// The attribute's default, or "" if it has none.
std::string default_value(const Adaptation& a) {
  using T = OnnxAttr::Type;
  if (a.type == T::integer && a.default_value.is_number()) return "int64_t{" + a.default_value.dump() + "}";
  if (a.type == T::floating && a.default_value.is_number()) return "double{" + a.default_value.dump() + "}";
  if (a.type == T::string && a.default_value.is_string())
    return "std::string_view(" + quoted(a.default_value.get<std::string>()) + ")";
  return "";
}

Piece step(const Adaptation& a) {
  using Kind = Adaptation::Kind;
  const Piece since = std::to_string(a.since);
  const Piece index = std::to_string(a.index);
  const Piece name = quoted(a.name);
  switch (a.kind) {
    case Kind::input_was_attr:
      return Piece::list("operand_was_attr(", {since, index, quoted(a.old_name), attr_kind(a.type)}, ")");
    case Kind::input_added: return Piece::list("operand_added(", {since, index, name}, ")");
    case Kind::input_required: return Piece::list("operand_required(", {since, index}, ")");
    case Kind::attr_renamed: return Piece::list("attr_renamed(", {since, name, quoted(a.old_name)}, ")");
    case Kind::value_added: return Piece::list("value_added(", {since, name, quoted(a.value)}, ")");
    case Kind::attr_added: {
      std::vector<Piece> arguments{since, name};
      if (const std::string value = default_value(a); !value.empty()) arguments.emplace_back(value);
      return Piece::list("attr_added(", std::move(arguments), ")");
    }
  }
  return {};
}

}  // namespace

std::string builder(const OnnxGroup& group) {
  const OnnxVersion& newest = group.newest();
  const auto operand = [](const OnnxOperand& o) { return o.name + (o.variadic ? "..." : o.optional ? "?" : ""); };
  const std::string attrs = joined(names_of(newest.attrs));
  Page page;
  page.comment(group.op + " (" + joined(newest.inputs, operand) + ")" + (attrs.empty() ? "" : "; " + attrs) +
               ": opsets " + std::to_string(group.first) + " to " + std::to_string(group.last) + ".");
  std::vector<Piece> arguments{quoted(group.op)}, steps;
  for (const Adaptation& a : group.adaptations) steps.push_back(step(a));
  if (const char* axes = axes_from_front(group)) {
    std::vector<Piece> values{quoted(axes)};
    if (group.op == "Unsqueeze") values.emplace_back("true");
    steps.push_back(Piece::list("axes_from_front(", std::move(values), ")"));
  }
  if (!steps.empty()) {
    page.line(Piece::list("constexpr Step k" + group.builder + "[] = {", std::move(steps), "};"));
    arguments.emplace_back("k" + group.builder);
  }
  page.line(Piece::list(std::string("const ") + (gives_many(group) ? "ListBuilder " : "Builder ") + group.builder + "{",
                        std::move(arguments), "};"));
  return page.text();
}

}  // namespace opgen::cpp
