#include "generator/print/print.h"

#include <algorithm>
#include <filesystem>

#include "generator/lower/walk.h"
#include "generator/print/cpp_builder.h"
#include "generator/print/cpp_routines.h"
#include "generator/print/cpp_text.h"
#include "generator/print/layout.h"
#include "generator/print/print_onnx.h"
#include "generator/print/print_operations.h"
#include "generator/print/tables.h"
#include "generator/render/template.h"

namespace opgen {
namespace {

using cpp::chomp;
using cpp::row;
using cpp::text;
using lowered::Converter;
using lowered::Routine;
using lowered::RoutinePtr;
using nlohmann::json;

/// opspecs/shape/pad.yaml -> "shape"; opspecs/lib/math.yaml -> "lib_math".
std::string unit_of(const std::string& spec_file) {
  const std::string family = family_of(spec_file);
  if (family.empty()) return "other";
  const bool large = family == "lib" || family == "onnx";
  return large ? family + "_" + std::filesystem::path(spec_file).stem().string() : family;
}

/// A function, and the spec that it comes from.
struct Definition {
  std::string spec, text;
};

/// One C++ file: functions and converters, and what they call.
struct Unit {
  std::vector<Definition> functions, families, converters;
  std::set<const Routine*> own, called;
  std::map<std::string, const OnnxGroup*> builders;
};

void note_calls(const Routine& routine, Unit* unit) {
  lowered::look(routine.body, [&](const lowered::Expr& e) {
    if (e.function != nullptr) unit->called.insert(e.function);
    if (e.group != nullptr) unit->builders[e.group->builder] = e.group;
  });
}

/// "const Builder Add, Mul;" a line or more.
std::string declared(const std::string& head, const std::vector<Piece>& names) {
  if (names.empty()) return "";
  Page page;
  page.line(Piece::list(head, names, ";"));
  return page.text();
}

std::string declared_builders(const std::map<std::string, const OnnxGroup*>& builders) {
  std::vector<Piece> single, many;
  for (const auto& [name, group] : builders) (gives_many(*group) ? many : single).emplace_back(name);
  return declared("extern const Builder ", single) + declared("extern const ListBuilder ", many);
}

json unit_data(const std::string& name, const Unit& unit) {
  std::map<std::string, std::string> called;
  for (const Routine* f : unit.called)
    if (unit.own.count(f) == 0) called[f->name] = cpp::declaration(*f);
  std::string declarations;
  for (const auto& [function, text] : called) declarations += text;
  std::string source = "opspecs/" + name;
  for (const char* folder : {"lib", "onnx"})
    if (name.rfind(std::string(folder) + "_", 0) == 0)
      source = std::string("opspecs/") + folder + "/" + name.substr(std::string(folder).size() + 1) + ".yaml";
  // In a file for several specs each has a headline, wherever its functions begin.
  const auto list = [&](const std::vector<Definition>& definitions) {
    json out = json::array();
    std::string spec = source;
    for (const Definition& d : definitions) {
      out.push_back({{"text", (d.spec == spec ? "" : "// -- " + d.spec + "\n\n") + chomp(d.text)}});
      spec = d.spec;
    }
    return out;
  };
  return {{"source", source},
          {"builders", chomp(declared_builders(unit.builders))},
          {"has_builders", !unit.builders.empty()},
          {"called", chomp(declarations)},
          {"has_called", !called.empty()},
          {"functions", list(unit.functions)},
          {"has_functions", !unit.functions.empty()},
          {"families", list(unit.families)},
          {"has_families", !unit.families.empty()},
          {"ops", list(unit.converters)},
          {"has_ops", !unit.converters.empty()}};
}

/// Equal rows have one converter.
void add_converters(const std::vector<Converter>& converters, std::map<std::string, Unit>* units) {
  std::map<const Routine*, std::string> operators;
  for (const Converter& c : converters) {
    std::string& names = operators[c.routine.get()];
    names += (names.empty() ? "" : ", ") + c.op->spec->op.text;
  }
  for (const Converter& c : converters) {
    Unit& unit = (*units)[unit_of(c.op->spec->file)];
    if (!c.routine || !unit.own.insert(c.routine.get()).second) continue;
    unit.converters.push_back({c.routine->spec, cpp::converter(*c.routine, operators[c.routine.get()])});
    note_calls(*c.routine, &unit);
  }
}

std::map<std::string, Unit> units_of(const lowered::Program& program) {
  std::map<std::string, Unit> units;
  const auto add = [&](const Routine& routine, std::vector<Definition> Unit::*list) {
    Unit& unit = units[unit_of(routine.spec)];
    unit.own.insert(&routine);
    (unit.*list).push_back({routine.spec, cpp::definition(routine)});
    note_calls(routine, &unit);
  };
  for (const RoutinePtr& f : program.functions) add(*f, &Unit::functions);
  for (const RoutinePtr& f : program.families) add(*f, &Unit::families);
  add_converters(program.converters, &units);
  add_converters(program.onnx, &units);
  for (auto& [name, unit] : units)
    std::stable_sort(unit.converters.begin(), unit.converters.end(),
                     [](const Definition& a, const Definition& b) { return a.spec < b.spec; });
  return units;
}

json registry_data(const lowered::Program& program) {
  std::string converters, complex;
  for (const Converter& c : program.converters) {
    const OpSpec& spec = *c.op->spec;
    const std::string& name = spec.op.text;
    std::string required;
    for (const std::string& slot : required_inputs(*c.op)) required += (required.empty() ? "" : " ") + slot;
    converters += row({text(name), cpp::converter_function(c), text(spec.file), std::to_string(c.op->range.first),
                       text(required), text(spec.doc.text)});
    for (const Text& slot : spec.complex) complex += row({text(name), text(slot.text)});
  }
  return {{"declarations", chomp(cpp::converter_declarations(program.converters))},
          {"converters", chomp(converters)},
          {"complex", chomp(complex)}};
}

}  // namespace

std::map<std::string, std::string> print_cpp(const lowered::Program& program, const OnnxModel& onnx, const Facts& facts,
                                             const std::string& templates) {
  std::map<std::string, std::string> files;
  const auto add = [&](const std::string& file, const std::string& with, const json& data) {
    files["generated/" + file] = render_template(templates, with, data);
  };
  std::map<std::string, const OnnxGroup*> builders;
  for (const auto& [name, unit] : units_of(program)) {
    builders.insert(unit.builders.begin(), unit.builders.end());
    add(name + ".cc", "unit.cc.mustache", unit_data(name, unit));
  }
  std::string definitions;
  for (const auto& [name, group] : builders) definitions += "\n" + cpp::builder(*group);
  add("builders.cc", "builders.cc.mustache",
      {{"declarations", chomp(declared_builders(builders))}, {"definitions", chomp(definitions)}});
  add("registry.cc", "registry.cc.mustache", registry_data(program));
  add("operations.cc", "operations.cc.mustache", cpp::operations_data());
  add("onnx_registry.cc", "onnx_registry.cc.mustache", onnx_registry_data(program, onnx, facts));
  return files;
}

}  // namespace opgen
