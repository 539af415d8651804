#include "generator/check/library.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "generator/diagnostics/text.h"
#include "generator/spec/recipe_texts.h"

namespace opgen {
namespace {

using K = Expr::Kind;

/// A function as text without the names that its author chose: two that compute the same have one text.
class Essence {
 public:
  explicit Essence(const CheckedFunction& f) {
    for (const Parameter& p : f.head.parameters) {
      text_ += type_name(p.type) + " " + name(p.name, true);
      if (p.default_value) expression(*p.default_value);
      text_ += ",";
    }
    for (const Parameter& r : f.head.results) text_ += "->" + type_name(r.type) + " " + name(r.name, true);
    let(f.let);
    for (const CheckedRequire& r : f.require) require(r);
    for (const CheckedVariant& v : f.variants) {
      text_ += "variant " + std::to_string(v.range.first) + ".." + std::to_string(v.range.last) + ":";
      optional(v.when);
      let(v.let);
      for (const CheckedRequire& r : v.require) require(r);
      statements(v.nodes);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string name(const std::string& author, bool defines = false) {
    const auto known = names_.find(author);
    if (known == names_.end() && !defines) return author;
    return names_.emplace(author, "$" + std::to_string(names_.size())).first->second;
  }
  void optional(const ExprPtr& e) {
    if (e) expression(*e);
    text_ += ";";
  }
  void expression(const Expr& e) {
    text_ += std::to_string(static_cast<int>(e.kind));
    for (const std::string& v : e.vars) text_ += name(v, true) + ",";
    switch (e.kind) {
      case K::name: text_ += name(e.text); break;
      case K::integer:
      case K::boolean: text_ += std::to_string(e.integer_value); break;
      case K::floating: text_ += std::to_string(e.floating_value) + e.source; break;
      case K::string: text_ += "\"" + e.text + "\""; break;
      default: text_ += e.text + (e.version > 0 ? "@" + std::to_string(e.version) : "");
    }
    text_ += "(";
    // The list of a repetition follows its element.
    for (const ExprPtr& a : e.args) optional(a);
    for (const Keyword& k : e.keywords) {
      text_ += k.name + "=";
      optional(k.value);
    }
    text_ += ")";
  }
  void let(const std::vector<CheckedBinding>& list) {
    for (const CheckedBinding& b : list) {
      text_ += name(b.name, true) + "=";
      optional(b.value);
    }
  }
  void require(const CheckedRequire& r) {
    text_ += "require " + r.code + " " + r.message + " ";
    optional(r.that);
  }
  void statements(const std::vector<CheckedStatement>& list) {
    text_ += "{";
    for (const CheckedStatement& s : list) {
      text_ += std::to_string(static_cast<int>(s.kind));
      optional(s.expr);
      if (s.kind == Statement::Kind::require) require(s.require);
      for (const Target& t : s.state) text_ += name(t.name, true) + ",";
      if (!s.iteration.empty()) text_ += "iteration " + name(s.iteration, true);
      for (const Target& t : s.targets) text_ += name(t.name, true) + ",";
      optional(s.trips);
      optional(s.cond);
      statements(s.body);
      statements(s.otherwise);
      for (const Target& t : s.scan_outputs) text_ += name(t.name, true) + ",";
    }
    text_ += "}";
  }

  std::map<std::string, std::string> names_;
  std::string text_;
};

/// `messages`: the places of each one.
void report_repeated(const std::map<std::string, std::map<Place, Span>>& messages, Diagnostics& diagnostics) {
  constexpr size_t kTooOften = 3;
  for (const auto& [text, places] : messages) {
    if (places.size() < kTooOften) continue;
    const auto first = places.begin(), third = std::next(first, kTooOften - 1);
    diagnostics
        .warning("repeated-message", third->second,
                 "the message occurs in " + std::to_string(places.size()) + " places",
                 "move it to opspecs/lib/requirements.yaml, with parameters for what differs")
        .notes.emplace_back(first->second, "first here");
  }
}

std::string on_one_line(const std::string& text) {
  std::string line;
  for (char c : text) {
    if (c == '\n') c = ' ';
    const char last = line.empty() ? '(' : line.back();
    if (c != ' ' || (last != ' ' && last != '(' && last != '[')) line += c;
  }
  return line;
}

/// Behind "x", "axis=-1", "'add'" and similar items, if the whole item is one; else `from`.
size_t behind_plain_item(const std::string& line, size_t from) {
  const auto at = [&](size_t i) { return i < line.size() ? line[i] : '\0'; };
  const auto word = [&](size_t i) {
    const bool number = std::isdigit(static_cast<unsigned char>(at(i))) != 0;
    while (is_word(at(i)) || at(i) == '.' || (number && at(i) == '-' && at(i - 1) == 'e')) ++i;
    return i;
  };
  size_t i = from;
  while (at(i) == ' ') ++i;
  if (const size_t name = word(i); name > i && at(name) == '=' && at(name + 1) != '=') i = name + 1;
  const size_t begin = i;
  if (at(i) == '"' || at(i) == '\'') i = std::min(line.find(at(i), i + 1), line.size() - 1) + 1;
  else i = word(at(i) == '-' ? i + 1 : i);
  const bool ends = at(i) == ',' || at(i) == ')' || at(i) == ']';
  return i > begin && ends ? i : from;
}

/// Operands and items that are only a name, a number or a text do not count: readers skip over a long list of them.
void report_long(const Text& text, Diagnostics& diagnostics) {
  constexpr size_t kLongest = 120;
  const std::string line = on_one_line(text.text);
  size_t length = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    ++length;
    if (line[i] == '(' || line[i] == '[' || line[i] == ',') i = behind_plain_item(line, i + 1) - 1;
  }
  if (length <= kLongest) return;
  diagnostics.warning("long-statement", text.span,
                      "the statement has " + std::to_string(length) +
                          " characters without its plain operands; more than " + std::to_string(kLongest) +
                          " are hard to read",
                      "name its parts in separate statements or under 'let'");
}

void report_texts(const CheckedProgram& program, Diagnostics& diagnostics) {
  std::map<std::string, std::map<Place, Span>> messages;
  const auto visit = [&](const Text& text, TextKind kind) {
    if (kind != TextKind::message) report_long(text, diagnostics);
    else if (!text.text.empty()) messages[text.text].emplace(text.span.place(), text.span);
  };
  for (const auto* ops : {&program.ops, &program.onnx})
    for (const CheckedOp& op : *ops)
      if (!program.is_derived(op)) each_text(*op.spec, visit);
  for (const CheckedFunction& f : program.functions) each_text(*f.spec, visit);
  for (const CheckedRequirement& r : program.requirements) report_long(r.spec->body.that, diagnostics);
  report_repeated(messages, diagnostics);
}

}  // namespace

void check_library(const CheckedProgram& program, Diagnostics& diagnostics) {
  report_texts(program, diagnostics);
  for (const CheckedRequirement& r : program.requirements)
    if (program.calls.count(r.head.name) == 0)
      diagnostics.warning("unused-function", r.head.span, "requirement '" + r.head.name + "' is never called",
                          "call it, or remove it");
  std::map<std::string, const CheckedFunction*> first;
  for (const CheckedFunction& f : program.functions) {
    if (!f.ok) continue;
    if (program.calls.count(f.head.name) == 0 && f.spec->replaces.text.empty())
      diagnostics.warning("unused-function", f.head.span, "function '" + f.head.name + "' is never called",
                          "call it, or remove it");
    const auto [other, is_new] = first.emplace(Essence(f).text(), &f);
    if (is_new) continue;
    diagnostics
        .warning("equal-functions", f.head.span,
                 "function '" + f.head.name + "' computes the same as '" + other->second->head.name + "'",
                 "keep one of them, in opspecs/lib/ if several files call it")
        .notes.emplace_back(other->second->head.span, "the other one");
  }
}

std::vector<SingleCall> single_calls(const CheckedProgram& program) {
  std::vector<SingleCall> list;
  for (const CheckedFunction& f : program.functions) {
    const bool straight = f.variants.size() == 1 && !f.variants[0].when && f.require.empty();
    const auto calls = program.calls.find(f.head.name);
    if (straight && calls != program.calls.end() && calls->second.size() == 1)
      list.push_back({&f, calls->second.begin()->second});
  }
  return list;
}

}  // namespace opgen
