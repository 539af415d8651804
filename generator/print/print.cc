#include "generator/print/print.h"

#include <algorithm>
#include <filesystem>

#include "generator/diagnostics/text.h"
#include "generator/lower/walk.h"
#include "generator/print/cpp_builder.h"
#include "generator/print/cpp_routines.h"
#include "generator/print/cpp_text.h"
#include "generator/print/page.h"
#include "generator/print/print_onnx.h"
#include "generator/print/print_operations.h"
#include "generator/print/print_replacements.h"
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

/// Parts that are left out of a template leave blank lines.
std::string without_gaps(std::string text) {
  for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

/// One C++ file: functions and converters, what they call, and what the program knows of them.
struct Unit {
  std::vector<Definition> functions, families, converters;
  std::string table, onnx_table;  ///< rows
  std::set<std::string> specs;    ///< that the rows name
  bool has_natives = false, has_onnx_natives = false;
  std::set<const Routine*> own, called;
  bool has_builders = false;
};

void note_calls(const Routine& routine, Unit* unit) {
  lowered::look(routine.body, [&](const lowered::Expr& e) {
    if (e.function != nullptr) unit->called.insert(e.function);
    unit->has_builders = unit->has_builders || e.group != nullptr;
  });
}

/// The builders that a program calls.
using Builders = std::map<std::string, const OnnxGroup*>;
Builders builders_of(const lowered::Program& program) {
  Builders builders;
  const auto note = [&](const RoutinePtr& routine) {
    if (!routine) return;
    lowered::look(routine->body, [&](const lowered::Expr& e) {
      if (e.group != nullptr) builders[e.group->builder] = e.group;
    });
  };
  for (const auto* list : {&program.functions, &program.families})
    for (const RoutinePtr& f : *list) note(f);
  for (const auto* list : {&program.converters, &program.onnx})
    for (const Converter& c : *list) note(c.routine);
  return builders;
}

/// "const Builder Add, Mul;" a line or more.
std::string declared(const std::string& head, const std::vector<Piece>& names) {
  if (names.empty()) return "";
  Page page;
  page.line(Piece::list(head, names, ";"));
  return page.text();
}

std::string declared_builders(const Builders& builders) {
  std::vector<Piece> single, many;
  for (const auto& [name, group] : builders) (gives_many(*group) ? many : single).emplace_back(name);
  return declared("extern const Builder ", single) + declared("extern const ListBuilder ", many);
}

std::string table_name(const std::string& unit) { return unit + "_converters"; }
std::string onnx_table_name(const std::string& unit) {
  return unit + (unit.starts_with("onnx_") ? "_converters" : "_onnx_converters");
}

json unit_data(const std::string& name, const Unit& unit) {
  std::map<std::string, std::string> called;
  for (const Routine* f : unit.called)
    if (unit.own.count(f) == 0) called[f->name] = cpp::declaration(*f);
  std::string declarations;
  for (const auto& [function, text] : called) declarations += text;
  std::string includes;
  const auto include = [&](bool needed, const std::string& header) {
    if (needed) includes += "#include \"" + header + "\"\n";
  };
  include(unit.has_builders, "generated/builders.h");
  include(unit.has_natives, "runtime/convert/natives.h");
  include(true, "runtime/convert/recipe.h");
  include(unit.has_onnx_natives, "runtime/to_paddle/natives/natives.h");
  std::string source = "opspecs/" + name;
  for (const char* folder : {"lib", "onnx"})
    if (name.rfind(std::string(folder) + "_", 0) == 0)
      source = std::string("opspecs/") + folder + "/" + name.substr(std::string(folder).size() + 1) + ".yaml";
  // In a file for several specs each has a headline, wherever its functions begin; it is the constant that rows name.
  std::set<std::string> constants = unit.specs;
  const auto list = [&](const std::vector<Definition>& definitions, bool rows) {
    json out = json::array();
    std::string spec = source;
    for (const Definition& d : definitions) {
      const bool constant = rows && constants.erase(d.spec) > 0;
      const std::string headline = constant         ? cpp::spec_constant(d.spec) + "\n\n"
                                   : d.spec == spec ? ""
                                                    : "// -- " + d.spec + "\n\n";
      out.push_back({{"text", headline + chomp(d.text)}});
      spec = d.spec;
    }
    return out;
  };
  const json functions = list(unit.functions, false), families = list(unit.families, false),
             converters = list(unit.converters, true);
  std::string of_natives;
  for (const std::string& spec : constants) of_natives += cpp::spec_constant(spec) + "\n";
  return {{"source", source},
          {"includes", chomp(includes)},
          {"table_name", table_name(name)},
          {"onnx_table_name", onnx_table_name(name)},
          {"called", chomp(declarations)},
          {"has_called", !called.empty()},
          {"functions", functions},
          {"has_library", !called.empty() || !functions.empty()},
          {"families", families},
          {"has_families", !families.empty()},
          {"ops", converters},
          {"has_ops", !unit.specs.empty()},
          {"specs_of_natives", chomp(of_natives)},
          {"has_specs_of_natives", !of_natives.empty()},
          {"table", chomp(unit.table)},
          {"has_table", !unit.table.empty()},
          {"onnx_table", chomp(unit.onnx_table)},
          {"has_onnx_table", !unit.onnx_table.empty()}};
}

/// Equal rows have one converter. The operator's doc is in its row; rows of ONNX operators have none.
void add_converters(const std::vector<Converter>& converters, bool with_doc, const std::set<std::string>& builders,
                    std::map<std::string, Unit>* units) {
  for (const Converter& c : converters) {
    Unit& unit = (*units)[unit_of(c.op->spec->file)];
    if (!c.routine || !unit.own.insert(c.routine.get()).second) continue;
    unit.converters.push_back({c.routine->spec, cpp::converter(*c.routine, with_doc, builders)});
    note_calls(*c.routine, &unit);
  }
}

void add_tables(const lowered::Program& program, const OnnxModel& onnx, std::map<std::string, Unit>* units) {
  const auto unit_for = [&](const Converter& c, bool Unit::*natives) -> Unit& {
    Unit& unit = (*units)[unit_of(c.op->spec->file)];
    unit.specs.insert(c.op->spec->file);
    unit.*natives = unit.*natives || !c.routine;
    return unit;
  };
  for (const Converter& c : program.converters) {
    const OpSpec& spec = *c.op->spec;
    std::vector<Piece> items{text(spec.op.text), cpp::converter_function(c), cpp::spec_name(spec.file),
                             text(joined(required_inputs(*c.op), " ")), text(spec.doc.text)};
    if (c.op->range.first > kOldestOpset) items.emplace_back(std::to_string(c.op->range.first));
    unit_for(c, &Unit::has_natives).table += row(std::move(items), 2);
  }
  const std::vector<std::string> rows = onnx_rows(program, onnx);
  for (size_t i = 0; i < rows.size(); ++i) unit_for(program.onnx[i], &Unit::has_onnx_natives).onnx_table += rows[i];
}

/// Functions of one spec together, as far as callees stand before their callers.
std::vector<const Routine*> by_spec(std::vector<const Routine*> left) {
  std::vector<const Routine*> order;
  const auto is_ready = [&](const Routine* f) {
    bool ready = true;
    lowered::look(f->body, [&](const lowered::Expr& e) {
      ready = ready && (e.function == f || std::find(left.begin(), left.end(), e.function) == left.end());
    });
    return ready;
  };
  while (!left.empty()) {
    const auto here = [&](const Routine* f) { return f->spec == order.back()->spec && is_ready(f); };
    auto next = order.empty() ? left.end() : std::find_if(left.begin(), left.end(), here);
    if (next == left.end()) next = std::find_if(left.begin(), left.end(), is_ready);
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

std::map<std::string, Unit> units_of(const lowered::Program& program, const OnnxModel& onnx, const Builders& called) {
  std::map<std::string, Unit> units;
  std::set<std::string> builders;
  for (const auto& [name, group] : called) builders.insert(name);
  const auto add = [&](const Routine& routine, std::vector<Definition> Unit::*list) {
    Unit& unit = units[unit_of(routine.spec)];
    unit.own.insert(&routine);
    (unit.*list).push_back({routine.spec, cpp::definition(routine, builders)});
    note_calls(routine, &unit);
  };
  std::map<std::string, std::vector<const Routine*>> functions;
  for (const RoutinePtr& f : program.functions) functions[unit_of(f->spec)].push_back(f.get());
  for (const auto& [unit, own] : functions)
    for (const Routine* f : by_spec(own)) add(*f, &Unit::functions);
  for (const RoutinePtr& f : program.families) add(*f, &Unit::families);
  add_converters(program.converters, false, builders, &units);
  add_converters(program.onnx, true, builders, &units);
  add_tables(program, onnx, &units);
  for (auto& [name, unit] : units)
    std::stable_sort(unit.converters.begin(), unit.converters.end(),
                     [](const Definition& a, const Definition& b) { return a.spec < b.spec; });
  return units;
}

/// The functions that give the tables of units, and the head of a loop over the tables.
json tables_data(const std::map<std::string, Unit>& units, std::string Unit::*table, const std::string& row,
                 std::string (*name_of)(const std::string&)) {
  std::vector<Piece> calls;
  for (const auto& [name, unit] : units)
    if (!(unit.*table).empty()) calls.emplace_back(name_of(name) + "()");
  Page declarations, loop;
  declarations.line(Piece::list("std::span<const " + row + "> ", calls, ";"));
  loop.indent(2);
  loop.line(Piece::list("for (const auto& table : {", calls, "})"));
  return {{"declarations", chomp(declarations.text())}, {"loop", chomp(loop.text())}};
}

json registry_data(const lowered::Program& program, const std::map<std::string, Unit>& units) {
  std::set<std::pair<std::string, std::string>> slots;
  for (const Converter& c : program.converters)
    for (const Text& slot : c.op->spec->complex) slots.insert({c.op->spec->op.text, slot.text});
  std::string complex;
  for (const auto& [op, slot] : slots) complex += row({text(op), text(slot)}, 2);
  json data = tables_data(units, &Unit::table, "ConverterInfo", table_name);
  data["complex"] = chomp(complex);
  return data;
}

}  // namespace

std::map<std::string, std::string> print_cpp(const lowered::Program& program, const OnnxModel& onnx, const Facts& facts,
                                             const std::string& templates) {
  std::map<std::string, std::string> files;
  const auto add = [&](const std::string& file, const std::string& with, const json& data) {
    files["generated/" + file] = without_gaps(render_template(templates, with, data));
  };
  const Builders builders = builders_of(program);
  const std::map<std::string, Unit> units = units_of(program, onnx, builders);
  for (const auto& [name, unit] : units) add(name + ".cc", "unit.cc.mustache", unit_data(name, unit));
  std::string definitions;
  for (const auto& [name, group] : builders) definitions += "\n" + cpp::builder(*group);
  add("builders.h", "builders.h.mustache", {{"declarations", chomp(declared_builders(builders))}});
  add("builders.cc", "builders.cc.mustache", {{"definitions", chomp(definitions)}});
  add("registry.cc", "registry.cc.mustache", registry_data(program, units));
  if (!program.replacements.empty())
    add("replacements.cc", "replacements.cc.mustache", cpp::replacements_data(program, onnx));
  add("operations.cc", "operations.cc.mustache", cpp::operations_data());
  add("onnx_registry.cc", "onnx_registry.cc.mustache",
      onnx_registry_data(program, facts, tables_data(units, &Unit::onnx_table, "OnnxConverter", onnx_table_name)));
  return files;
}

}  // namespace opgen
