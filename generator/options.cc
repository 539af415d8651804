#include "generator/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "generator/diagnostics/diagnostics.h"
#include "generator/diagnostics/text.h"
#include "generator/spec/opsets.h"

namespace opgen {
namespace {

struct Choice {
  std::string_view name;
  std::string_view value;  ///< "": a flag
  std::string_view text;
};

constexpr std::array kChoices{
    Choice{"--check", "", "List the files that would change, and exit with 1 if there are any; write nothing"},
    Choice{"--format", "FORMAT", "Print diagnostics as text, json or sarif (default: text)"},
    Choice{"--opset", "N", "Convert at this opset"},
    Choice{"--out", "DIR",
           "Write generated/, docs/ and the schema for editors to this folder. Files that would not change are not "
           "written (default: build/rendered)"},
    Choice{"--root", "DIR", "Use the repository in this folder: it has opspecs/ and templates/ (default: .)"},
};

struct Command {
  Verb verb;
  std::string_view name;
  std::string_view arguments;
  std::string_view text;
  std::string_view options;  ///< names, separated by spaces
  size_t fewest, most;       ///< arguments
  std::string_view footer;
  std::string_view opset = "";  ///< the default of --opset
};

constexpr size_t kAny = 1000000;
constexpr std::array kCommands{
    Command{Verb::check, "check", "", "Check all specs and report every error", "--format --root", 0, 0,
            "'opgen --check' is the short form.\n\nExit status: 0 no errors, 1 errors in specs, 2 wrong usage."},
    Command{Verb::fmt, "fmt", "[FILE...]", "Write spec files in canonical form (default: all spec files)",
            "--check --root", 0, kAny, "Exit status: 0 done, 1 files differ (--check) or have errors, 2 wrong usage."},
    Command{Verb::explain, "explain", "OP",
            "Print how an operator is converted at an opset: the nodes and their conditions", "--opset --root", 1, 1,
            "OP is a Paddle operator, or an ONNX operator for the conversion to Paddle.\n\nExamples:\n"
            "  opgen explain conv2d --opset 11\n  opgen explain Gemm",
            "17"},
    Command{Verb::create, "new", "OP", "Print a draft of a spec with the operator's signature", "--root", 1, 1,
            "OP is a Paddle operator, or an ONNX operator for the conversion to Paddle."},
    Command{
        Verb::test, "test", "OP[:EXAMPLE]...",
        "Run the examples of operators in Paddle and, converted, in ONNX Runtime", "--opset --root", 1, kAny,
        "This command runs tests/conformance/run.py with the program fluid2onnx in opgen's folder. It needs Python "
        "with\n"
        "Paddle and ONNX Runtime, such as the environment of scripts/quickstart.\n\nExamples:\n  opgen test conv2d\n"
        "  opgen test clip:int64 Gemm --opset 13",
        "all"},
    Command{Verb::stats, "stats", "", "Count operators, variants, examples, functions and converters in C++", "--root",
            0, 0, ""},
    Command{Verb::examples, "examples", "", "Print the examples of all specs as JSON", "--root", 0, 0, ""},
    Command{Verb::dump, "dump", "[OP]", "Print the lowered form of an operator (default: of all operators)", "--root",
            0, 1, "docs/design/lowered-form.md explains the form."},
    Command{Verb::render, "render", "", "Write the C++ and the documentation of all specs", "--out --root", 0, 0, ""},
};

constexpr const char* kExitCodes =
    "Exit status: 0 done, 1 errors in specs, 2 wrong usage.\n"
    "Run 'opgen COMMAND --help' for the options of a command.\n";

/// A wrong command line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "  name    text", wrapped at 100 columns.
std::string two_columns(std::string head, std::string_view text) {
  constexpr size_t kColumn = 22, kWidth = 100;
  std::string out, line = std::move(head);
  line.resize(std::max(kColumn, line.size() + 2), ' ');
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (line.size() + word.size() > kWidth) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line.assign(kColumn, ' ');
    }
    line += word + " ";
  }
  line.pop_back();
  return out + line + "\n";
}

bool takes(const Command& command, std::string_view option) {
  return (" " + std::string(command.options) + " ").find(" " + std::string(option) + " ") != std::string::npos;
}

std::string help() {
  std::string out =
      "Checks operator specs (opspecs/*.yaml) and compiles them to C++ converters.\n\n"
      "Usage: opgen COMMAND [OPTIONS]\n       opgen --check [OPTIONS]    short form of 'opgen check'\n\nCommands:\n";
  for (const Command& command : kCommands) out += two_columns("  " + std::string(command.name), command.text);
  return out + "\n" + kExitCodes;
}

std::string help(const Command& command) {
  std::string out = std::string(command.text) + "\n\nUsage: opgen " + std::string(command.name);
  if (!command.arguments.empty()) out += " " + std::string(command.arguments);
  out += " [OPTIONS]\n\nOptions:\n" + two_columns("  -h, --help", "Print this help");
  for (const Choice& choice : kChoices) {
    if (!takes(command, choice.name)) continue;
    out += two_columns("  " + std::string(choice.name) + (choice.value.empty() ? "" : " ") + std::string(choice.value),
                       choice.name == "--opset"
                           ? std::string(choice.text) + " (default: " + std::string(command.opset) + ")"
                           : std::string(choice.text));
  }
  return out + (command.footer.empty() ? "" : "\n" + std::string(command.footer) + "\n");
}

int opset_of(const std::string& text) {
  int number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && stop == text.data() + text.size() && number >= kOldestOpset && number <= newest_opset())
    return number;
  throw UsageError("--opset is '" + text + "'; expected " + std::to_string(kOldestOpset) + " to " +
                   std::to_string(newest_opset()));
}

void set(std::string_view option, const std::string& value, Options* o) {
  if (option == "--check") o->check = true;
  if (option == "--root") o->root = value;
  if (option == "--out") o->out = value;
  if (option == "--opset") o->opset = opset_of(value);
  if (option != "--format") return;
  if (value != "text" && value != "json" && value != "sarif")
    throw UsageError("--format is '" + value + "'; expected text, json or sarif");
  o->format = value;
}

const Command& command_of(const std::string& name) {
  for (const Command& command : kCommands)
    if (command.name == name) return command;
  throw UsageError("unknown command '" + name + "'" + did_you_mean(name, names_of(kCommands)));
}

void parse(const Command& command, const std::vector<std::string>& given, Options* o) {
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& word = given[i];
    if (word.size() < 2 || word[0] != '-') {
      o->words.push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto* const choice = std::find_if(kChoices.begin(), kChoices.end(),
                                            [&](const Choice& c) { return c.name == name && takes(command, c.name); });
    if (choice == kChoices.end()) {
      std::vector<std::string> known;
      for (const Choice& c : kChoices)
        if (takes(command, c.name)) known.emplace_back(c.name);
      throw UsageError("unknown option '" + name + "'" + did_you_mean(name, known));
    }
    if (choice->value.empty() && equals != std::string::npos) throw UsageError("option '" + name + "' has no value");
    if (!choice->value.empty() && equals == std::string::npos && i + 1 == given.size())
      throw UsageError("option '" + name + "' needs " + std::string(choice->value));
    set(name, choice->value.empty() ? "" : equals != std::string::npos ? word.substr(equals + 1) : given[++i], o);
  }
  if (o->words.size() < command.fewest) throw UsageError("expected " + std::string(command.arguments));
  if (o->words.size() > command.most) throw UsageError("unexpected argument '" + o->words[command.most] + "'");
}

}  // namespace

bool parse_options(int argc, char** argv, Options* options, int* exit_code) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto is_help = [](const std::string& word) { return word == "-h" || word == "--help"; };
  *exit_code = 0;
  std::string name;
  try {
    if (words.empty() || is_help(words[0])) {
      *exit_code = words.empty() ? 2 : 0;
      std::cout << help();
      return false;
    }
    const auto short_form = std::find(words.begin(), words.end(), "--check");
    if (words[0][0] == '-' && short_form != words.end()) {
      words.erase(short_form);
      words.insert(words.begin(), "check");
    }
    const Command& command = command_of(words[0]);
    name = std::string(command.name);
    words.erase(words.begin());
    if (std::any_of(words.begin(), words.end(), is_help)) {
      std::cout << help(command);
      return false;
    }
    options->verb = command.verb;
    parse(command, words, options);
    return true;
  } catch (const UsageError& e) {
    const std::string program = "opgen" + (name.empty() ? "" : " " + name);
    std::cerr << program << ": error: " << e.what() << "\n  hint: run '" << program << " --help' for the "
              << (name.empty() ? "commands" : "options") << "\n";
    *exit_code = 2;
    return false;
  }
}

}  // namespace opgen
