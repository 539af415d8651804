// Events of yaml-cpp to a tree. They carry a mark for every key and value, which YAML::Node does not.
#include <algorithm>
#include <sstream>
#include <unordered_map>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "generator/diagnostics/limits.h"
#include "generator/diagnostics/source.h"
#include "generator/spec/scalar_extent.h"
#include "generator/spec/yaml_errors.h"
#include "generator/spec/yaml_node.h"

namespace opgen {
namespace {

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  std::optional<YamlNode> take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (refuse_anchor(mark, anchor) || cut_) return skip();
    const size_t at = offset(mark);
    const bool written = source_->text.compare(at, 1, "~") == 0 || source_->text.compare(at, 4, "null") == 0 ||
                         source_->text.compare(at, 4, "Null") == 0 || source_->text.compare(at, 4, "NULL") == 0;
    if (written) {
      diagnostics_.error("empty-value", span_at_byte(at, source_->text[at] == '~' ? 1 : 4), "null is not allowed here",
                         "remove the key, or quote the text");
    } else if (stack_.empty()) {
      diagnostics_.error("empty-file", span_at_byte(at, 1), "the document is empty");
    } else if (stack_.back().value.kind == YamlNode::Kind::list) {
      const size_t dash = at == 0 ? 0 : source_->text.find_last_of("-,[", at - 1);
      diagnostics_.error("empty-value", span_at_byte(dash, 1), "the list has an empty item");
    } else if (!stack_.back().has_key) {
      diagnostics_.error("bad-key", span_at_byte(at, 1), "expected a key before ':'");
    } else if (stack_.back().key_span.file) {  // else the key was diagnosed
      diagnostics_.error("empty-value", stack_.back().key_span, "'" + stack_.back().key + "' has no value",
                         "remove the key, or check the indentation of the lines below");
    }
    skip();
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    const YamlError error = alias_error();
    diagnostics_.error(error.code, word(mark), error.message, error.help);
    skip();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (refuse_anchor(mark, anchor) || refuse_tag(mark, tag)) return skip();
    const std::string& text = source_->text;
    const size_t at = offset(mark);
    const char first = at < text.size() ? text[at] : '\0';

    YamlNode node;
    node.text = value;
    node.quoted = tag == "!";
    if (node.quoted && (first == '"' || first == '\'')) {
      const Extent inside = quoted_extent(text, at);
      // yaml-cpp takes the end of the file for the closing quote.
      if (inside.to >= text.size()) {
        const YamlError error = open_quote_error();
        diagnostics_.error(error.code, span_at_byte(at, 1), error.message, error.help);
        cut_ = true;
      }
      node.span = span_at_byte(at, inside.to + 1 - at);
      node.text_span = span_at_byte(inside.from, inside.to - inside.from);
    } else if (node.quoted) {
      const Extent line = block_extent(text, at);
      node.span = span_at_byte(at, 1);
      node.text_span = span_at_byte(line.from, line.to - line.from);
    } else {
      const Extent extent = plain_extent(text, at, value);
      node.span = node.text_span = span_at_byte(extent.from, extent.to - extent.from);
    }
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::list, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::map, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  void syntax_error(const YAML::Mark& mark, const std::string& message) {
    if (cut_) return;
    const std::string& text = source_->text;
    const size_t at = offset(mark);
    const bool quote = at < text.size() && (text[at] == '"' || text[at] == '\'');
    const bool open_quote = quote && message.starts_with("end of ") && quoted_extent(text, at).to >= text.size();
    const YamlError error = open_quote ? open_quote_error() : explain_yaml_error(message, text, at);
    Diagnostic& diagnostic = diagnostics_.error(error.code, word(mark), error.message, error.help);
    // yaml-cpp gives up where it can go no further, which is often far below the bracket that is to blame.
    if (stack_.empty() || !stack_.back().value.flow) return;
    const Span& bracket = stack_.back().open;
    if (bracket.line != diagnostic.span.line) diagnostic.notes.emplace_back(bracket, "the bracket was opened here");
  }

 private:
  struct Frame {
    YamlNode value;
    Span open;  ///< of the bracket or the first character
    bool has_key = false;
    std::string key;
    Span key_span;
    std::unordered_map<std::string, Span> seen;
  };

  size_t offset(const YAML::Mark& mark) const {
    if (mark.line < 0) return 0;
    const size_t size = source_->text.size();
    const size_t start = line_start(*source_, mark.line + 1);
    if (start >= size) return size == 0 ? 0 : size - 1;
    return std::min(start + static_cast<size_t>(mark.column), size);
  }

  Span span_at_byte(size_t at, size_t length) const { return span_of(source_, at, length); }

  /// The run of characters up to the next blank: what to underline when nothing is known about it.
  Span word(const YAML::Mark& mark) const {
    const size_t at = offset(mark);
    const size_t end = std::min(source_->text.find_first_of(" \t\n,]}", at), source_->text.size());
    return span_at_byte(at, end > at ? end - at : 1);
  }

  bool refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == 0) return false;
    const YamlError error = anchor_error();
    diagnostics_.error(error.code, word(mark), error.message, error.help);
    return true;
  }

  bool refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    const size_t at = offset(mark);
    const bool written = at < source_->text.size() && source_->text[at] == '!';
    if ((tag.empty() || tag == "?" || tag == "!") && !written) return false;
    diagnostics_.error("yaml-tag", word(mark), "tags ('!name') are not used in specs",
                       "quote a text that begins with '!'");
    return true;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool flow) {
    if (!refuse_anchor(mark, anchor)) refuse_tag(mark, tag);
    if (stack_.size() >= limits::kYamlDepth) {
      throw YAML::ParserException(
          mark, "lists and mappings are nested more than " + std::to_string(limits::kYamlDepth) + " levels deep");
    }
    Frame frame;
    frame.open = span_at_byte(offset(mark), 1);
    frame.value.kind = kind;
    frame.value.flow = flow;
    frame.value.span = frame.open;
    if (!stack_.empty() && stack_.back().value.kind == YamlNode::Kind::map) {
      if (stack_.back().has_key) {
        frame.value.span = stack_.back().key_span;
      } else {
        diagnostics_.error("bad-key", frame.open, "a key must be a word, not a list or mapping",
                           "quote a text that begins with '[' or '{'");
      }
    }
    stack_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    YamlNode& value = frame.value;
    if (value.flow) {
      const size_t at = offset_of(frame.open);
      const Extent extent = flow_extent(source_->text, at, value.kind == YamlNode::Kind::list ? &value.text : nullptr);
      value.text_span = span_at_byte(at, extent.to - at);
    }
    add(std::move(value));
  }

  void add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& top = stack_.back();
    if (top.value.kind == YamlNode::Kind::list) {
      top.value.items.push_back(std::move(node));
    } else if (top.has_key) {
      top.has_key = false;
      top.value.entries.push_back({std::move(top.key), top.key_span, std::move(node)});
    } else {
      start_entry(top, node);
    }
  }

  void start_entry(Frame& top, const YamlNode& key) {
    top.has_key = true;
    top.key = key.text;
    top.key_span = key.span;
    // The span of a mapping in a list is its first key: more telling than a brace or nothing.
    const bool owned = stack_.size() > 1 && stack_[stack_.size() - 2].value.kind == YamlNode::Kind::map;
    if (top.value.entries.empty() && !owned) top.value.span = key.span;
    if (key.kind != YamlNode::Kind::scalar) return;
    const auto [first, inserted] = top.seen.emplace(key.text, key.span);
    if (inserted) return;
    Diagnostic& diagnostic = diagnostics_.error("duplicate-key", key.span, "duplicate key '" + key.text + "'");
    diagnostic.notes.emplace_back(first->second, "first here");
  }

  /// Keeps keys and values in step after an unusable node; its text is never looked at.
  void skip() {
    YamlNode nothing;
    nothing.kind = YamlNode::Kind::list;
    add(std::move(nothing));
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Frame> stack_;
  std::optional<YamlNode> root_;
  bool cut_ = false;  ///< an open quote took the rest of the file; what follows is no news
};

/// Whatever follows the first document, if it is more than comments.
void refuse_more(const Source& source, YAML::Parser& parser, Diagnostics& diagnostics) {
  struct Ignore : YAML::EventHandler {
    std::optional<int> line;
    void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
  } ignore;
  try {
    if (!parser.HandleNextDocument(ignore)) return;
  } catch (const YAML::Exception& e) {
    if (!ignore.line) ignore.line = e.mark.line + 1;
  }
  // The mark is that of the content; people look for the dashes.
  int line = *ignore.line;
  while (line > 1 && line_of(*source, line).substr(0, 3) != "---") --line;
  if (line_of(*source, line).substr(0, 3) == "---") {
    diagnostics.error("second-document", span_of(source, line_start(*source, line), 3),
                      "the file has a second document", "write several operators as a list: '- op: name'");
  } else {
    diagnostics.error("yaml-syntax", span_of(source, line_start(*source, *ignore.line), 1),
                      "the line does not continue the text above it", "check the indentation and the '- '");
  }
}

}  // namespace

std::optional<YamlNode> read_yaml(const Source& source, Diagnostics& diagnostics) {
  const size_t before = diagnostics.error_count();
  TreeBuilder builder(source, diagnostics);
  std::istringstream in(source->text);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) {
      diagnostics.error("empty-file", span_of(source, 0, 1), "the file is empty");
      return std::nullopt;
    }
    refuse_more(source, parser, diagnostics);
  } catch (const YAML::Exception& e) {
    builder.syntax_error(e.mark, e.msg);
  }
  if (diagnostics.error_count() > before) return std::nullopt;
  return builder.take_root();
}

}  // namespace opgen
