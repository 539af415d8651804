#include <doctest/doctest.h>

#include "generator/spec/yaml_node.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

YamlNode read(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<YamlNode> root = read_yaml(source(text), diagnostics);
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
  return root.value_or(YamlNode{});
}

const YamlNode& value(const YamlNode& map, const std::string& key) {
  const YamlNode::Entry* entry = map.find(key);
  REQUIRE(entry != nullptr);
  return entry->value;
}

std::string place(const Span& span) {
  return std::to_string(span.line) + ":" + std::to_string(span.column) + "+" + std::to_string(span.length);
}

}  // namespace

TEST_CASE("keys and scalars know their places") {
  const YamlNode root = read("# comment\nop: relu   # another\n\"doc\":   'it''s'\n");
  CHECK(place(root.span) == "2:1+2");
  CHECK(place(root.find("op")->key_span) == "2:1+2");
  CHECK(place(root.find("doc")->key_span) == "3:1+5");
  const YamlNode& op = value(root, "op");
  CHECK(op.text == "relu");
  CHECK_FALSE(op.quoted);
  CHECK(covered(op.span) == "relu");
  const YamlNode& doc = value(root, "doc");
  CHECK(doc.text == "it's");
  CHECK(doc.quoted);
  CHECK(covered(doc.span) == "'it''s'");
  CHECK(covered(doc.text_span) == "it''s");
}

TEST_CASE("lists and mappings have the place of their key") {
  const YamlNode root = read("a: [1, 2]\nb:\n  c: 3\nd:\n  - e: 1\n    f: [x]\n  - [y]\n  - {g: 1}\n");
  CHECK(place(value(root, "a").span) == "1:1+1");
  CHECK(place(value(root, "b").span) == "2:1+1");
  const YamlNode& d = value(root, "d");
  CHECK(place(d.span) == "4:1+1");
  REQUIRE(d.items.size() == 3);
  CHECK(place(d.items[0].span) == "5:5+1");
  CHECK(place(value(d.items[0], "f").span) == "6:5+1");
  CHECK(place(d.items[1].span) == "7:5+1");
  CHECK(place(d.items[2].span) == "8:6+1");
}

TEST_CASE("a flow list keeps its text, with blanks for comments") {
  const YamlNode root = read("a: [1, \"]\", f(x, y),  # no ]\n    'it''s', [b, {c: d}] ]\nb: {c: [x'y, z]}\n");
  const YamlNode& a = value(root, "a");
  CHECK(a.flow);
  CHECK(a.text == "[1, \"]\", f(x, y),        \n    'it''s', [b, {c: d}] ]");
  CHECK(place(a.text_span) == "1:4+25");
  CHECK(value(value(root, "b"), "c").text == "[x'y, z]");
}

TEST_CASE("block scalars point at their first line") {
  const YamlNode root = read("a: |\n\n  first\n  second\nb: >-\n  folded\n  text\nc: last\n");
  CHECK(value(root, "a").text == "\nfirst\nsecond\n");
  CHECK(covered(value(root, "a").text_span) == "first");
  CHECK(covered(value(root, "a").span) == "|");
  CHECK(value(root, "b").text == "folded text");
  CHECK(covered(value(root, "b").text_span) == "folded");
  CHECK(covered(value(root, "c").span) == "last");
}

TEST_CASE("scalars over several lines cover their first") {
  const YamlNode root = read("a: one\n   two # not this\nb: \"three\n   four\"\n");
  CHECK(value(root, "a").text == "one two");
  CHECK(covered(value(root, "a").span) == "one");
  CHECK(value(root, "b").text == "three four");
  CHECK(covered(value(root, "b").text_span) == "three");
}

TEST_CASE("columns are bytes") {
  const YamlNode root = read("{ä: 1, b: 2}\n");
  CHECK(place(root.find("b")->key_span) == "1:9+1");
}

TEST_CASE("YAML's own words are texts") {
  const YamlNode root = read("a: yes\nb: 1.0\nc: true\nd: 0x1F\n\"null\": \"null\"\n");
  CHECK(value(root, "a").text == "yes");
  CHECK(value(root, "b").text == "1.0");
  CHECK(value(root, "d").text == "0x1F");
  CHECK(value(root, "null").text == "null");
}

TEST_CASE("an explicit document start and end are no second document") {
  CHECK(value(read("---\nop: relu\n...\n"), "op").text == "relu");
  CHECK(value(read("%YAML 1.2\n---\nop: relu\n"), "op").text == "relu");
}

TEST_CASE("deep nesting is an error, not a crash") {
  Diagnostics diagnostics;
  CHECK_FALSE(read_yaml(source(std::string(100000, '[')), diagnostics).has_value());
  CHECK(diagnostics.has_errors());
}

}  // namespace opgen::test
