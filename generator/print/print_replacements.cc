#include "generator/print/print_replacements.h"

#include <map>

#include "generator/check/replacements.h"
#include "generator/diagnostics/text.h"
#include "generator/print/cpp_routines.h"
#include "generator/print/cpp_text.h"
#include "generator/print/tables.h"

namespace opgen::cpp {
namespace {

/// The method of ReplacedNode that gives an attribute of this type.
const char* reader(const OnnxAttr& attribute) {
  switch (attribute.type) {
    case OnnxAttr::Type::integer: return "integer";
    case OnnxAttr::Type::floating: return "floating";
    case OnnxAttr::Type::string: return "string";
    case OnnxAttr::Type::floats: return "floats";
    default: return "integers";
  }
}

/// "node.operand(1)", "node.integer(\"axis\", -1)".
std::string argument(const OnnxGroup& group, const Parameter& parameter) {
  const ReplacedParameter place = replaced_parameter(group, parameter.name);
  const std::string position = std::to_string(place.operand);
  if (place.operand >= 0 && parameter.type.list && parameter.type.base == Base::tensor) return "node.operands";
  if (place.operand >= 0 && parameter.type.list)
    return "node.integers(" + quoted(parameter.name) + ", " + position + ")";
  if (place.operand >= 0) return "node.operand(" + position + ")";
  const OnnxAttr& attribute = *place.attribute;
  std::string usual;
  if (attribute.default_value.is_string()) usual = ", " + quoted(attribute.default_value.get<std::string>());
  else if (attribute.default_value.is_number()) usual = ", " + attribute.default_value.dump();
  return std::string("node.") + reader(attribute) + "(" + quoted(parameter.name) + usual + ")";
}

}  // namespace

nlohmann::json replacements_data(const lowered::Program& program, const OnnxModel& onnx) {
  std::map<std::string, std::string> rows, declarations;
  for (const lowered::Replacement& r : program.replacements) {
    const std::string& op = r.function->spec->replaces.text;
    const OnnxGroup& group = *onnx.find(op, 0);
    std::vector<Piece> arguments{"node.op"};
    std::vector<std::string> constants;
    for (const Parameter& p : r.function->head.parameters) {
      const ReplacedParameter place = replaced_parameter(group, p.name);
      if (place.operand >= 0 && p.type == list_of(Base::integer)) constants.push_back(std::to_string(place.operand));
      arguments.emplace_back(argument(group, p));
    }
    Piece call = Piece::row({"return ", Piece::list("lib::" + r.routine->name + "(", std::move(arguments), ")"), ";"});
    rows[op] = row(
        {text(op), std::to_string(group.first), text(joined(names_of(r.function->head.parameters), " ")),
         text(joined(constants, " ")), Piece::block("[](const ReplacedNode& node) -> Value {", {std::move(call)}, "}")},
        2);
    declarations[r.routine->name] = declaration(*r.routine);
  }
  nlohmann::json data{{"rows", ""}, {"declarations", ""}};
  for (const char* key : {"rows", "declarations"}) {
    std::string all;
    for (const auto& [name, line] : std::string(key) == "rows" ? rows : declarations) all += line;
    data[key] = chomp(all);
  }
  return data;
}

}  // namespace opgen::cpp
