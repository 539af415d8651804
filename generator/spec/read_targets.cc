#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "generator/diagnostics/source.h"
#include "generator/diagnostics/text.h"
#include "generator/spec/targets.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

namespace fs = std::filesystem;

constexpr int kLargestRank = 31;  // ranks are bits of a word
constexpr int kLargestOpset = 999;

const KeySet kTargetKeys{"target",
                         "a target",
                         {{"target", true},
                          {"title", true},
                          {"version", true},
                          {"source", true},
                          {"opsets", true},
                          {"best_opset", true},
                          {"dynamic"},
                          {"fallback"},
                          {"domains"},
                          {"unjudged"},
                          {"operators", true}}};
const KeySet kFactKeys{"target_operator",
                       "an operator of a target",
                       {{"opsets"}, {"dtypes"}, {"attributes"}, {"ranks"}, {"constant"}, {"without"}, {"note"}}};

/// As users write it after --target: letters, digits and hyphens.
bool is_target_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
  });
}

std::optional<int> parsed_number(const std::string& text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "7..26", "7..", "..26", "13".
std::optional<TargetRange> read_range(const YamlNode& node, int largest, Diagnostics& diagnostics) {
  const Text text = read_text(node, "a range", diagnostics);
  if (text.text.empty()) return std::nullopt;
  const size_t dots = text.text.find("..");
  const std::string first = text.text.substr(0, dots);
  const std::string last = dots == std::string::npos ? first : text.text.substr(dots + 2);
  const std::optional<int> from = first.empty() ? 0 : parsed_number(first);
  const std::optional<int> to = last.empty() ? largest : parsed_number(last);
  if (!from || !to || *from > *to || *to > largest || (first.empty() && last.empty())) {
    diagnostics.error("bad-range", text.span, "'" + text.text + "' is not a range", "write 7..26, 7.., ..26 or 13");
    return std::nullopt;
  }
  return TargetRange{*from, *to, text.span};
}

/// A text or a list of texts, each a word.
std::vector<Text> read_words(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<Text> words;
  if (node.kind != YamlNode::Kind::list) {
    wrong_type(node, "a list of values", diagnostics);
    return words;
  }
  for (const YamlNode& item : node.items) {
    Text word = read_line(item, "a value", diagnostics);
    if (word.text.empty()) continue;
    if (word.text.find(' ') != std::string::npos)
      diagnostics.error("bad-value", word.span, "'" + word.text + "' contains a space");
    words.push_back(std::move(word));
  }
  return words;
}

template <class Each>
void read_map(const YamlNode* node, const char* expected, Diagnostics& diagnostics, const Each& each) {
  if (node == nullptr) return;
  if (node->kind != YamlNode::Kind::map) return wrong_type(*node, expected, diagnostics);
  for (const YamlNode::Entry& entry : node->entries) each(entry);
}

std::vector<TargetChoice> read_choices(const YamlNode* node, const char* expected, Diagnostics& diagnostics) {
  std::vector<TargetChoice> choices;
  read_map(node, expected, diagnostics, [&](const YamlNode::Entry& entry) {
    choices.push_back({key_text(entry), read_words(entry.value, diagnostics)});
  });
  return choices;
}

TargetOperator read_operator(const YamlNode::Entry& entry, Diagnostics& diagnostics) {
  TargetOperator op;
  op.op = key_text(entry);
  const Mapping mapping(entry.value, kFactKeys, diagnostics);
  if (const YamlNode* opsets = mapping.find("opsets")) {
    const bool several = opsets->kind == YamlNode::Kind::list;
    for (const YamlNode& item : several ? opsets->items : std::vector<YamlNode>{*opsets})
      if (const std::optional<TargetRange> range = read_range(item, kLargestOpset, diagnostics))
        op.opsets.push_back(*range);
  }
  op.dtypes = read_choices(mapping.find("dtypes"), "dtypes by type variable", diagnostics);
  op.attributes = read_choices(mapping.find("attributes"), "values by attribute", diagnostics);
  read_map(mapping.find("ranks"), "ranks by operand", diagnostics, [&](const YamlNode::Entry& ranks) {
    if (const std::optional<TargetRange> range = read_range(ranks.value, kLargestRank, diagnostics))
      op.ranks.push_back({key_text(ranks), *range});
  });
  if (const YamlNode* constant = mapping.find("constant")) op.constant = read_names(*constant, diagnostics);
  if (const YamlNode* without = mapping.find("without")) op.without = read_names(*without, diagnostics);
  if (const YamlNode* note = mapping.find("note")) op.note = read_line(*note, "a note", diagnostics);
  return op;
}

bool read_flag(const YamlNode& node, Diagnostics& diagnostics) {
  const Text text = read_text(node, "true or false", diagnostics);
  if (text.text != "true" && text.text != "false" && !text.text.empty())
    diagnostics.error("bad-value", text.span, "'" + text.text + "' is neither true nor false");
  return text.text == "true";
}

/// "10.2" above "10.1" and "9": by the numbers in it.
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  for (size_t at = 0; at < version.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(version[at])) == 0) continue;
    const size_t end = std::min(version.find_first_not_of("0123456789", at), version.size());
    numbers.push_back(parsed_number(version.substr(at, end - at)).value_or(0));
    at = end;
  }
  return numbers;
}

bool comes_before(const TargetFile& a, const TargetFile& b) {
  if (a.name.text != b.name.text) return a.name.text < b.name.text;
  return numbers_of(a.version.text) > numbers_of(b.version.text);
}

}  // namespace

void read_target(const Source& source, std::vector<TargetFile>& targets, Diagnostics& diagnostics) {
  const std::optional<YamlNode> root = read_yaml(source, diagnostics);
  if (!root) return;
  const Mapping mapping(*root, kTargetKeys, diagnostics);
  const YamlNode* const name = mapping.find("target");
  const YamlNode* const operators = mapping.find("operators");
  if (name == nullptr || operators == nullptr) return;
  TargetFile target;
  target.file = source->path;
  target.name = read_line(*name, "the name of a target", diagnostics);
  if (!target.name.text.empty() && !is_target_name(target.name.text))
    diagnostics.error("bad-name", target.name.span, "'" + target.name.text + "' is not the name of a target",
                      "use small letters, digits and hyphens");
  const auto line = [&](const char* key, Text* text) {
    if (const YamlNode* node = mapping.find(key)) *text = read_line(*node, "a text", diagnostics);
  };
  line("title", &target.title);
  line("version", &target.version);
  line("source", &target.source);
  line("best_opset", &target.best_opset);
  line("fallback", &target.fallback);
  if (const YamlNode* opsets = mapping.find("opsets"))
    if (const std::optional<TargetRange> range = read_range(*opsets, kLargestOpset, diagnostics))
      target.opsets = *range;
  target.best = parsed_number(target.best_opset.text).value_or(-1);
  if (target.opsets.last > 0 && !target.best_opset.text.empty() &&
      (target.best < target.opsets.first || target.best > target.opsets.last))
    diagnostics.error("bad-value", target.best_opset.span,
                      "the best opset '" + target.best_opset.text + "' is outside of 'opsets'");
  if (const YamlNode* dynamic = mapping.find("dynamic")) target.dynamic = read_flag(*dynamic, diagnostics);
  if (const YamlNode* domains = mapping.find("domains")) target.domains = read_words(*domains, diagnostics);
  if (const YamlNode* unjudged = mapping.find("unjudged")) target.unjudged = read_names(*unjudged, diagnostics);
  read_map(operators, "operators", diagnostics,
           [&](const YamlNode::Entry& entry) { target.ops.push_back(read_operator(entry, diagnostics)); });
  std::sort(target.ops.begin(), target.ops.end(),
            [](const TargetOperator& a, const TargetOperator& b) { return a.op.text < b.op.text; });
  targets.push_back(std::move(target));
}

std::vector<TargetFile> read_targets(const std::string& folder, const std::string& base, Diagnostics& diagnostics) {
  std::vector<fs::path> paths;
  std::error_code absent;
  for (fs::directory_iterator it(folder, absent), end; !absent && it != end; it.increment(absent))
    if (it->path().extension() == ".yaml") paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  std::vector<TargetFile> targets;
  for (const fs::path& path : paths) {
    const std::string shown = path.lexically_proximate(base).generic_string();
    if (const Source source = load_source(path.string(), shown, diagnostics)) read_target(source, targets, diagnostics);
  }
  std::stable_sort(targets.begin(), targets.end(), comes_before);
  for (size_t i = 1; i < targets.size(); ++i) {
    const TargetFile &one = targets[i - 1], &two = targets[i];
    if (one.name.text != two.name.text || one.version.text != two.version.text) continue;
    diagnostics
        .error("duplicate-target", two.version.span,
               "'" + two.name.text + "' has two files for version " + two.version.text)
        .notes.emplace_back(one.version.span, "first here");
  }
  return targets;
}

}  // namespace opgen
