#include "generator/compile.h"

#include <set>

#include "generator/check/library.h"
#include "generator/check/onnx_examples.h"
#include "generator/check/targets.h"
#include "generator/spec/example.h"

namespace opgen {

void compile(const std::string& root, Diagnostics& diagnostics, Compiled* out) {
  out->specs = read_specs(root + "/opspecs", root, diagnostics);
  out->facts = read_facts(root + "/opspecs/facts", diagnostics);
  out->onnx = OnnxModel::load(root + "/opspecs/facts", diagnostics);
  out->targets = read_targets(root + "/opspecs/targets", root, diagnostics);
  check_targets(out->targets, out->onnx, diagnostics);
  check_coverage(out->specs, out->facts, diagnostics);
  check_examples(out->specs, out->facts, diagnostics);
  check_onnx_examples(out->specs, out->onnx, out->facts, diagnostics);
  out->program = check(out->specs, out->facts, out->onnx, diagnostics);
  if (!diagnostics.has_errors()) check_library(out->program, diagnostics);
  diagnostics.sort();
}

namespace {

template <typename Spec>
std::string name_of(const Spec& spec) {
  return spec.head.text.substr(0, spec.head.text.find('('));
}

/// Drops diagnostics about the library: the authors of specs cannot act on them.
void lint_functions(const Compiled& compiled, const std::set<std::string>& own, Diagnostics& diagnostics) {
  Diagnostics all;
  check_library(compiled.program, all);
  for (const Diagnostic& d : all.all())
    if (d.span.file && own.count(d.span.file->path) > 0) diagnostics.warning(d.code, d.span, d.message, d.help);
}

}  // namespace

void compile_alone(const std::vector<std::string>& paths, const Knowledge& knowledge,
                   const std::vector<std::string>& library, Diagnostics& diagnostics, Compiled* out) {
  out->specs = read_specs(paths, ".", diagnostics);
  const ReadFact fact = [&](const std::string& name, Diagnostics&) { return knowledge("facts/" + name); };
  out->facts = read_signatures(fact, diagnostics);
  out->onnx = OnnxModel::load(knowledge("facts/onnx.yaml"), knowledge("facts/onnxruntime-contrib.json"), diagnostics);
  std::set<std::string> own, files;
  for (const Function& f : out->specs.functions) {
    own.insert(name_of(f));
    files.insert(f.file);
    if (!f.replaces.text.empty())
      diagnostics.error("replacement", f.replaces.span, "only functions of the built-in library can replace nodes",
                        "remove 'replaces', or add the function to opspecs/lib/ and build fluid2onnx");
  }
  SpecSet shared;
  std::set<std::string> own_requirements;
  for (const Requirement& r : out->specs.requirements) own_requirements.insert(name_of(r));
  for (const std::string& path : library) read_spec_file(knowledge(path), shared, diagnostics);
  for (Function& f : shared.functions)
    if (own.count(name_of(f)) == 0) out->specs.functions.push_back(std::move(f));
  for (Requirement& r : shared.requirements)
    if (own_requirements.count(name_of(r)) == 0) out->specs.requirements.push_back(std::move(r));
  check_examples(out->specs, out->facts, diagnostics);
  check_onnx_examples(out->specs, out->onnx, out->facts, diagnostics);
  out->program = check(out->specs, out->facts, out->onnx, diagnostics);
  // Without the conversions of ONNX's operators that were derived from the specs.
  std::erase_if(out->program.onnx, [&](const CheckedOp& op) { return out->program.is_derived(op); });
  if (!diagnostics.has_errors()) lint_functions(*out, files, diagnostics);
  diagnostics.sort();
}

nlohmann::json examples_json(const Compiled& compiled) {
  nlohmann::json list = examples_json(compiled.specs, compiled.facts);
  for (nlohmann::json& example : onnx_examples_json(compiled.specs, compiled.onnx, compiled.facts))
    list.push_back(std::move(example));
  return list;
}

lowered::Program lower(const Compiled& compiled) { return lowered::lower(compiled.program, compiled.onnx); }

}  // namespace opgen
