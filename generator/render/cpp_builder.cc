#include "generator/render/cpp_builder.h"

#include "generator/render/cpp_recipe.h"

namespace opgen {
namespace {

std::string literal(const std::string& s) { return CppExpressions::string_literal(s); }

/// C++ for the attribute's default, or "" if it has none.
std::string default_value(const Adaptation& a) {
  using T = OnnxAttr::Type;
  switch (a.type) {
    case T::integer: return a.fallback.is_number() ? "AttrValue(int64_t{" + a.fallback.dump() + "})" : "";
    case T::floating: return a.fallback.is_number() ? "AttrValue(double{" + a.fallback.dump() + "})" : "";
    case T::string:
      return a.fallback.is_string() ? "AttrValue(std::string(" + literal(a.fallback.get<std::string>()) + "))" : "";
    default: return "";
  }
}

const char* attr_kind(OnnxAttr::Type type) {
  using T = OnnxAttr::Type;
  switch (type) {
    case T::integer: return "integer";
    case T::floating: return "floating";
    case T::floats: return "floats";
    default: return "integers";
  }
}

std::string step(const Adaptation& a, const std::string& node) {
  const std::string since = std::to_string(a.since);
  const std::string index = std::to_string(a.index);
  using Kind = Adaptation::Kind;
  switch (a.kind) {
    case Kind::input_was_attr:
      return "adapt::operand_to_attr(op, in, attrs, " + index + ", " + literal(a.old_name) +
             ", adapt::AttrKind::" + attr_kind(a.type) + ", " + node + ", " + since + ");";
    case Kind::input_added:
      return "adapt::no_operand(op, in, " + index + ", " + literal(a.name) + ", " + node + ", " + since + ");";
    case Kind::input_required: return "adapt::empty_operand(op, in, " + index + ");";
    case Kind::attr_renamed: return "adapt::rename_attr(attrs, " + literal(a.name) + ", " + literal(a.old_name) + ");";
    case Kind::value_added:
      return "adapt::no_value(op, attrs, " + literal(a.name) + ", " + literal(a.value) + ", " + node + ", " + since +
             ");";
    case Kind::attr_added: {
      const std::string fallback = default_value(a);
      if (fallback.empty())
        return "adapt::no_attr(op, attrs, " + literal(a.name) + ", nullptr, " + node + ", " + since + ");";
      return "const " + fallback.substr(0, 9) + " " + a.name + fallback.substr(9) + "; adapt::no_attr(op, attrs, " +
             literal(a.name) + ", &" + a.name + ", " + node + ", " + since + ");";
    }
  }
  return "";
}

}  // namespace

nlohmann::json render_builder(const OnnxGroup& group) {
  const OnnxVersion& newest = group.newest();
  const bool many = newest.outputs.size() > 1 || (!newest.outputs.empty() && newest.outputs.back().variadic);
  const std::string node = literal(group.op);
  std::string inputs;
  for (const OnnxOperand& o : newest.inputs)
    inputs += (inputs.empty() ? "" : ", ") + o.name + (o.variadic ? "..." : o.optional ? "?" : "");
  std::string attrs;
  for (const auto& [name, a] : newest.attrs) attrs += (attrs.empty() ? "; " : ", ") + name;

  Lines lines(1);
  const std::string axes = newest.attrs.count("axis") > 0 ? "axis" : "axes";
  bool has_axes = newest.attrs.count("axis") > 0 || newest.attrs.count("axes") > 0;
  for (const OnnxOperand& o : newest.inputs) has_axes = has_axes || o.name == "axes";
  for (const Adaptation& a : group.adaptations) {
    const std::string text = step(a, node);
    if (text.rfind("const ", 0) == 0) {
      const size_t split = text.find("; ");
      lines.open("if (op.opset() < " + std::to_string(a.since) + ") {");
      lines.add(text.substr(0, split + 1));
      lines.add(text.substr(split + 2));
      lines.close();
    } else {
      lines.add("if (op.opset() < " + std::to_string(a.since) + ") " + text);
    }
  }
  // Schemas allow negative axes from 11 on.
  if (has_axes && group.first < 11)
    lines.add("if (op.opset() < 11) adapt::count_axes_from_front(op, in, attrs, \"" + axes + "\", " +
              (group.op == "Unsqueeze" ? "true" : "false") + ");");
  lines.add("return op.node(" + node + ", in, attrs, " + (many ? "static_cast<int>(outputs)" : "1") + ")" +
            (many ? ";" : "[0];"));
  const std::string head =
      std::string(many ? "Values " : "Value ") + group.builder + "(OpContext& op, Operands in, Attrs attrs";
  return {{"op", group.op},
          {"inputs", inputs},
          {"attrs", attrs},
          {"first", group.first},
          {"last", group.last},
          {"signature", head + " = {}" + (many ? ", int64_t outputs = 1" : "") + ")"},
          {"definition", head + (many ? ", int64_t outputs" : "") + ")"},
          {"body", lines.text()}};
}

}  // namespace opgen
