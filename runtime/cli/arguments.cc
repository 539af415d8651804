#include "runtime/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

#include "runtime/cli/help_texts.h"
#include "runtime/cli/option_values.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"
#include "runtime/support/version.h"
#include "runtime/targets/targets.h"

namespace fluid2onnx::cli {
namespace {

/// CLI11's own layout neither breaks long lines nor names the program in the usage line of a command.
class HelpLayout : public CLI::Formatter {
 public:
  HelpLayout() { column_width(kColumn); }

  std::string make_usage(const CLI::App* app, std::string) const override {
    const CLI::App* program = app->get_parent();
    if (!program) return "\nUsage: " + app->get_name() + " COMMAND [OPTIONS]\n";
    std::string usage = "\nUsage: " + program->get_name() + " " + app->get_name();
    for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      const std::string name = option->get_name() + (option->get_expected_max() > 1 ? "..." : "");
      usage += option->get_required() ? " " + name : " [" + name + "]";
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

std::string opset_range() { return std::to_string(kOldestOpset) + " to " + std::to_string(newest_opset()); }

/// CLI11's "Could not convert" would be mistaken for a conversion error.
std::string not_an_opset(const std::string& text) {
  int number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && stop == text.data() + text.size()) return "";
  return "'" + text + "' is not a number; opsets are " + opset_range();
}

// A repeatable option with one value.
CLI::Option* add_list(CLI::App* app, const char* name, std::vector<std::string>* values, const char* type,
                      const char* text) {
  return app->add_option(name, *values, text)->type_name(type)->expected(1)->take_all();
}

CLI::Option* add_model(CLI::App* app, Arguments* a, OptionValues* values) {
  CLI::Option* model = app->add_option("MODEL", a->model, "A Paddle program (file or folder), or an ONNX file");
  app->add_option("--params", a->files.params,
                  "Read the parameters from this file or folder, if they are not beside the program")
      ->type_name("FILE");
  app->add_option("--opset", a->options.opset, "Use exactly this ONNX opset, " + opset_range())
      ->type_name("N")
      ->check(CLI::Validator(not_an_opset, ""))
      ->capture_default_str();
  add_list(app, "--input-shape,--shape", &values->shapes, "NAME=DIMS",
           "Set the shape of an input. Each dimension is a size of at least 1, a name for a dynamic dimension "
           "(dimensions of equal names have equal sizes), or ? or -1 for an unnamed dynamic dimension; repeatable");
  add_list(app, "--inputs", &values->inputs, "A,B...",
           "Cut the model: make these variables (of an ONNX model: values) its inputs")
      ->delimiter(',');
  add_list(app, "--outputs", &values->outputs, "A,B...",
           "Cut the model: make these variables (of an ONNX model: values) its outputs")
      ->delimiter(',');
  add_list(app, "--spec", &a->specs, "FILE",
           "Convert operators by this spec file or folder of spec files. A spec adds an operator of the model or "
           "replaces its built-in conversion; repeatable");
  app->add_flag("--json{-}", a->json.path, "Print the report as JSON, to stdout or to FILE");
  return model;
}

void add_file_options(CLI::App* app, Arguments* a, OptionValues* values) {
  add_list(app, "--custom-op", &values->custom_ops, "TYPE=NODE",
           "Convert operators TYPE to nodes DOMAIN::OP; repeatable");
  app->add_flag("--continue-on-error", a->options.continue_on_error,
                "Write operators that cannot be converted as nodes of the domain 'paddle'; the exit status is still 1");
  app->add_option(
         "-o,--output", a->output,
         "Write this file: X.onnx, X.pdmodel or X.json (default: in the current folder, with the name of the model)")
      ->type_name("FILE");
  app->add_option(
         "--target", values->target,
         "Convert for this engine, NAME or NAME@VERSION: use its best opset unless --opset is given, and report "
         "the nodes that it refuses; the exit status is then 1. Targets: " +
             joined(target_names(), ", "))
      ->type_name("NAME");
  app->add_option(
         "--rest", a->rest,
         "With --target: if the engine refuses nodes, write only the nodes before these to the output, and the "
         "others to FILE, for ONNX Runtime. If the engine runs the first part, the exit status is 0")
      ->type_name("FILE")
      ->needs("--target");
  add_list(app, "--rename", &values->renames, "OLD=NEW", "Rename an input or output; repeatable");
  app->add_option("--dim-names", a->options.dim_prefix,
                  "Name unnamed dynamic dimensions PREFIX.0, PREFIX.1 ... (default: after their input or output)")
      ->type_name("PREFIX");
  app->add_option("--ir-version", a->options.ir_version,
                  "Write this IR version (default: the lowest that allows the opset, at least 4). Version 3, for "
                  "opsets 7 and 8, also lists the weights among the graph's inputs")
      ->type_name("N");
  app->add_option(
         "--weights", values->weights,
         "Store the weights inline (in the ONNX file), external (in FILE.data beside it), or reference (nowhere: the "
         "ONNX file refers to Paddle's file). auto is inline up to 2 GB, and external above")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"auto", "inline", "external", "reference"}))
      ->capture_default_str();
}

void add_precision_options(CLI::App* app, Arguments* a, OptionValues* values) {
  app->add_flag("--fp16", values->fp16, "Store weights and compute in float16 where possible (see the guide)");
  app->add_flag("--bf16", values->bf16,
                "Store weights and compute in bfloat16 where possible; needs opset 13 or later");
  app->add_flag("--half-io", a->options.precision.ports, "With --fp16 or --bf16: convert inputs and outputs, too");
  add_list(app, "--float32-ops", &values->float32_ops, "OP,OP...",
           "With --fp16 or --bf16: keep these ONNX operators in float32")
      ->delimiter(',');
  add_list(app, "--half-ops", &values->half_ops, "OP,OP...",
           "With --fp16 or --bf16: compute these ONNX operators in 16 bits although the default is float32; all: every "
           "operator for which ONNX allows it")
      ->delimiter(',');
}

void add_validation_options(CLI::App* app, Arguments* a) {
  app->add_flag(
      "--validate", a->validate,
      "After the conversion, compare with Paddle as 'fluid2onnx validate' does, and print the graph (at most 60 lines "
      "without --structure). With --inputs FILE.npz, use these inputs");
  app->add_option("--expected", a->expected,
                  "With --inputs FILE.npz: compare with these recorded outputs; Paddle is not needed")
      ->type_name("FILE.npz");
  add_list(app, "--custom-op-library", &a->custom_op_libraries, "FILE",
           "With --validate: load this library into ONNX Runtime. It has kernels of custom operators, such as those of "
           "--custom-op; repeatable");
}

// The options that convert many models.
void add_many_options(CLI::App* app, Arguments* a) {
  app->add_flag(
      "-r,--recursive", a->recursive,
      "Convert every model in the folder MODEL and its subfolders; -o is the folder for the results, with the same "
      "subfolders");
  app->add_option("--list", a->list,
                  "Instead of MODEL: convert the models that this file lists (-: standard input). Each line is a path, "
                  "or a JSON object with options (see 'Many models' in the documentation); -o is the folder for the "
                  "results")
      ->type_name("FILE");
  app->add_option("-j,--jobs", a->jobs,
                  "With --recursive or --list: convert this many models at a time (default: one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  for (const char* many : {"--recursive", "--list", "--validate"}) app->get_option("--rest")->excludes(many);
  app->add_flag(
      "--resume", a->resume,
      "With --recursive or --list: skip models that an earlier run converted from the same files, with the same "
      "options, into the same folder");
}

CLI::App* add_convert(CLI::App* program, Arguments* a, OptionValues* values) {
  CLI::App* app = program->add_subcommand("convert", "Convert a model to an ONNX file, or an ONNX file to a program");
  add_model(app, a, values);
  add_file_options(app, a, values);
  add_precision_options(app, a, values);
  app->add_option("--lod",
                  "Convert tensors with LoD (sequences). lengths: add an int64 tensor NAME.lengths for each input and "
                  "output with LoD (default, if an input has LoD). single: the model takes one sequence per run, "
                  "without lengths")
      ->type_name("lengths|single")
      ->check(CLI::IsMember({"lengths", "single"}))
      ->each([a](const std::string& mode) { a->options.lod = mode == "single" ? LodMode::single : LodMode::lengths; });
  app->add_flag("!--no-fuse", a->options.fuse,
                "Do not merge parallel convolutions, nor biases and normalizations into the operator before them, for "
                "example to compare results of single operators with Paddle");
  app->add_flag("--sync", a->files.sync, "Wait until the file is on the disk, so that it survives a power failure");
  app->add_flag("--structure", a->structure, "Print the ONNX graph, one line per node");
  add_validation_options(app, a);
  app->add_flag("-q,--quiet", a->quiet, "Print neither summary nor progress");
  add_many_options(app, a);
  app->footer(kConvertFooter);
  return app;
}

CLI::App* add_inspect(CLI::App* program, Arguments* a, OptionValues* values) {
  CLI::App* app =
      program->add_subcommand("inspect", "List what a model contains and which operators cannot be converted");
  add_model(app, a, values)->required();
  app->add_flag("--ops", a->list_ops, "List every operator with its variables");
  app->add_option("--html", a->html,
                  "Write an HTML page that draws the graph, of a Paddle program or an ONNX file (needs Python)")
      ->type_name("FILE");
  app->footer(kInspectFooter);
  return app;
}

CLI::App* add_ops(CLI::App* program, Arguments* a) {
  CLI::App* app = program->add_subcommand("ops", "List the operators that can be converted");
  app->add_option("NAME", a->op, "Print only this operator");
  app->add_flag("--json{-}", a->json.path, "Print JSON, to stdout or to FILE");
  app->footer(kOpsFooter);
  return app;
}

CLI::App* add_lint(CLI::App* program, Arguments* a) {
  CLI::App* app = program->add_subcommand("lint", "List the nodes of an ONNX model that another engine refuses");
  app->add_option("MODEL", a->model, "An ONNX file, from any program")->required();
  app->add_option("--target", a->target,
                  "The engine: NAME, NAME@VERSION, or all for a summary: " + joined(target_names(), ", "))
      ->type_name("NAME")
      ->required();
  app->add_flag("--json{-}", a->json.path, "Print the report as JSON, to stdout or to FILE");
  app->footer(kLintFooter);
  return app;
}

// The options that change the results of many models, as given.
std::string many_key(const CLI::App& convert) {
  static const std::set<std::string> other{"--jobs",   "--resume", "--json", "--quiet",
                                           "--output", "--list",   "MODEL",  "--recursive"};
  std::string key;
  for (const CLI::Option* option : convert.get_options()) {
    if (option->count() == 0 || other.count(option->get_name()) != 0) continue;
    key += (key.empty() ? "" : " ") + option->get_name();
    for (const std::string& word : option->results()) key += " " + word;
  }
  return key;
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
  std::cerr << command << ": error: " << message << "\n  hint: run '" << command << " --help' for the options\n";
  return kUsage;
}

CLI::App* add_spec_check(CLI::App* program, Arguments* a) {
  CLI::App* app = program->add_subcommand("check", "Report all errors in spec files");
  app->add_option("FILE", a->spec_files, "A spec file, or a folder of spec files")->required();
  app->add_flag("--json{-}", a->json.path, "Print the errors as JSON, to stdout or to FILE");
  app->footer("Exit status: 0 no errors, 1 errors in specs, 2 wrong usage.");
  return app;
}

CLI::App* add_spec_examples(CLI::App* program, Arguments* a) {
  CLI::App* app = program->add_subcommand("examples", "Print the examples of spec files as JSON");
  app->add_option("FILE", a->spec_files, "A spec file, or a folder of spec files")->required();
  app->footer("Exit status: 0 done, 2 wrong usage or errors in specs.");
  return app;
}

CLI::App* add_spec_functions(CLI::App* program, Arguments* a) {
  CLI::App* app = program->add_subcommand("functions", "List the functions that specs can call");
  app->add_option("WORD", a->op, "Print only the functions whose signature or description contains WORD");
  app->footer("Exit status: 0 done, 2 wrong usage or no function matches.");
  return app;
}

// The commands of the program or of `spec`, and what their options set.
struct CommandLine {
  using Command = Arguments::Command;

  Arguments arguments;
  OptionValues values;
  CLI::App app;
  std::map<Command, CLI::App*> parsed;

  explicit CommandLine(bool spec) : app(spec ? kSpecAbout : kAbout, spec ? "fluid2onnx spec" : "fluid2onnx") {
    app.formatter(std::make_shared<HelpLayout>());
    app.set_help_flag("-h,--help", "Print this help");
    app.allow_windows_style_options(false);  // a path can begin with a slash
    if (spec) add_spec_commands();
    else add_commands();
    app.allow_extras();
    for (const auto& [command, sub] : parsed) sub->allow_extras();
  }

  void add_commands() {
    app.footer(kFooter);
    app.set_version_flag("--version", kVersion, "Print the version and the opsets");
    parsed = {{Command::convert, add_convert(&app, &arguments, &values)},
              {Command::inspect, add_inspect(&app, &arguments, &values)},
              {Command::ops, add_ops(&app, &arguments)},
              {Command::lint, add_lint(&app, &arguments)}};
    // Parsed elsewhere.
    app.add_subcommand(
        "validate",
        "Run a Paddle model and the ONNX file of its conversion, and compare the outputs (needs Python and Paddle)");
    app.add_subcommand("report", "Pack a model without its weights for a bug report (needs Python)");
    app.add_subcommand("spec", "Check spec files and run their examples");
  }

  void add_spec_commands() {
    app.footer(kSpecFooter);
    parsed = {{Command::spec_check, add_spec_check(&app, &arguments)},
              {Command::spec_examples, add_spec_examples(&app, &arguments)},
              {Command::spec_functions, add_spec_functions(&app, &arguments)}};
    app.add_subcommand("test",
                       "Run the examples of spec files in Paddle and, converted, in ONNX Runtime (needs Python with "
                       "both)");
  }

  // Null for an option of the program, such as --help.
  CLI::App* choose(const std::string& name) {
    for (const auto& [command, sub] : parsed) {
      if (sub->get_name() != name) continue;
      arguments.command = command;
      return sub;
    }
    return nullptr;
  }

  void interpret_options() {
    arguments.json.wanted = !arguments.json.path.empty();
    const auto found = parsed.find(Command::convert);
    if (found == parsed.end()) return;
    const CLI::App& convert = *found->second;
    values.opset_given = convert.get_option("--opset")->count() > 0;
    if (arguments.recursive || !arguments.list.empty()) arguments.many_key = many_key(convert);
    interpret(values, &arguments);
  }
};

}  // namespace

std::optional<Arguments> parse_arguments(int argc, char** argv, int* exit_code) {
  const bool spec = argc > 1 && std::string_view(argv[1]) == "spec";
  if (spec) --argc, ++argv;
  CommandLine line(spec);
  if (argc < 2) {
    std::cout << line.app.help();
    *exit_code = kUsage;
    return std::nullopt;
  }
  const std::string first = argv[1];
  std::vector<std::string> commands;
  for (const CLI::App* sub : line.app.get_subcommands({})) commands.push_back(sub->get_name());
  if (first[0] != '-' && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    std::error_code error;
    const bool is_path = std::filesystem::exists(first, error);
    const std::string advice =
        is_path ? "; did you mean '" + line.app.get_name() + (spec ? " check " : " convert ") + shell_word(first) + "'?"
                : did_you_mean(first, commands);
    *exit_code = usage_error(line.app.get_name(), "unknown command '" + first + "'" + advice);
    return std::nullopt;
  }

  CLI::App* chosen = line.choose(first);
  const CLI::App& app = chosen ? *chosen : line.app;
  const std::string name = line.app.get_name() + (chosen ? " " + first : "");
  try {
    line.app.parse(argc, argv);
    const std::string unknown = unknown_words(app);
    if (unknown.empty()) {
      line.interpret_options();
      return std::move(line.arguments);
    }
    *exit_code = usage_error(name, unknown);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    *exit_code = kDone;
  } catch (const CLI::CallForVersion&) {
    std::cout << "fluid2onnx " << kVersion << "\nopsets " << opset_range() << "\n";
    *exit_code = kDone;
  } catch (const CLI::ParseError& e) {
    // A misspelt option leaves its argument over, and what is then missing is not the point.
    const std::string unknown = chosen ? unknown_words(app) : "";
    *exit_code = usage_error(name, unknown.empty() ? e.what() : unknown);
  } catch (const Error& e) {
    *exit_code = usage_error(name, (e.place().empty() ? "" : e.place() + ": ") + e.message());
  }
  return std::nullopt;
}

}  // namespace fluid2onnx::cli
