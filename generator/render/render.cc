#include "generator/render/render.h"

#include "generator/render/cpp_builder.h"
#include "generator/render/cpp_recipe.h"
#include "generator/render/template.h"

namespace opgen {

using nlohmann::json;

std::string family_of(const std::string& spec_file) {
  const std::string root = "opspecs/";
  const size_t from = spec_file.rfind(root, 0) == 0 ? root.size() : 0;
  const size_t slash = spec_file.find('/', from);
  return slash == std::string::npos ? "other" : spec_file.substr(from, slash - from);
}

std::map<std::string, std::string> render_cpp(const CheckedProgram& program, const OnnxModel& onnx,
                                              const std::string& templates) {
  std::set<std::string> names;
  std::map<std::string, const CheckedFunction*> heads;
  for (const CheckedFunction& f : program.functions) {
    names.insert(f.head.name);
    heads[f.head.name] = &f;
  }
  CppExpressions expressions(onnx, names);
  expressions.heads = &heads;

  json functions = json::array();
  for (const CheckedFunction& f : program.functions)
    functions.push_back({{"doc", f.spec->doc.text},
                         {"spec", f.spec->file},
                         {"signature", function_signature(f)},
                         {"body", render_function_body(f, expressions)}});

  std::map<std::string, json> families;
  json registry = json::array();
  json complex = json::array();
  for (const CheckedOp& op : program.ops) {
    const bool native = !op.spec->native.text.empty();
    const std::string name = op.spec->op.text;
    const std::string function = native ? "natives::" + op.spec->native.text : "convert_" + name;
    for (const Text& slot : op.spec->complex) complex.push_back({{"op", name}, {"slot", slot.text}});
    registry.push_back({{"op", name},
                        {"native", native},
                        {"function", function},
                        {"spec", op.spec->file},
                        {"lowest", op.range.first},
                        {"doc", op.spec->doc.text}});
    json& family = families[family_of(op.spec->file)];
    if (family.is_null()) family = json::array();
    if (!native)
      family.push_back({{"op", name},
                        {"doc", op.spec->doc.text},
                        {"spec", op.spec->file},
                        {"function", function},
                        {"body", render_converter(op, expressions)}});
  }
  for (json& op : registry)
    if (!op["native"].get<bool>()) op["qualified"] = "generated::" + op["function"].get<std::string>();
    else op["qualified"] = op["function"];

  json builders = json::array();
  std::map<std::string, const OnnxGroup*> sorted;
  for (const OnnxGroup* g : program.groups) sorted[g->builder] = g;
  for (const auto& [name, g] : sorted) builders.push_back(render_builder(*g));

  std::map<std::string, std::string> files;
  const auto add = [&](const std::string& file, const std::string& with, const json& data) {
    files["generated/" + file] = render_template(templates, with, data);
  };
  add("recipes.h", "recipes.h.mustache", {{"functions", functions}});
  add("recipes.cc", "recipes.cc.mustache", {{"functions", functions}});
  add("builders.h", "builders.h.mustache", {{"builders", builders}});
  add("builders.cc", "builders.cc.mustache", {{"builders", builders}});
  add("registry.cc", "registry.cc.mustache", {{"ops", registry}, {"complex", complex}});
  for (const auto& [family, ops] : families)
    add(family + ".cc", "family.cc.mustache", {{"family", family}, {"ops", ops}});
  return files;
}

}  // namespace opgen
