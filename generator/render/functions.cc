#include "generator/render/functions.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "generator/check/builtins.h"
#include "generator/diagnostics/text.h"
#include "generator/render/docs.h"
#include "generator/render/template.h"

namespace opgen {
namespace {

using nlohmann::json;

struct Theme {
  const char* title;
  std::vector<std::string> builtins;
};

const std::vector<Theme>& themes() {
  static const std::vector<Theme> list{
      {"What the operator was given", {"has", "used", "is_const", "floats", "is_complex", "projection", "since"}},
      {"Sizes and shapes", {"rank", "shape", "dim", "dim_of", "dims_of", "known"}},
      {"Dtypes", {"dtype", "dtype_before_cast", "is_float", "lowest", "highest", "is_sequence"}},
      {"Tensors of numbers", {"constant", "tensor"}},
      {"The engine of --target", {"target_has"}},
      {"Numbers", {"abs", "cos", "float", "floor", "int", "log", "max", "min", "sqrt"}},
      {"Lists", {"all", "any", "codes", "enumerate", "index", "len", "product", "range", "sorted", "sum", "zip"}},
      {"Sequences in the rows of a tensor", {"lod", "lod_level", "lengths"}},
  };
  return list;
}

json builtin_sections() {
  std::map<std::string, const Builtin*> left;
  for (const Builtin& b : builtins()) left.emplace(b.name, &b);
  json sections = json::array();
  for (const Theme& theme : themes()) {
    json rows = json::array();
    for (const std::string& name : theme.builtins) {
      const auto found = left.find(name);
      if (found == left.end()) throw std::logic_error("no built-in '" + name + "' is left for '" + theme.title + "'");
      rows.push_back({{"signature", found->second->signature}, {"doc", found->second->doc}});
      left.erase(found);
    }
    sections.push_back({{"title", theme.title}, {"rows", rows}});
  }
  if (!left.empty()) throw std::logic_error("the built-in '" + left.begin()->first + "' has no theme");
  return sections;
}

/// The first lines of a file, if they are a comment, without its signs and full stop.
std::string comment_above(const CheckedFunction& f) {
  const Source& source = f.spec->head.span.file;
  std::string text;
  for (size_t at = 0; source->text.compare(at, 2, "# ") == 0;) {
    const size_t end = std::min(source->text.find('\n', at), source->text.size());
    text += (text.empty() ? "" : " ") + source->text.substr(at + 2, end - at - 2);
    at = std::min(end + 1, source->text.size());
  }
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// Requirements, with their messages.
json requirement_rows(const CheckedProgram& program) {
  json rows = json::array();
  for (const CheckedRequirement& r : program.requirements)
    rows.push_back(
        {{"head", r.spec->head.text}, {"doc", r.spec->doc.text}, {"message", r.body.message}, {"spec", r.spec->file}});
  return rows;
}

/// Functions by the files of opspecs/lib, then those of files of operators.
json library_sections(const CheckedProgram& program) {
  std::map<std::string, std::vector<const CheckedFunction*>> by_file;
  std::vector<const CheckedFunction*> beside;
  for (const CheckedFunction& f : program.functions) {
    if (family_of(f.spec->file) == "lib") by_file[f.spec->file].push_back(&f);
    else beside.push_back(&f);
  }
  const auto rows = [](std::vector<const CheckedFunction*> list) {
    std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->head.name < b->head.name; });
    json made = json::array();
    for (const CheckedFunction* f : list)
      made.push_back({{"head", f->spec->head.text},
                      {"doc", f->spec->doc.text},
                      {"opsets", opsets_text(f->range, f->variants)},
                      {"spec", f->spec->file}});
    return made;
  };
  json sections = json::array();
  for (const auto& [file, list] : by_file) {
    // "Polygons: pairs of numbers" is a title and an explanation.
    const std::string text = comment_above(*list.front());
    const size_t end = std::min(text.find(": "), text.find(". "));
    sections.push_back({{"title", text.substr(0, end)},
                        {"more", end == std::string::npos ? "" : ": " + text.substr(end + 2)},
                        {"spec", file},
                        {"rows", rows(list)}});
  }
  return {{"lib", sections}, {"beside", rows(beside)}};
}

}  // namespace

std::string render_functions(const CheckedProgram& program, const std::string& templates) {
  return render_template(templates, "functions.md.mustache",
                         {{"constants", "`" + joined(builtin_constant_names(), "`, `") + "`"},
                          {"builtins", builtin_sections()},
                          {"requirements", requirement_rows(program)},
                          {"library", library_sections(program)}});
}

}  // namespace opgen
