#include "generator/compile.h"

#include "generator/check/library.h"
#include "generator/spec/example.h"

namespace opgen {

void compile(const std::string& root, Diagnostics& diagnostics, Compiled* out) {
  out->specs = read_specs(root + "/opspecs", root, diagnostics);
  out->facts = read_facts(root + "/opspecs/facts", diagnostics);
  out->onnx = OnnxModel::load(root + "/opspecs/facts/onnx.yaml", "opspecs/facts/onnx.yaml", diagnostics);
  check_coverage(out->specs, out->facts, diagnostics);
  check_examples(out->specs, out->facts, diagnostics);
  out->program = check(out->specs, out->facts, out->onnx, diagnostics);
  if (!diagnostics.has_errors()) check_library(out->program, diagnostics);
  diagnostics.sort();
}

lowered::Program lower(const Compiled& compiled) { return lowered::lower(compiled.program, compiled.onnx); }

}  // namespace opgen
