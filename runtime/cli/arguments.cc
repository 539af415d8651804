#include "runtime/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "runtime/driver/custom_node.h"
#include "runtime/driver/request.h"
#include "runtime/driver/version.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"

namespace fluid2onnx::cli {
namespace {

constexpr char kAbout[] = "Converts PaddlePaddle models to ONNX, and ONNX models to PaddlePaddle.";
constexpr char kFooter[] = R"(Examples:
  fluid2onnx convert resnet18.pdmodel -o resnet18.onnx
  fluid2onnx convert old_model/ --opset 11 --input-shape image=batch,3,224,224
  fluid2onnx convert resnet18.onnx -o resnet18.pdmodel
  fluid2onnx inspect resnet18.pdmodel
  fluid2onnx ops conv2d
  fluid2onnx validate resnet18.pdmodel resnet18.onnx

Exit status: 0 done, 1 the model cannot be converted, 2 wrong usage, 3 a file cannot be read or written.
'fluid2onnx COMMAND --help' tells more about a command.)";

constexpr char kConvertFooter[] =
    R"(MODEL is X.pdmodel, X.json, __model__, the folder that holds one of these, or the prefix X. Or it is an
ONNX file, X.onnx, which becomes X.pdmodel and X.pdiparams, or with '-o X.json' what Paddle 3 itself writes:
then --opset, --ir-version, --params, --weights, --dim-names, --lod, --structure and those of 16 bits say nothing,
and are refused.

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
Nothing is written unless all is well: the ONNX file appears complete and checked, or not at all; a program
and its parameters likewise.)";

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

Exit status: 0 done, 1 there is no such operator, 2 wrong usage.)";

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
};

/// NAME=REST; the name may hold '=' itself if it must.
std::pair<std::string, std::string> split(const std::string& text, const char* option, const char* form) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(E_USAGE, "'" + text + "' is not of the form " + form).at(option);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// With --validate, --inputs FILE.npz are arrays.
void digest_validation(Raw* raw, Arguments* a) {
  a->validate = a->validate || !a->expected.empty();
  a->shapes = raw->shapes;
  if (!a->validate && !a->custom_op_libraries.empty()) {
    throw Error(E_USAGE, "ONNX Runtime takes it, which runs with --validate").at("--custom-op-library");
  }
  if (!a->validate) return;
  if (raw->inputs.size() == 1 && raw->inputs[0].ends_with(".npz")) {
    a->recorded_inputs = raw->inputs[0];
    raw->inputs.clear();
  }
  if (!raw->inputs.empty()) {
    throw Error(E_USAGE, "Paddle runs the model from its own inputs on; with --validate, --inputs is a .npz file")
        .at("--inputs");
  }
  if (a->options.precision.ports) {
    throw Error(E_USAGE, "inputs and outputs in half precision are not Paddle's").at("--half-io");
  }
  if (!a->expected.empty() && a->recorded_inputs.empty()) {
    throw Error(E_USAGE, "needs the --inputs FILE.npz that belong to it").at("--expected");
  }
}

/// Rejects options of a single model when there are many.
void digest_many(const CLI::App& app, Arguments* a) {
  const bool many = a->recursive || !a->list.empty();
  if (a->recursive && !a->list.empty()) throw Error(E_USAGE, "choose one of --recursive and --list").at("--list");
  if (a->model.empty() == a->list.empty()) {
    throw Error(E_USAGE, a->model.empty() ? "MODEL is required" : "stands in place of MODEL '" + a->model + "'")
        .at(a->model.empty() ? "" : "--list");
  }
  if (!many && a->jobs) throw Error(E_USAGE, "needs --recursive or --list").at("--jobs");
  if (!many && a->resume) throw Error(E_USAGE, "needs --recursive or --list").at("--resume");
  if (!many) return;
  const std::string remedy = "belongs to one model; --list takes options for each";
  if (!a->files.params.empty()) throw Error(E_USAGE, remedy).at("--params");
  if (a->validate || a->structure) {
    throw Error(E_USAGE, "of many models is not told; convert those one by one")
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
  arguments->options.inputs = raw.inputs;
  arguments->options.outputs = raw.outputs;
  arguments->files.weights = parse_weights(raw.weights, "--weights");
}

std::string opset_range() { return std::to_string(kOldestOpset) + " to " + std::to_string(newest_opset()); }

/// CLI11's "Could not convert" would be mistaken for a conversion error.
std::string not_an_opset(const std::string& text) {
  int number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && stop == text.data() + text.size()) return "";
  return "'" + text + "' is no number; opsets are " + opset_range();
}

CLI::Option* add_model(CLI::App* app, Arguments* a, Raw* raw) {
  CLI::Option* model = app->add_option("MODEL", a->model, "The program, a file or a folder; or an ONNX file");
  app->add_option("--params", a->files.params,
                  "File (or folder) of the parameters, if they do not stand beside the program")
      ->type_name("FILE");
  app->add_option("--opset", a->options.opset,
                  "Opset of the ONNX model, " + opset_range() + ". It is never raised by itself")
      ->type_name("N")
      ->check(CLI::Validator(not_an_opset, ""))
      ->capture_default_str();
  app->add_option(
         "--input-shape,--shape", raw->shapes,
         "Shape of an input: sizes from 1 on, names of unknown dims (equal names are equal dims), ? or -1 for unnamed "
         "ones; repeatable")
      ->type_name("NAME=DIMS")
      ->expected(1)
      ->take_all();
  app->add_option("--inputs", raw->inputs, "Variables, or values of ONNX, that become the inputs: cuts the model")
      ->type_name("A,B...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--outputs", raw->outputs, "Variables, or values of ONNX, that become the outputs: cuts the model")
      ->type_name("A,B...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--spec", a->specs,
                  "Spec file, or folder of them, of operators that fluid2onnx lacks or that it should convert "
                  "otherwise; repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app->add_flag("--json{-}", a->json.path, "Report as JSON, to stdout or to FILE");
  return model;
}

void add_convert(CLI::App* app, Arguments* a, Raw* raw) {
  add_model(app, a, raw);
  app->add_option("--custom-op", raw->custom_ops,
                  "Leaves an operator to the runtime, as a node of a domain of its own; repeatable")
      ->type_name("TYPE=DOMAIN::OP")
      ->expected(1)
      ->take_all();
  app->add_flag("--continue-on-error", a->options.continue_on_error,
                "Leaves what cannot be converted as nodes of the domain 'paddle'; the exit status is 1 all the same");
  app->add_option(
         "-o,--output", a->output,
         "The file to write, X.onnx, X.pdmodel or X.json; without it, named after the model, in the current folder")
      ->type_name("FILE");
  app->add_option("--rename", raw->renames, "Another name for an input or output; repeatable")
      ->type_name("OLD=NEW")
      ->expected(1)
      ->take_all();
  app->add_option("--dim-names", a->options.dim_prefix,
                  "Calls unknown dims without a name PREFIX.0, PREFIX.1 ... instead of after their input or output")
      ->type_name("PREFIX");
  app->add_option(
         "--ir-version", a->options.ir_version,
         "IR version of the ONNX file; without it the lowest for the opset, at least 4. Version 3 (opsets 7 and "
         "8) also lists the weights among the graph's inputs")
      ->type_name("N");
  app->add_option("--weights", raw->weights,
                  "Where weights go: inline (into the ONNX file), external (FILE.data beside it), reference (not "
                  "written: the ONNX file points into Paddle's file), auto (external above 2 GB)")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"auto", "inline", "external", "reference"}))
      ->capture_default_str();
  app->add_flag("--fp16", raw->fp16, "Weights and computation in float16, where they can be (see the guide)");
  app->add_flag("--bf16", raw->bf16, "The same in bfloat16; from opset 13 on");
  app->add_flag("--half-io", a->options.precision.ports, "With --fp16 or --bf16: inputs and outputs too");
  app->add_option("--float32-ops", raw->float32_ops, "With --fp16 or --bf16: ONNX operators that stay in float32")
      ->type_name("OP,OP...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--half-ops", raw->half_ops,
                  "With --fp16 or --bf16: ONNX operators that do not stay in float32, although they would by default; "
                  "all: all that ONNX allows")
      ->type_name("OP,OP...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--lod",
                  "Tensors with LoD (sequences). lengths: an int64 NAME.lengths beside each of the inputs and outputs "
                  "that have it, as by default when an input has; single: one sequence for each run, and no lengths")
      ->type_name("lengths|single")
      ->check(CLI::IsMember({"lengths", "single"}))
      ->each([a](const std::string& mode) { a->options.lod = mode == "single" ? LodMode::single : LodMode::lengths; });
  app->add_flag("--sync", a->files.sync, "Wait until the disk has the file: it survives a crash of the machine");
  app->add_flag("--structure", a->structure, "Print the ONNX graph, a line for each node");
  app->add_flag(
      "--validate", a->validate,
      "Then compare with Paddle, as 'fluid2onnx validate' does, and print the graph (at most 60 lines without "
      "--structure); --inputs FILE.npz gives the inputs");
  app->add_option("--expected", a->expected,
                  "With --inputs FILE.npz: compares with these recorded outputs in place of Paddle, which need not be "
                  "installed")
      ->type_name("FILE.npz");
  app->add_option("--custom-op-library", a->custom_op_libraries,
                  "With --validate: a library with kernels of operators that ONNX Runtime lacks, such as those of "
                  "--custom-op; repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app->add_flag("-q,--quiet", a->quiet, "No summary, no progress");
  app->add_flag("-r,--recursive", a->recursive,
                "MODEL is a folder: converts every model below it, into a tree of the same form below the folder -o");
  app->add_option("--list", a->list,
                  "In place of MODEL: converts what the file (-: the standard input) names, in each line a path or "
                  "options in JSON (see 'Many models' in the documentation); -o is the folder for the results")
      ->type_name("FILE");
  app->add_option("-j,--jobs", a->jobs, "Of many models, so many at a time; without it, one for each processor")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  app->add_flag("--resume", a->resume,
                "Of many models, leaves out what an earlier run into the same folder has converted, with the same "
                "options from the same files");
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
  for (const std::string& word : app.remaining()) return "one argument too many: '" + word + "'";
  return "";
}

int usage_error(const std::string& command, const std::string& message) {
  std::cerr << "fluid2onnx" << (command.empty() ? "" : " " + command) << ": error: " << message
            << "\n  hint: 'fluid2onnx" << (command.empty() ? "" : " " + command) << " --help' lists what there is\n";
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
      app.add_subcommand("inspect", "Tell what a model consists of, and what of it cannot be converted");
  add_model(inspect, &a, &raw)->required();
  inspect->add_flag("--ops", a.list_ops, "List every operator with its variables");
  inspect
      ->add_option(
          "--html", a.html,
          "Write a page with the graph, to look at in a browser; MODEL may be an ONNX file, too (needs Python)")
      ->type_name("FILE");
  inspect->footer(kInspectFooter);

  CLI::App* ops = app.add_subcommand("ops", "List the operators that can be converted");
  ops->add_option("NAME", a.op, "Only this operator");
  ops->add_flag("--json{-}", a.json.path, "As JSON, to stdout or to FILE");
  ops->footer(kOpsFooter);

  // Its options are those of the Python package, which parses them (see validate.cc).
  app.add_subcommand(
      "validate",
      "Run a Paddle model and an ONNX file, of which one became the other, and compare (needs Python and Paddle)");

  app.add_subcommand("report", "Pack what a report of a bug needs, without weights (needs Python)");
  // Has subcommands (see spec.cc).
  app.add_subcommand("spec", "Check spec files of operators, and run their examples");

  const std::vector<std::string> commands{"convert", "inspect", "ops", "validate", "report", "spec"};
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
  for (CLI::App* sub : {convert, inspect, ops}) {
    if (first == sub->get_name()) chosen = sub;
  }
  const std::string name = chosen ? chosen->get_name() : "";
  try {
    for (CLI::App* sub : {convert, inspect, ops}) sub->allow_extras();
    app.allow_extras();
    app.parse(argc, argv);
    const std::string unknown = unknown_words(chosen ? *chosen : app);
    if (!unknown.empty()) {
      *exit_code = usage_error(name, unknown);
      return std::nullopt;
    }
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
                                : Arguments::Command::convert;
  a.json.wanted = !a.json.path.empty();
  return a;
}

}  // namespace fluid2onnx::cli
