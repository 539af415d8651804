#include "generator/format/format.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "generator/diagnostics/source.h"
#include "generator/format/line_breaks.h"
#include "generator/format/quotes.h"
#include "generator/spec/scalar_extent.h"
#include "generator/spec/yaml_node.h"

namespace opgen {
namespace {

struct Edit {
  Extent place;
  std::string text;
};

/// Everything that a change of form could lose.
bool same(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size() || a.entries.size() != b.entries.size()) return false;
  if (a.kind == YamlNode::Kind::scalar && a.text != b.text) return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i])) return false;
  for (size_t i = 0; i < a.entries.size(); ++i)
    if (a.entries[i].key != b.entries[i].key || !same(a.entries[i].value, b.entries[i].value)) return false;
  return true;
}

/// Collects the edits of one pass over a file.
class Pass {
 public:
  explicit Pass(const Source& source) : source_(source), text_(source->text) {}

  /// Quotes of texts: expressions, statements and sentences. In examples and tables they say that a value is a text.
  void quotes(const YamlNode& node, bool in_flow = false) {
    for (const YamlNode& item : node.items) quotes(item, in_flow || node.flow);
    for (const YamlNode::Entry& entry : node.entries)
      if (entry.key != "examples" && entry.key != "for_each" && entry.key != "attrs")
        quotes(entry.value, in_flow || node.flow);
    if (node.kind != YamlNode::Kind::scalar || !node.quoted) return;
    const size_t at = offset_of(node.span);
    if (text_[at] != '"' && text_[at] != '\'') return;  // a block
    const Extent inside = quoted_extent(text_, at);
    const bool broken = text_.find('\n', at) < inside.to;
    if (broken || node.text.find('\n') != std::string::npos) return;
    change({at, inside.to + 1}, quoted_if_needed(node.text, in_flow));
  }

  /// Values that go beyond the width.
  void lines(const YamlNode& node) {
    const bool leaf = node.kind == YamlNode::Kind::scalar || node.flow;
    if (!leaf) {
      for (const YamlNode& item : node.items) lines(item);
      for (const YamlNode::Entry& entry : node.entries) lines(entry.value);
      return;
    }
    const std::optional<Extent> extent = extent_of(node);
    if (!extent || fits(*extent)) return;
    const size_t start = line_start(*source_, node.text_span.line);
    const size_t column = extent->from - start;
    const size_t indent = text_.find_first_not_of(' ', start) - start;
    const std::string one_line = joined(extent->from, extent->to);
    if (one_line.empty()) return;
    change(*extent, break_lines(one_line, column, indent + 4, kSpecWidth));
  }

  void blanks() {
    std::string out;
    int empty = 0;
    for (size_t at = 0; at < text_.size();) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      size_t last = end;
      while (last > at && (text_[last - 1] == ' ' || text_[last - 1] == '\t')) --last;
      empty = last == at ? empty + 1 : 0;
      if (empty < 2 && !(empty == 1 && out.empty())) out += text_.substr(at, last - at) + "\n";
      at = end + 1;
    }
    while (out.size() > 1 && out[out.size() - 1] == '\n' && out[out.size() - 2] == '\n') out.pop_back();
    if (out != text_) edits_ = {{{0, text_.size()}, out}};
  }

  std::string result() {
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.place.from > b.place.from; });
    std::string out = text_;
    for (const Edit& e : edits_) out.replace(e.place.from, e.place.to - e.place.from, e.text);
    return out;
  }

 private:
  void change(const Extent& place, std::string text) {
    if (text_.compare(place.from, place.to - place.from, text) != 0) edits_.push_back({place, std::move(text)});
  }

  /// From the opening quote or bracket to the closing one; nothing for blocks (`|`) and what holds comments.
  std::optional<Extent> extent_of(const YamlNode& node) const {
    const size_t at = offset_of(node.flow ? node.text_span : node.span);
    const char first = text_[at];
    if (node.flow) {
      std::string plain;
      const Extent extent = flow_extent(text_, at, &plain);
      if (plain != text_.substr(extent.from, extent.to - extent.from)) return std::nullopt;
      return extent;
    }
    if (node.quoted && first != '"' && first != '\'') return std::nullopt;
    if (node.quoted) return Extent{at, quoted_extent(text_, at).to + 1};
    // A plain text over several lines: blanks of the value are blanks and ends of lines in the source.
    size_t to = at;
    for (const char c : node.text) {
      if (c == ' ' && to < text_.size() && (text_[to] == ' ' || text_[to] == '\n')) {
        to = text_.find_first_not_of(" \n", to);
      } else if (to >= text_.size() || text_[to++] != c) {
        return std::nullopt;
      }
    }
    return Extent{at, to};
  }

  bool fits(const Extent& extent) const {
    size_t start = extent.from == 0 ? 0 : text_.rfind('\n', extent.from - 1) + 1;
    while (start < extent.to) {
      const size_t end = std::min({text_.find('\n', start), extent.to, text_.size()});
      if (width_of(text_.substr(start, end - start)) > kSpecWidth) return false;
      start = end + 1;
    }
    return true;
  }

  /// Without its ends of lines.
  std::string joined(size_t from, size_t to) const {
    std::string out;
    for (size_t i = from; i < to; ++i) {
      if (text_[i] != '\n') {
        out += text_[i];
        continue;
      }
      while (!out.empty() && out.back() == ' ') out.pop_back();
      while (i + 1 < to && text_[i + 1] == ' ') ++i;
      if (text_.compare(i + 1, 1, "\n") == 0) return "";  // an empty line ends a paragraph
      const bool bracket = !out.empty() && (out.back() == '[' || out.back() == '{' || out.back() == '(');
      if (!bracket) out += ' ';
    }
    return out;
  }

  const Source& source_;
  const std::string& text_;
  std::vector<Edit> edits_;
};

Source with_text(const Source& source, std::string text) {
  return std::make_shared<const SourceFile>(source->path, std::move(text));
}

}  // namespace

std::optional<std::string> format_spec(const Source& source, Diagnostics& diagnostics) {
  const std::optional<YamlNode> root = read_yaml(source, diagnostics);
  if (!root) return std::nullopt;
  Source current = source;
  const auto apply = [&](auto&& visit) {
    const std::optional<YamlNode> tree = read_yaml(current, diagnostics);
    if (!tree || !same(*tree, *root))
      throw std::logic_error("formatting changes the contents of '" + source->path + "'");
    Pass pass(current);
    visit(pass, *tree);
    current = with_text(current, pass.result());
  };
  apply([](Pass& pass, const YamlNode&) { pass.blanks(); });
  apply([](Pass& pass, const YamlNode& tree) { pass.quotes(tree); });
  apply([](Pass& pass, const YamlNode& tree) { pass.lines(tree); });
  apply([](Pass&, const YamlNode&) {});
  return current->text;
}

}  // namespace opgen
