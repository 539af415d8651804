// opgen: checks operator specs and renders C++ and documentation from them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>

#include "generator/check/library.h"
#include "generator/check/onnx_fact.h"
#include "generator/compile.h"
#include "generator/diagnostics/source.h"
#include "generator/diagnostics/text.h"
#include "generator/explain/explain.h"
#include "generator/explain/skeleton.h"
#include "generator/format/format.h"
#include "generator/options.h"
#include "generator/output.h"
#include "generator/platform.h"
#include "generator/print/print.h"
#include "generator/print/print_lod.h"
#include "generator/print/print_pir.h"
#include "generator/print/print_targets.h"
#include "generator/render/docs.h"
#include "generator/render/key_tables.h"
#include "generator/render/schema.h"
#include "generator/spec/parse.h"
#include "generator/stats.h"
#include "generator/test_examples.h"

namespace {

using namespace opgen;

constexpr int kUsualOpset = 17;

int report(const Diagnostics& diagnostics, const Options& o) {
  if (o.format == "json") std::cout << format_json(diagnostics) << "\n";
  else if (o.format == "sarif") std::cout << format_sarif(diagnostics) << "\n";
  else std::cerr << format_text(diagnostics);
  return diagnostics.has_errors() ? 1 : 0;
}

int unknown_operator(const Compiled& c, const std::string& op) {
  std::vector<std::string> names;
  for (const CheckedOp& known : c.program.ops) names.push_back(known.spec->op.text);
  for (const CheckedOp& known : c.program.onnx) names.push_back(known.spec->op.text);
  std::cerr << "opgen: error: no spec for operator '" << op << "'" << did_you_mean(op, names) << "\n";
  return 1;
}

void write(const Compiled& c, const Options& o) {
  const std::string templates = o.root + "/templates";
  std::map<std::string, std::string> files = print_cpp(lower(c), c.onnx, c.facts, templates);
  files.merge(print_pir(c.facts, templates));
  files.merge(print_lod(c.facts, templates));
  files.merge(print_targets(c.targets, templates));
  files.merge(render_docs(c.program, c.onnx, c.facts, templates));
  files.merge(render_schema(c.facts, c.onnx));
  Diagnostics diagnostics;
  const std::string page = "docs/spec-reference.md";
  if (const Source source = load_source(o.root + "/" + page, page, diagnostics))
    files[page] = with_key_tables(source->text);
  write_files(files, o.out);
}

const CheckedOp* find(const std::vector<CheckedOp>& ops, const std::string& name) {
  const auto found =
      std::find_if(ops.begin(), ops.end(), [&](const CheckedOp& op) { return op.spec->op.text == name; });
  return found == ops.end() ? nullptr : &*found;
}

int dump(const Compiled& c, const Options& o) {
  const std::string op = o.words.empty() ? "" : o.words[0];
  if (!op.empty() && find(c.program.ops, op) == nullptr && find(c.program.onnx, op) == nullptr)
    return unknown_operator(c, op);
  std::cout << lowered::dump(lower(c), op);
  return 0;
}

/// Writes files in canonical form, or lists those that are not.
int format(const Options& o) {
  Diagnostics diagnostics;
  size_t changed = 0;
  const std::vector<std::string> files = o.words.empty() ? spec_files(o.root + "/opspecs", diagnostics) : o.words;
  for (const std::string& path : files) {
    const Source source = load_source(path, path, diagnostics);
    const std::optional<std::string> text = source ? format_spec(source, diagnostics) : std::nullopt;
    if (!text || *text == source->text) continue;
    ++changed;
    std::cout << path << "\n";
    if (!o.check && !replace_file(path, *text)) {
      std::cerr << "opgen: error: cannot write '" << path << "'\n";
      return 2;
    }
  }
  if (const int status = report(diagnostics, o); status != 0) return status;
  if (o.check && changed > 0)
    std::cerr << changed << " of " << files.size() << " files are not in canonical form: run 'opgen fmt'\n";
  return o.check && changed > 0 ? 1 : 0;
}

int create_onnx(const Options& o, const Facts& facts, Diagnostics& diagnostics) {
  const std::string& name = o.words[0];
  const OnnxModel onnx = OnnxModel::load(o.root + "/opspecs/facts", diagnostics);
  const OnnxGroup* const group = find_onnx_group(onnx, name);
  if (group == nullptr) {
    std::cerr << "opgen: error: ONNX has no operator '" << name << "'" << did_you_mean(name, onnx.names()) << "\n";
    return 1;
  }
  std::cout << skeleton(name, onnx_fact(*group), facts, "");
  return 0;
}

int create(const Options& o) {
  const std::string& name = o.words[0];
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(o.root + "/opspecs", o.root, diagnostics);
  const Facts facts = read_facts(o.root + "/opspecs/facts", diagnostics);
  for (const OpSpec& spec : is_onnx_name(name) ? specs.onnx : specs.ops)
    if (spec.op.text == name) {
      std::cerr << "opgen: error: '" << name << "' has a spec: " << spec.file << ":" << spec.span.line << "\n";
      return 1;
    }
  if (is_onnx_name(name)) return create_onnx(o, facts, diagnostics);
  const auto older = facts.ops.find(name);
  const auto newer = facts.newer.find(name);
  if (older == facts.ops.end() && newer == facts.newer.end()) {
    std::cerr << "opgen: error: Paddle has no operator '" << name << "'" << did_you_mean(name, facts.operator_names())
              << "\n";
    return 1;
  }
  const auto why = facts.unconverted.find(name);
  std::cout << skeleton(name, older != facts.ops.end() ? older->second : newer->second, facts,
                        why == facts.unconverted.end() ? "" : why->second.reason);
  return 0;
}

int run(const Options& o, const char* program) {
  if (o.verb == Verb::fmt && !o.words.empty()) return format(o);
  if (!std::filesystem::is_directory(o.root + "/opspecs")) {
    std::cerr << "opgen: error: '" << o.root << "' has no folder opspecs/\n"
              << "  hint: run opgen in the repository, or name it with --root\n";
    return 2;
  }
  if (o.verb == Verb::fmt) return format(o);
  if (o.verb == Verb::create) return create(o);
  if (o.verb == Verb::test) return test_examples(o, program);
  Diagnostics diagnostics;
  const auto start = std::chrono::steady_clock::now();
  Compiled c;
  compile(o.root, diagnostics, &c);
  if (o.verb == Verb::explain) {
    const CheckedOp* named = find(c.program.ops, o.words[0]);
    if (named == nullptr) named = find(c.program.onnx, o.words[0]);
    if (named != nullptr && named->ok) {
      // Errors in other specs do not matter here.
      std::cout << explain(c.program, c.onnx, read_kernel_facts(o.root), *named, o.opset ? o.opset : kUsualOpset);
      if (diagnostics.has_errors()) std::cerr << "opgen: note: other specs have errors: run 'opgen check'\n";
      return 0;
    }
  }
  if (const int status = report(diagnostics, o); status != 0) return status;
  switch (o.verb) {
    case Verb::stats: print_stats(c); break;
    case Verb::examples: std::cout << examples_json(c).dump(1) << "\n"; break;
    case Verb::dump: return dump(c, o);
    case Verb::explain: return unknown_operator(c, o.words[0]);
    case Verb::render: write(c, o); break;
    default:
      if (o.format != "text") break;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::printf("%zu operators and %zu functions are correct (%.2f s)\n", c.program.ops.size(),
                  c.program.functions.size(), seconds);
      if (const size_t single = single_calls(c.program).size(); single > 0)
        std::printf("%zu functions are called by one recipe only, which could contain them; 'opgen stats' lists them\n",
                    single);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  platform::prepare_streams();
  try {
    Options options;
    int exit_code = 0;
    return parse_options(argc, argv, &options, &exit_code) ? run(options, argv[0]) : exit_code;
  } catch (const std::exception& e) {
    std::cerr << "opgen: error: " << e.what() << "\n";
    return 2;
  }
}
