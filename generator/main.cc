// opgen: checks operator specs, renders C++ from them, and tells about them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <set>

#include <CLI/CLI.hpp>

#include "generator/check/callers.h"
#include "generator/check/onnx_examples.h"
#include "generator/check/onnx_fact.h"
#include "generator/compile.h"
#include "generator/diagnostics/source.h"
#include "generator/explain/explain.h"
#include "generator/explain/skeleton.h"
#include "generator/format/format.h"
#include "generator/output.h"
#include "generator/print/print.h"
#include "generator/print/print_lod.h"
#include "generator/print/print_pir.h"
#include "generator/render/docs.h"
#include "generator/render/key_tables.h"
#include "generator/render/schema.h"
#include "generator/spec/example.h"
#include "generator/spec/parse.h"

namespace {

using namespace opgen;

struct Options {
  std::string root = ".";
  std::string out = "build/rendered";
  std::string format = "text";
  std::string dump;
  std::string op;
  int opset = 17;
  bool check = false;
  bool stats = false;
  bool examples = false;
  bool render = false;
  bool explain = false;
  bool fmt = false;
  bool create = false;
  std::vector<std::string> files;
};

int report(const Diagnostics& diagnostics, const Options& o) {
  if (o.format == "json") std::cout << format_json(diagnostics) << "\n";
  else if (o.format == "sarif") std::cout << format_sarif(diagnostics) << "\n";
  else std::cerr << format_text(diagnostics);
  return diagnostics.has_errors() ? 1 : 0;
}

void print_stats(const Compiled& c) {
  size_t variants = 0, examples = 0, natives = 0;
  for (const CheckedOp& op : c.program.ops) {
    variants += op.variants.size();
    examples += op.spec->examples.size();
    natives += op.spec->native.text.empty() ? 0 : 1;
  }
  std::printf("operators  %zu\nnatives    %zu\nvariants   %zu\nexamples   %zu\nfunctions  %zu\nonnx ops   %zu\n",
              c.program.ops.size(), natives, variants, examples, c.program.functions.size(), c.program.groups.size());
  size_t derived = 0, onnx_natives = 0, onnx_examples = 0;
  std::set<std::string> read;
  for (const CheckedOp& op : c.program.onnx) {
    derived += c.program.is_derived(op) ? 1 : 0;
    onnx_examples += op.spec->examples.size();
    onnx_natives += op.spec->native.text.empty() ? 0 : 1;
    read.insert(find_onnx_group(c.onnx, op.spec->op.text)->op);
  }
  std::printf(
      "the way back: operators of ONNX %zu\n  specs    %zu, of which %zu are derived and %zu natives\n  examples %zu\n",
      read.size(), c.program.onnx.size(), derived, onnx_natives, onnx_examples);
  // What recipes emit has to be readable again.
  std::set<std::string> unread;
  for (const OnnxGroup* group : c.program.groups)
    if (read.count(group->op) == 0 && !group->has_body) unread.insert(group->op);
  if (!unread.empty()) std::printf("  emitted, but not read:");
  for (const std::string& op : unread) std::printf(" %s", op.c_str());
  if (!unread.empty()) std::printf("\n");
  std::printf("functions with one call, which the caller could contain:\n");
  for (const SingleCall& s : single_calls(c.program))
    std::printf("  %s: called at %s:%d\n", s.function->head.name.c_str(), s.call.file ? s.call.file->path.c_str() : "",
                s.call.line);
  for (const CheckedOp& op : c.program.ops)
    if (!op.spec->native.text.empty())
      std::printf("  native %s: %s\n", op.spec->op.text.c_str(), op.spec->why.text.c_str());
}

/// What to do, from the command line; the exit status if there is nothing, else -1.
int parse(int argc, char** argv, Options* options) {
  Options& o = *options;
  CLI::App app{"Compiles operator specs (opspecs/*.yaml) to C++ converters."};
  app.add_flag("--check", o.check, "Lint all specs and say everything that is wrong with them");
  app.add_flag("--stats", o.stats, "Count operators, variants, examples and natives");
  app.add_flag("--examples", o.examples, "Print the examples of all specs as JSON, for the conformance runner");
  app.add_option("--root", o.root, "The repository: opspecs/ and templates/ lie below it")->capture_default_str();
  app.add_option("--format", o.format, "How to print diagnostics")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  CLI::App* render = app.add_subcommand("render", "Write the C++ that the build compiles");
  render->add_option("--root", o.root, "The repository")->capture_default_str();
  render
      ->add_option(
          "--out", o.out,
          "Folder to write generated/, docs/ and the schema for editors into; only files that change are touched")
      ->capture_default_str();
  app.add_option("--dump", o.dump,
                 "Print what is between two stages: the specs as read or the checked program, as JSON, or the lowered "
                 "form, of the operator that is named or of all")
      ->check(CLI::IsMember({"specs", "program", "lowered"}));
  app.add_option("op", o.op, "Of --dump lowered: the operator");
  CLI::App* explaining = app.add_subcommand("explain", "Tell what an operator becomes at an opset");
  explaining->add_option("op", o.op, "Operator type of Paddle, or of ONNX: what that becomes in Paddle")->required();
  explaining->add_option("--opset", o.opset, "Opset of the ONNX model")
      ->check(CLI::Range(kOldestOpset, newest_opset()))
      ->capture_default_str();
  explaining->add_option("--root", o.root, "The repository")->capture_default_str();
  CLI::App* formatting = app.add_subcommand("fmt", "Write spec files in their canonical form");
  formatting->add_option("files", o.files, "Spec files; all below opspecs/ if none are given");
  formatting->add_flag("--check", o.check, "Change nothing: name the files that are written otherwise, and fail");
  formatting->add_option("--root", o.root, "The repository")->capture_default_str();
  CLI::App* creating = app.add_subcommand("new", "Print the beginning of a spec, from what the facts say");
  creating->add_option("op", o.op, "Operator type of Paddle, or of ONNX")->required();
  creating->add_option("--root", o.root, "The repository")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  o.render = bool(*render);
  o.explain = bool(*explaining);
  o.fmt = bool(*formatting);
  o.create = bool(*creating);
  if (o.fmt || o.create || o.check || o.stats || o.examples || !o.dump.empty() || o.render || o.explain) return -1;
  std::cout << app.help();
  return 2;
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
  files.merge(render_docs(c.program, c.onnx, c.facts, templates));
  files.merge(render_schema(c.facts, c.onnx));
  Diagnostics diagnostics;
  const std::string page = "docs/spec-reference.md";
  if (const Source source = load_source(o.root + "/" + page, page, diagnostics))
    files[page] = with_key_tables(source->text);
  write_files(files, o.out);
}

int dump(const Compiled& c, const Options& o, const CheckedOp* named) {
  if (o.dump == "specs") std::cout << dump_specs(c.specs) << "\n";
  if (o.dump == "program") std::cout << dump_program(c.program) << "\n";
  if (o.dump != "lowered") return 0;
  if (!o.op.empty() && named == nullptr) return unknown_operator(c, o.op);
  std::cout << lowered::dump(lower(c), o.op);
  return 0;
}

/// The canonical form of all files, or what is not in it.
int format(const Options& o) {
  Diagnostics diagnostics;
  size_t changed = 0;
  const std::vector<std::string> files = o.files.empty() ? spec_files(o.root + "/opspecs", diagnostics) : o.files;
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
  const OnnxModel onnx = OnnxModel::load(o.root + "/opspecs/facts", diagnostics);
  const OnnxGroup* const group = find_onnx_group(onnx, o.op);
  if (group == nullptr) {
    std::cerr << "opgen: error: ONNX has no operator '" << o.op << "'" << did_you_mean(o.op, onnx.names()) << "\n";
    return 1;
  }
  std::cout << skeleton(o.op, onnx_fact(*group), facts, "");
  return 0;
}

int create(const Options& o) {
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(o.root + "/opspecs", o.root, diagnostics);
  const Facts facts = read_facts(o.root + "/opspecs/facts", diagnostics);
  for (const OpSpec& spec : is_onnx_name(o.op) ? specs.onnx : specs.ops)
    if (spec.op.text == o.op) {
      std::cerr << "opgen: error: '" << o.op << "' has a spec: " << spec.file << ":" << spec.span.line << "\n";
      return 1;
    }
  if (is_onnx_name(o.op)) return create_onnx(o, facts, diagnostics);
  const auto older = facts.ops.find(o.op);
  const auto newer = facts.newer.find(o.op);
  if (older == facts.ops.end() && newer == facts.newer.end()) {
    std::vector<std::string> names;
    for (const auto& [name, fact] : facts.ops) names.push_back(name);
    for (const auto& [name, fact] : facts.newer) names.push_back(name);
    std::cerr << "opgen: error: Paddle has no operator '" << o.op << "'" << did_you_mean(o.op, names) << "\n";
    return 1;
  }
  const auto why = facts.unconverted.find(o.op);
  std::cout << skeleton(o.op, older != facts.ops.end() ? older->second : newer->second, facts,
                        why == facts.unconverted.end() ? "" : why->second.reason);
  return 0;
}

int run(const Options& o) {
  if (o.fmt && !o.files.empty()) return format(o);
  if (!std::filesystem::is_directory(o.root + "/opspecs")) {
    std::cerr << "opgen: error: no folder opspecs/ in '" << o.root
              << "'; run opgen in the repository, or name it with --root\n";
    return 2;
  }
  if (o.fmt) return format(o);
  if (o.create) return create(o);
  Diagnostics diagnostics;
  const auto start = std::chrono::steady_clock::now();
  Compiled c;
  compile(o.root, diagnostics, &c);
  const auto find = [&](const std::vector<CheckedOp>& ops) -> const CheckedOp* {
    const auto found =
        std::find_if(ops.begin(), ops.end(), [&](const CheckedOp& op) { return op.spec->op.text == o.op; });
    return found == ops.end() ? nullptr : &*found;
  };
  const CheckedOp* named = find(c.program.ops);
  if (named == nullptr && o.explain) named = find(c.program.onnx);
  if (o.explain && named != nullptr && named->ok) {
    // What is wrong elsewhere does not matter here.
    std::cout << explain(c.program, c.onnx, read_kernel_facts(o.root), *named, o.opset);
    if (diagnostics.has_errors()) std::cerr << "opgen: note: other specs have errors, see opgen --check\n";
    return 0;
  }
  if (const int status = report(diagnostics, o); status != 0) return status;
  if (o.stats) print_stats(c);
  if (o.examples) {
    nlohmann::json list = examples_json(c.specs, c.facts);
    for (nlohmann::json& example : onnx_examples_json(c.specs, c.onnx, c.facts)) list.push_back(std::move(example));
    std::cout << list.dump(1) << "\n";
  }
  if (!o.dump.empty()) return dump(c, o, named);
  if (o.explain) return unknown_operator(c, o.op);
  if (o.render) {
    write(c, o);
  } else if (o.check && o.format == "text") {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%zu operators and %zu functions are fine (%.2f s)\n", c.program.ops.size(), c.program.functions.size(),
                seconds);
    if (const size_t single = single_calls(c.program).size(); single > 0)
      std::printf("%zu functions have one call, whose recipe could contain them: opgen --stats lists them\n", single);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options options;
    const int status = parse(argc, argv, &options);
    return status >= 0 ? status : run(options);
  } catch (const std::exception& e) {
    std::cerr << "opgen: error: " << e.what() << "\n";
    return 2;
  }
}
