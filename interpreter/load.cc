#include "interpreter/load.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <map>
#include <set>

#include "generator/check/builtins.h"
#include "generator/check/onnx_fact.h"
#include "generator/diagnostics/text.h"
#include "generator/spec/example.h"
#include "interpreter/codes.h"
#include "interpreter/knowledge.h"
#include "interpreter/natives.h"
#include "interpreter/run.h"

namespace fluid2onnx {

using opgen::Diagnostics;

SpecError::SpecError(const Error& summary, const std::string& diagnostics)
    : Error(summary), text_("errors in specs [" + std::string(code_name(summary.code())) + "]\n" + diagnostics) {
  while (text_.back() == '\n') text_.pop_back();
}

namespace interpreter {
namespace {

constexpr char kFolder[] = "fluid2onnx:opspecs/";  // as messages show it: no file of the user's

opgen::Source knowledge(const std::string& path) {
  for (const KnownFile& file : known_files())
    if (path == file.path) return std::make_shared<const opgen::SourceFile>(kFolder + path, file.text);
  return nullptr;
}

bool is_library(const std::string& file) {
  return std::any_of(known_files().begin(), known_files().end(),
                     [&](const KnownFile& known) { return file == kFolder + std::string(known.path); });
}

std::vector<std::string> library_files() {
  std::vector<std::string> paths;
  for (const KnownFile& file : known_files())
    if (std::strncmp(file.path, "lib/", 4) == 0) paths.emplace_back(file.path);
  return paths;
}

/// The compiled specs and their program. Each converter keeps them alive.
struct Loaded {
  opgen::Compiled compiled;
  std::unique_ptr<Program> program;
};

/// Reports converters in C++ that do not exist. Specs of ONNX's operators cannot name any.
void refuse_natives(const std::vector<opgen::OpSpec>& specs, Diagnostics& diagnostics) {
  for (const opgen::OpSpec& spec : specs) {
    const std::string& native = spec.native.text;
    if (native.empty() || (!spec.onnx && native_converters().count(native) > 0)) continue;
    diagnostics.error("unknown-native", spec.native.span,
                      "fluid2onnx has no converter '" + native + "' in C++" +
                          opgen::did_you_mean(native, opgen::names_of(native_converters())),
                      "write a recipe: specs at run time can only name compiled converters");
  }
}

/// No conversion can fail with a code that does not exist.
void check_codes(const opgen::OpSpec& spec, Diagnostics& diagnostics) {
  for (const opgen::Example& example : spec.examples) {
    const opgen::YamlNode::Entry* refused = example.body.find("refused");
    if (refused == nullptr || refused->value.kind != opgen::YamlNode::Kind::scalar) continue;
    const std::string& code = refused->value.text;
    const bool is_code = code.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;  // else it was reported
    if (is_code && !find_code(code)) unknown_code(code, refused->value.span, diagnostics);
  }
}

void throw_if_wrong(Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return;
  diagnostics.sort();
  const auto& all = diagnostics.all();
  const auto first = std::find_if(all.begin(), all.end(),
                                  [](const opgen::Diagnostic& d) { return d.severity == opgen::Severity::error; });
  const size_t count = diagnostics.error_count();
  Error summary(
      E_USAGE, count == 1 ? first->message : first->message + " (the first of " + std::to_string(count) + " mistakes)");
  if (first->span.file && first->span.line > 0)
    summary.at(first->span.file->path + ":" + std::to_string(first->span.line) + ":" +
               std::to_string(first->span.column));
  else if (first->span.file) summary.at(first->span.file->path);
  throw SpecError(summary, opgen::format_text(diagnostics));
}

/// Without a program after errors.
std::shared_ptr<const Loaded> load(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  const auto loaded = std::make_shared<Loaded>();
  // A user who needs one model converted can do without docs and examples.
  diagnostics.only_warn_of({"doc-style", "missing-doc", "missing-examples"});
  opgen::compile_alone(paths, knowledge, library_files(), diagnostics, &loaded->compiled);
  const opgen::SpecSet& specs = loaded->compiled.specs;
  for (const auto* list : {&specs.ops, &specs.onnx}) {
    refuse_natives(*list, diagnostics);
    for (const opgen::OpSpec& spec : *list) check_codes(spec, diagnostics);
  }
  if (specs.ops.empty() && specs.onnx.empty() && !diagnostics.has_errors()) {
    opgen::Span nowhere;
    nowhere.file = std::make_shared<const opgen::SourceFile>(paths.empty() ? "" : paths.front(), "");
    diagnostics.error("no-spec", nowhere, "the files contain no spec of an operator");
  }
  if (!diagnostics.has_errors())
    loaded->program = std::make_unique<Program>(loaded->compiled, opgen::lower(loaded->compiled), diagnostics);
  return loaded;
}

CustomSignature signature_of(const opgen::CheckedOp& op, const opgen::Facts& facts) {
  CustomSignature own;
  own.place = op.spec->file + ":" + std::to_string(op.spec->signature->span.line);
  own.inputs = opgen::names_of(op.fact.inputs);
  own.outputs = opgen::names_of(op.fact.outputs);
  own.attrs = opgen::names_of(op.fact.attrs);
  const auto want = [&](const opgen::AttrFact& attr) {
    if (attr.default_value.is_null() && attr.type != "block") own.wanted.push_back(attr.name);
  };
  for (const opgen::CheckedAttr& a : op.attrs) want(a.fact);
  own.ignored = facts.ignored_attrs;
  return own;
}

/// Runs a recipe.
std::function<void(OpContext&, std::string*)> recipe_of(const std::shared_ptr<const Loaded>& loaded,
                                                        const opgen::lowered::Converter& c) {
  return [loaded, routine = c.routine.get()](OpContext& op, std::string* lines) {
    Run(*loaded->program, op, *lines).routine(*routine, {});
  };
}

AddedConverter converter_of(const std::shared_ptr<const Loaded>& loaded, const opgen::lowered::Converter& c) {
  AddedConverter added;
  added.spec = c.op->spec->file;
  if (c.op->spec->signature) added.signature = signature_of(*c.op, loaded->compiled.facts);
  for (const opgen::Text& slot : c.op->spec->complex) added.complex.push_back(slot.text);
  if (!c.routine) {
    added.convert = [native = native_converters().at(c.op->spec->native.text)](OpContext& op, std::string*) {
      native(op);
    };
    return added;
  }
  added.required = opgen::required_inputs(*c.op);
  added.convert = recipe_of(loaded, c);
  return added;
}

void add_onnx_converters(const std::shared_ptr<const Loaded>& loaded, AddedConverters* added) {
  const auto group_of = [&](const opgen::lowered::Converter& c) {
    return opgen::find_onnx_group(loaded->compiled.onnx, c.op->spec->op.text);
  };
  std::set<const opgen::OnnxGroup*> with_specs;
  for (const opgen::lowered::Converter& c : loaded->program->lowered().onnx) with_specs.insert(group_of(c));
  for (const opgen::lowered::Converter& c : loaded->program->lowered().onnx) {
    const opgen::OnnxGroup& group = *group_of(c);
    opgen::OnnxForm form = opgen::onnx_form(group, loaded->compiled.onnx, with_specs);
    const int last = group.last < opgen::newest_opset() ? group.last : INT_MAX;
    added->onnx.emplace(
        group.op, AddedOnnxConverter{recipe_of(loaded, c), c.op->spec->file, form.first, last, std::move(form.inputs),
                                     std::move(form.outputs), std::move(form.older)});
  }
}

}  // namespace
}  // namespace interpreter

std::shared_ptr<const AddedConverters> load_specs(const std::vector<std::string>& paths) {
  using namespace interpreter;  // NOLINT: its parts
  Diagnostics diagnostics;
  const std::shared_ptr<const Loaded> loaded = load(paths, diagnostics);
  throw_if_wrong(diagnostics);
  auto converters = std::make_shared<AddedConverters>();
  for (const opgen::lowered::Converter& c : loaded->program->lowered().converters)
    converters->paddle.emplace(c.op->spec->op.text, converter_of(loaded, c));
  add_onnx_converters(loaded, converters.get());
  return converters;
}

SpecCheck check_specs(const std::vector<std::string>& paths) {
  using namespace interpreter;  // NOLINT: its parts
  Diagnostics diagnostics;
  const std::shared_ptr<const Loaded> loaded = load(paths, diagnostics);
  diagnostics.sort();
  SpecCheck result;
  result.ok = !diagnostics.has_errors();
  for (const auto* list : {&loaded->compiled.specs.ops, &loaded->compiled.specs.onnx}) {
    result.operators += list->size();
    for (const opgen::OpSpec& spec : *list) result.examples += spec.examples.size();
  }
  for (const opgen::Function& f : loaded->compiled.specs.functions) result.functions += is_library(f.file) ? 0 : 1;
  if (!diagnostics.all().empty()) result.text = opgen::format_text(diagnostics);
  result.json = opgen::format_json(diagnostics);
  return result;
}

std::string functions_text(const std::string& word) {
  using namespace interpreter;  // NOLINT: its parts
  Diagnostics diagnostics;
  opgen::Compiled compiled;
  opgen::compile_alone({}, knowledge, library_files(), diagnostics, &compiled);
  throw_if_wrong(diagnostics);
  std::string text;
  const auto tell = [&](const std::string& head, const std::string& doc) {
    if (head.find(word) != std::string::npos || doc.find(word) != std::string::npos)
      text += head + "\n    " + doc + "\n";
  };
  for (const opgen::Builtin& b : opgen::builtins()) tell(b.signature, b.doc);
  std::map<std::string, const opgen::Function*> library;
  for (const opgen::CheckedFunction& f : compiled.program.functions)
    if (!f.emits_paddle) library.emplace(f.head.name, f.spec);  // the others are for specs of ONNX's operators
  for (const auto& [name, function] : library) tell(function->head.text, function->doc.text);
  for (const opgen::CheckedRequirement& r : compiled.program.requirements)
    tell("require: " + r.spec->head.text, r.spec->doc.text);
  return text;
}

std::string spec_examples(const std::vector<std::string>& paths) {
  using namespace interpreter;  // NOLINT: its parts
  Diagnostics diagnostics;
  const std::shared_ptr<const Loaded> loaded = load(paths, diagnostics);
  throw_if_wrong(diagnostics);
  return opgen::examples_json(loaded->compiled).dump(1);
}

}  // namespace fluid2onnx
