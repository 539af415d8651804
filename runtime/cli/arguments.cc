#include "runtime/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "runtime/api/request.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"
#include "runtime/support/version.h"
#include "runtime/targets/targets.h"

namespace fluid2onnx::cli {
namespace {

constexpr char kAbout[] = "Converts PaddlePaddle models to ONNX, and ONNX models to PaddlePaddle.";
constexpr char kFooter[] = R"(Examples:
  fluid2onnx convert resnet18.pdmodel -o resnet18.onnx
  fluid2onnx convert old_model/ --opset 11 --input-shape image=batch,3,224,224
  fluid2onnx convert resnet18.onnx -o resnet18.pdmodel
  fluid2onnx inspect resnet18.pdmodel
  fluid2onnx ops conv2d
  fluid2onnx lint resnet18.onnx --target tract
  fluid2onnx validate resnet18.pdmodel resnet18.onnx

Exit status: 0 done, 1 the model cannot be converted, 2 wrong usage, 3 a file cannot be read or written.
Run 'fluid2onnx COMMAND --help' for the options of a command.)";

constexpr char kConvertFooter[] =
    R"(MODEL is X.pdmodel, X.json, __model__, a folder with one of these, or the prefix X. An ONNX file X.onnx becomes
X.pdmodel and X.pdiparams, or, with '-o X.json', a program in Paddle 3's format. These options do not apply to an
ONNX file: --target, --opset, --ir-version, --params, --weights, --dim-names, --lod, --structure, --fp16 and --bf16.

Examples:
  fluid2onnx convert resnet18.pdmodel -o resnet18.onnx
  fluid2onnx convert old_model/__model__ --params old_model/__params__ --opset 11
  fluid2onnx convert det.pdmodel --input-shape image=1,3,640,640 --input-shape scale=1,2
  fluid2onnx convert net.pdmodel --outputs relu_3.tmp_0 --rename relu_3.tmp_0=features
  fluid2onnx convert net.pdmodel -o net.onnx --json > report.json
  fluid2onnx convert net.pdmodel --validate
  fluid2onnx convert net.pdmodel --inputs good.inputs.npz --expected good.npz
  fluid2onnx convert net.onnx -o net.pdmodel --input-shape image=batch,3,224,224
  fluid2onnx convert net.onnx -o net.json
  fluid2onnx convert -r models/ -o onnx/ --jobs 8 --resume

Exit status: 0 done, 1 the model cannot be converted, 2 wrong usage, 3 a file cannot be read or written.
After an error, an existing output file is unchanged: new files replace it only when they are complete and checked.)";

constexpr char kInspectFooter[] = R"(Examples:
  fluid2onnx inspect resnet18.pdmodel --opset 11
  fluid2onnx inspect old_model/ --ops
  fluid2onnx inspect resnet18.pdmodel --json > model.json
  fluid2onnx inspect resnet18.onnx
  fluid2onnx inspect resnet18.pdmodel --html resnet18.html

Exit status: 0 the model can be converted, 1 it cannot, 2 wrong usage, 3 the file cannot be read.)";

constexpr char kOpsFooter[] = R"(Examples:
  fluid2onnx ops
  fluid2onnx ops conv2d
  fluid2onnx ops --json

Exit status: 0 done, 1 unknown operator, 2 wrong usage.)";

constexpr char kLintFooter[] = R"(Examples:
  fluid2onnx lint resnet18.onnx --target openvino
  fluid2onnx lint resnet18.onnx --target opencv@5 --json
  fluid2onnx lint resnet18.onnx --target all

Exit status: 0 the target runs all nodes, 1 it refuses some, 2 wrong usage, 3 the file cannot be read.)";

/// CLI11's own layout neither breaks long lines nor names the program in the usage line of a command.
class Layout : public CLI::Formatter {
 public:
  Layout() { column_width(kColumn); }

  std::string make_usage(const CLI::App* app, std::string) const override {
    if (!app->get_parent()) return "\nUsage: fluid2onnx COMMAND [OPTIONS]\n";
    std::string usage = "\nUsage: fluid2onnx " + app->get_name();
    for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      usage += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
    }
    return usage + " [OPTIONS]\n";
  }
  std::string make_positionals(const CLI::App* app) const override {
    const auto options = app->get_options([](const CLI::Option* o) { return o->get_positional(); });
    return options.empty() ? "" : make_group("Arguments", true, options);
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string head = "  ";
    for (const char c : is_positional ? option->get_name() : option->get_name(false, true)) {
      if (c == '{') break;  // what a flag without '=' means
      head += c;
      if (c == ',') head += ' ';
    }
    if (option->get_name() == "--json") head += "[=FILE]";
    const std::string type = option->get_type_name();
    if (!is_positional && option->get_type_size() != 0 && !type.empty()) {
      // With a check, CLI11 lists its values after a colon.
      head += " " + type.substr(0, type.find(':'));
    }
    std::string text = option->get_description();
    const std::string initial = option->get_default_str();
    if (!initial.empty()) text += " (default: " + initial + ")";
    return two_columns(head, text);
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return two_columns("  " + sub->get_name(), sub->get_description());
  }
  std::string make_footer(const CLI::App* app) const override { return app->get_footer() + "\n"; }

 private:
  static constexpr size_t kColumn = 28;
  static constexpr size_t kWidth = 100;

  static std::string two_columns(std::string line, const std::string& text) {
    std::string out;
    if (line.size() + 2 > kColumn) {
      out = line + "\n";
      line.clear();
    }
    line.resize(kColumn, ' ');
    std::istringstream words(text);
    bool first = true;
    for (std::string word; words >> word; first = false) {
      if (!first && line.size() + 1 + word.size() > kWidth) {
        out += line + "\n";
        line.assign(kColumn, ' ');
        first = true;
      }
      line += (first ? "" : " ") + word;
    }
    return out + line + "\n";
  }
};

struct Raw {
  std::vector<std::string> shapes, renames;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> custom_ops;
  std::string weights = "auto";
  bool fp16 = false, bf16 = false;
  std::vector<std::string> float32_ops, half_ops;
  std::string target;
  bool opset_given = false;
};

/// Splits NAME=REST at the last '=', because names can contain '='.
std::pair<std::string, std::string> split(const std::string& text, const char* option, const char* form) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(E_USAGE, "'" + text + "' does not have the form " + form).at(option);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Moves --inputs FILE.npz to `recorded_inputs`: with --validate, --inputs names a file of arrays, not variables.
void digest_validation(Raw* raw, Arguments* a) {
  a->validate = a->validate || !a->expected.empty();
  a->shapes = raw->shapes;
  if (!a->validate && !a->custom_op_libraries.empty()) {
    throw Error(E_USAGE, "needs --validate, which runs ONNX Runtime").at("--custom-op-library");
  }
  if (!a->validate) return;
  if (raw->inputs.size() == 1 && raw->inputs[0].ends_with(".npz")) {
    a->recorded_inputs = raw->inputs[0];
    raw->inputs.clear();
  }
  if (!raw->inputs.empty()) {
    throw Error(E_USAGE, "must be a .npz file with --validate, because Paddle runs the whole model").at("--inputs");
  }
  if (a->options.precision.ports) {
    throw Error(E_USAGE, "cannot be combined with --validate: Paddle's inputs and outputs are not in half precision")
        .at("--half-io");
  }
  if (!a->expected.empty() && a->recorded_inputs.empty()) {
    throw Error(E_USAGE, "needs --inputs FILE.npz with the inputs of these outputs").at("--expected");
  }
}

/// Rejects options that apply to a single model if --recursive or --list converts many.
void digest_many(const CLI::App& app, Arguments* a) {
  const bool many = a->recursive || !a->list.empty();
  if (a->recursive && !a->list.empty()) throw Error(E_USAGE, "choose one of --recursive and --list").at("--list");
  if (a->model.empty() == a->list.empty()) {
    throw Error(E_USAGE, a->model.empty() ? "MODEL is required"
                                          : "cannot be combined with MODEL '" + a->model + "'; choose one of them")
        .at(a->model.empty() ? "" : "--list");
  }
  if (!many && a->jobs) throw Error(E_USAGE, "needs --recursive or --list").at("--jobs");
  if (!many && a->resume) throw Error(E_USAGE, "needs --recursive or --list").at("--resume");
  if (!many) return;
  const std::string remedy = "applies to one model; write it into the lines of --list";
  if (!a->files.params.empty()) throw Error(E_USAGE, remedy).at("--params");
  if (a->validate || a->structure) {
    throw Error(E_USAGE, "cannot be combined with --recursive or --list; convert each model alone")
        .at(a->validate ? "--validate" : "--structure");
  }
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool of_results = name != "--jobs" && name != "--resume" && name != "--json" && name != "--quiet" &&
                            name != "--output" && name != "--list" && name != "MODEL" && name != "--recursive";
    if (!of_results || option->count() == 0) continue;
    a->many_key += (a->many_key.empty() ? "" : " ") + name;
    for (const std::string& word : option->results()) a->many_key += " " + word;
  }
}

void digest(const Raw& raw, Arguments* arguments) {
  for (const std::string& text : raw.shapes) {
    const auto [name, dims] = split(text, "--input-shape", "NAME=DIMS, such as x=batch,3,224,224");
    try {
      arguments->options.input_shapes[name] = parse_input_shape(dims);
    } catch (Error& e) {
      throw Error(e.code(), e.message()).at("--input-shape");
    }
  }
  for (const std::string& text : raw.renames) {
    const auto [from, to] = split(text, "--rename", "OLD=NEW");
    arguments->options.renames[from] = to;
  }
  for (const std::string& text : raw.custom_ops) arguments->options.custom_ops.insert(parse_custom_op(text));
  Precision& precision = arguments->options.precision;
  if (raw.fp16 && raw.bf16) throw Error(E_USAGE, "choose one of --fp16 and --bf16").at("--bf16");
  if (raw.fp16) precision.to = Dtype::float16;
  if (raw.bf16) precision.to = Dtype::bfloat16;
  precision.keep.insert(raw.float32_ops.begin(), raw.float32_ops.end());
  precision.lower.insert(raw.half_ops.begin(), raw.half_ops.end());
  if (precision.to == Dtype::undefined && (precision.ports || !precision.keep.empty() || !precision.lower.empty())) {
    throw Error(E_USAGE, "needs --fp16 or --bf16")
        .at(precision.ports          ? "--half-io"
            : precision.keep.empty() ? "--half-ops"
                                     : "--float32-ops");
  }
  if (!raw.target.empty()) choose_target(raw.target, raw.opset_given, &arguments->options);
  arguments->options.inputs = raw.inputs;
  arguments->options.outputs = raw.outputs;
  arguments->files.weights = parse_weights(raw.weights, "--weights");
}

std::string target_names() {
  std::string names;
  for (const Target& target : all_targets()) {
    const std::string name(target.name);
    if (!names.ends_with(name)) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::string opset_range() { return std::to_string(kOldestOpset) + " to " + std::to_string(newest_opset()); }

/// CLI11's "Could not convert" would be mistaken for a conversion error.
std::string not_an_opset(const std::string& text) {
  int number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && stop == text.data() + text.size()) return "";
  return "'" + text + "' is not a number; opsets are " + opset_range();
}

CLI::Option* add_model(CLI::App* app, Arguments* a, Raw* raw) {
  CLI::Option* model = app->add_option("MODEL", a->model, "A Paddle program (file or folder), or an ONNX file");
  app->add_option("--params", a->files.params,
                  "Read the parameters from this file or folder, if they are not beside the program")
      ->type_name("FILE");
  app->add_option("--opset", a->options.opset, "Use exactly this ONNX opset, " + opset_range())
      ->type_name("N")
      ->check(CLI::Validator(not_an_opset, ""))
      ->capture_default_str();
  app->add_option("--input-shape,--shape", raw->shapes,
                  "Set the shape of an input. Each dimension is a size of at least 1, a name for a dynamic dimension "
                  "(dimensions "
                  "of equal names have equal sizes), or ? or -1 for an unnamed dynamic dimension; repeatable")
      ->type_name("NAME=DIMS")
      ->expected(1)
      ->take_all();
  app->add_option("--inputs", raw->inputs, "Cut the model: make these variables (of an ONNX model: values) its inputs")
      ->type_name("A,B...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--outputs", raw->outputs,
                  "Cut the model: make these variables (of an ONNX model: values) its outputs")
      ->type_name("A,B...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--spec", a->specs,
                  "Convert operators by this spec file or folder of spec files. A spec adds an operator or replaces "
                  "its built-in "
                  "conversion; repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app->add_flag("--json{-}", a->json.path, "Print the report as JSON, to stdout or to FILE");
  return model;
}

void add_convert(CLI::App* app, Arguments* a, Raw* raw) {
  add_model(app, a, raw);
  app->add_option("--custom-op", raw->custom_ops, "Convert operators TYPE to nodes DOMAIN::OP; repeatable")
      ->type_name("TYPE=NODE")
      ->expected(1)
      ->take_all();
  app->add_flag("--continue-on-error", a->options.continue_on_error,
                "Write operators that cannot be converted as nodes of the domain 'paddle'; the exit status is still 1");
  app->add_option(
         "-o,--output", a->output,
         "Write this file: X.onnx, X.pdmodel or X.json (default: in the current folder, with the name of the model)")
      ->type_name("FILE");
  app->add_option(
         "--target", raw->target,
         "Convert for this engine, NAME or NAME@VERSION: use its best opset unless --opset is given, and report "
         "the nodes that it refuses; the exit status is then 1. Targets: " +
             target_names())
      ->type_name("NAME");
  app->add_option("--rename", raw->renames, "Rename an input or output; repeatable")
      ->type_name("OLD=NEW")
      ->expected(1)
      ->take_all();
  app->add_option("--dim-names", a->options.dim_prefix,
                  "Name unnamed dynamic dimensions PREFIX.0, PREFIX.1 ... (default: after their input or output)")
      ->type_name("PREFIX");
  app->add_option("--ir-version", a->options.ir_version,
                  "Write this IR version (default: the lowest that allows the opset, at least 4). Version 3, for "
                  "opsets 7 and 8, "
                  "also lists the weights among the graph's inputs")
      ->type_name("N");
  app->add_option(
         "--weights", raw->weights,
         "Store the weights inline (in the ONNX file), external (in FILE.data beside it), or reference (nowhere: the "
         "ONNX file refers to Paddle's file). auto is inline up to 2 GB, and external above")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"auto", "inline", "external", "reference"}))
      ->capture_default_str();
  app->add_flag("--fp16", raw->fp16, "Store weights and compute in float16 where possible (see the guide)");
  app->add_flag("--bf16", raw->bf16, "Store weights and compute in bfloat16 where possible; needs opset 13 or later");
  app->add_flag("--half-io", a->options.precision.ports, "With --fp16 or --bf16: convert inputs and outputs, too");
  app->add_option("--float32-ops", raw->float32_ops, "With --fp16 or --bf16: keep these ONNX operators in float32")
      ->type_name("OP,OP...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option(
         "--half-ops", raw->half_ops,
         "With --fp16 or --bf16: compute these ONNX operators in 16 bits although the default is float32; all: every "
         "operator for which ONNX allows it")
      ->type_name("OP,OP...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--lod",
                  "Convert tensors with LoD (sequences). lengths: add an int64 tensor NAME.lengths for each input and "
                  "output with "
                  "LoD (default, if an input has LoD). single: the model takes one sequence per run, without lengths")
      ->type_name("lengths|single")
      ->check(CLI::IsMember({"lengths", "single"}))
      ->each([a](const std::string& mode) { a->options.lod = mode == "single" ? LodMode::single : LodMode::lengths; });
  app->add_flag("--sync", a->files.sync, "Wait until the file is on the disk, so that it survives a power failure");
  app->add_flag("--structure", a->structure, "Print the ONNX graph, one line per node");
  app->add_flag(
      "--validate", a->validate,
      "After the conversion, compare with Paddle as 'fluid2onnx validate' does, and print the graph (at most 60 lines "
      "without --structure). With --inputs FILE.npz, use these inputs");
  app->add_option("--expected", a->expected,
                  "With --inputs FILE.npz: compare with these recorded outputs; Paddle is not needed")
      ->type_name("FILE.npz");
  app->add_option(
         "--custom-op-library", a->custom_op_libraries,
         "With --validate: load this library into ONNX Runtime. It has kernels of custom operators, such as those of "
         "--custom-op; repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app->add_flag("-q,--quiet", a->quiet, "Print neither summary nor progress");
  app->add_flag(
      "-r,--recursive", a->recursive,
      "Convert every model in the folder MODEL and its subfolders; -o is the folder for the results, with the same "
      "subfolders");
  app->add_option("--list", a->list,
                  "Instead of MODEL: convert the models that this file lists (-: standard input). Each line is a path, "
                  "or a JSON "
                  "object with options (see 'Many models' in the documentation); -o is the folder for the results")
      ->type_name("FILE");
  app->add_option("-j,--jobs", a->jobs,
                  "With --recursive or --list: convert this many models at a time (default: one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  app->add_flag(
      "--resume", a->resume,
      "With --recursive or --list: skip models that an earlier run converted from the same files, with the same "
      "options, into the same folder");
  app->footer(kConvertFooter);
}

/// CLI11 only reports leftover words.
std::string unknown_words(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : app.remaining()) {
    if (word.empty() || word[0] != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    return "unknown option '" + name + "'" + did_you_mean(name, known);
  }
  for (const std::string& word : app.remaining()) return "unexpected argument '" + word + "'";
  return "";
}

int usage_error(const std::string& command, const std::string& message) {
  std::cerr << "fluid2onnx" << (command.empty() ? "" : " " + command) << ": error: " << message
            << "\n  hint: run 'fluid2onnx" << (command.empty() ? "" : " " + command) << " --help' for the options\n";
  return kUsage;
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, char** argv, int* exit_code) {
  Arguments a;
  Raw raw;
  CLI::App app(kAbout, "fluid2onnx");
  app.formatter(std::make_shared<Layout>());
  app.footer(kFooter);
  app.set_version_flag("--version", kVersion, "Print the version and the opsets");
  app.set_help_flag("-h,--help", "Print this help");

  CLI::App* convert = app.add_subcommand("convert", "Convert a model to an ONNX file, or an ONNX file to a program");
  add_convert(convert, &a, &raw);

  CLI::App* inspect =
      app.add_subcommand("inspect", "List what a model contains and which operators cannot be converted");
  add_model(inspect, &a, &raw)->required();
  inspect->add_flag("--ops", a.list_ops, "List every operator with its variables");
  inspect
      ->add_option("--html", a.html,
                   "Write an HTML page that draws the graph, of a Paddle program or an ONNX file (needs Python)")
      ->type_name("FILE");
  inspect->footer(kInspectFooter);

  CLI::App* ops = app.add_subcommand("ops", "List the operators that can be converted");
  ops->add_option("NAME", a.op, "Print only this operator");
  ops->add_flag("--json{-}", a.json.path, "Print JSON, to stdout or to FILE");
  ops->footer(kOpsFooter);

  CLI::App* lint = app.add_subcommand("lint", "List the nodes of an ONNX model that another engine refuses");
  lint->add_option("MODEL", a.model, "An ONNX file, from any program")->required();
  lint->add_option("--target", a.target, "The engine: NAME, NAME@VERSION, or all for a summary: " + target_names())
      ->type_name("NAME")
      ->required();
  lint->add_flag("--json{-}", a.json.path, "Print the report as JSON, to stdout or to FILE");
  lint->footer(kLintFooter);

  // Its options are those of the Python package, which parses them (see validate.cc).
  app.add_subcommand(
      "validate",
      "Run a Paddle model and the ONNX file of its conversion, and compare the outputs (needs Python and Paddle)");

  app.add_subcommand("report", "Pack a model without its weights for a bug report (needs Python)");
  // Has subcommands (see spec.cc).
  app.add_subcommand("spec", "Check spec files and run their examples");

  const std::vector<std::string> commands{"convert", "inspect", "ops", "lint", "validate", "report", "spec"};
  if (argc < 2) {
    std::cout << app.help();
    *exit_code = kUsage;
    return std::nullopt;
  }
  const std::string first = argv[1];
  if (first[0] != '-' && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    *exit_code = usage_error("", "unknown command '" + first + "'" + did_you_mean(first, commands));
    return std::nullopt;
  }

  CLI::App* chosen = nullptr;
  for (CLI::App* sub : {convert, inspect, ops, lint}) {
    if (first == sub->get_name()) chosen = sub;
  }
  const std::string name = chosen ? chosen->get_name() : "";
  try {
    for (CLI::App* sub : {convert, inspect, ops, lint}) sub->allow_extras();
    app.allow_extras();
    app.parse(argc, argv);
    const std::string unknown = unknown_words(chosen ? *chosen : app);
    if (!unknown.empty()) {
      *exit_code = usage_error(name, unknown);
      return std::nullopt;
    }
    raw.opset_given = chosen == convert && convert->get_option("--opset")->count() > 0;
    digest_validation(&raw, &a);
    if (chosen == convert) digest_many(*convert, &a);
    if (!a.html.empty() && (!a.json.path.empty() || a.list_ops)) {
      throw Error(E_USAGE, "choose one of --html and " + std::string(a.list_ops ? "--ops" : "--json")).at("--html");
    }
    digest(raw, &a);
  } catch (const CLI::CallForHelp&) {
    std::cout << (chosen ? chosen : &app)->help();
    *exit_code = kDone;
    return std::nullopt;
  } catch (const CLI::CallForVersion&) {
    std::cout << "fluid2onnx " << kVersion << "\nopsets " << opset_range() << "\n";
    *exit_code = kDone;
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    // A misspelt option leaves its argument over, and what is then missing is not the point.
    const std::string unknown = chosen ? unknown_words(*chosen) : "";
    *exit_code = usage_error(name, unknown.empty() ? e.what() : unknown);
    return std::nullopt;
  } catch (const Error& e) {
    *exit_code = usage_error(name, (e.place().empty() ? "" : e.place() + ": ") + e.message());
    return std::nullopt;
  }

  a.command = chosen == inspect ? Arguments::Command::inspect
              : chosen == ops   ? Arguments::Command::ops
              : chosen == lint  ? Arguments::Command::lint
                                : Arguments::Command::convert;
  a.json.wanted = !a.json.path.empty();
  return a;
}

}  // namespace fluid2onnx::cli
