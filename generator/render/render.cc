#include "generator/render/render.h"

#include <filesystem>

#include "generator/render/cpp_builder.h"
#include "generator/render/cpp_recipe.h"
#include "generator/render/template.h"

namespace opgen {

using nlohmann::json;

namespace {

/// opspecs/shape/pad.yaml -> "shape"; opspecs/lib/math.yaml -> "lib_math".
std::string unit_of(const std::string& spec_file) {
  const std::string family = family_of(spec_file);
  if (family.empty()) return "other";
  return family == "lib" ? family + "_" + std::filesystem::path(spec_file).stem().string() : family;
}

/// One C++ file: functions and converters, and what they call.
struct Unit {
  json functions = json::array();
  json ops = json::array();
  std::set<std::string> own;  ///< functions that it defines
  std::set<std::string> builders;
  std::set<std::string> called;
};

std::string without_attributes(std::string signature) {
  const std::string noise = "[[maybe_unused]] ";
  for (size_t at = signature.find(noise); at != std::string::npos; at = signature.find(noise, at))
    signature.erase(at, noise.size());
  return signature;
}

}  // namespace

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

  std::map<std::string, Unit> units;
  // Moves what was called since the last time into the unit.
  const auto collect = [&](Unit& unit) {
    unit.builders.merge(expressions.called_builders);
    unit.called.merge(expressions.called_functions);
    expressions.called_builders.clear();
    expressions.called_functions.clear();
  };
  for (const CheckedFunction& f : program.functions) {
    Unit& unit = units[unit_of(f.spec->file)];
    unit.own.insert(f.head.name);
    unit.functions.push_back({{"doc", f.spec->doc.text},
                              {"spec", f.spec->file},
                              {"signature", function_signature(f)},
                              {"body", render_function_body(f, expressions)}});
    collect(unit);
  }

  json registry = json::array();
  json complex = json::array();
  json required = json::array();
  for (const CheckedOp& op : program.ops) {
    const bool native = !op.spec->native.text.empty();
    const std::string name = op.spec->op.text;
    const std::string function = native ? "natives::" + op.spec->native.text : "convert_" + name;
    for (const Text& slot : op.spec->complex) complex.push_back({{"op", name}, {"slot", slot.text}});
    // Paddle calls no list optional, but where it stands for an attribute (SizeTensor) it may be empty: only what an
    // operator works on must be there. A native converter looks for itself: a loop may carry nothing.
    for (const CheckedInput& i : op.inputs) {
      const bool needed = i.type.list ? i.name == op.fact.inputs.front().name : !i.type.optional;
      if (needed && !native) required.push_back({{"op", name}, {"slot", i.name}});
    }
    registry.push_back({{"op", name},
                        {"native", native},
                        {"function", function},
                        {"spec", op.spec->file},
                        {"lowest", op.range.first},
                        {"doc", op.spec->doc.text}});
    Unit& unit = units[unit_of(op.spec->file)];
    if (native) continue;
    unit.ops.push_back({{"op", name},
                        {"doc", op.spec->doc.text},
                        {"spec", op.spec->file},
                        {"function", function},
                        {"body", render_converter(op, expressions)}});
    collect(unit);
  }
  for (json& op : registry)
    if (!op["native"].get<bool>()) op["qualified"] = "generated::" + op["function"].get<std::string>();
    else op["qualified"] = op["function"];

  std::map<std::string, json> builders;
  json definitions = json::array();
  for (const OnnxGroup* g : program.groups) builders[g->builder] = render_builder(*g);
  for (const auto& [name, builder] : builders) definitions.push_back(builder);

  std::map<std::string, std::string> files;
  const auto add = [&](const std::string& file, const std::string& with, const json& data) {
    files["generated/" + file] = render_template(templates, with, data);
  };
  add("builders.cc", "builders.cc.mustache", {{"builders", definitions}});
  add("registry.cc", "registry.cc.mustache", {{"ops", registry}, {"complex", complex}, {"required", required}});
  for (const auto& [name, unit] : units) {
    // A file declares what it calls, so that a new function or builder compiles nobody anew but those who use it.
    json declared = json::array(), called = json::array();
    for (const std::string& b : unit.builders) declared.push_back({{"signature", builders.at(b)["signature"]}});
    for (const std::string& f : unit.called)
      if (unit.own.count(f) == 0)
        called.push_back({{"signature", without_attributes(function_signature(*heads.at(f)))}});
    add(name + ".cc", "unit.cc.mustache",
        {{"source", name.rfind("lib_", 0) == 0 ? "opspecs/lib/" + name.substr(4) + ".yaml" : "opspecs/" + name},
         {"builders", declared},
         {"called", called},
         {"functions", unit.functions},
         {"ops", unit.ops},
         {"has_called", !called.empty()},
         {"has_functions", !unit.functions.empty()},
         {"has_ops", !unit.ops.empty()}});
  }
  return files;
}

}  // namespace opgen
