#include "generator/print/print_targets.h"

#include <cstdint>

#include "generator/diagnostics/text.h"
#include "generator/print/tables.h"
#include "generator/render/template.h"

namespace opgen {
namespace {

std::string words(const std::vector<Text>& texts) { return joined(names_of(texts), " "); }

/// Rows of the facts of one target, sorted by operator. See runtime/targets/targets.h.
class Rows {
 public:
  explicit Rows(const TargetFile& target) {
    for (const TargetOperator& op : target.ops) facts(op);
  }
  const std::string& text() const { return text_; }

 private:
  void facts(const TargetOperator& op) {
    row(op, "runs", {});
    for (const TargetRange& range : op.opsets) this->range(op, "opsets", "", range);
    for (const TargetChoice& choice : op.dtypes) named(op, "dtypes", choice.name.text, words(choice.values));
    for (const TargetChoice& choice : op.attributes) named(op, "attribute", choice.name.text, words(choice.values));
    for (const TargetRanks& ranks : op.ranks) range(op, "ranks", ranks.operand.text, ranks.range);
    if (!op.constant.empty()) named(op, "constant", "", words(op.constant));
    if (!op.without.empty()) named(op, "without", "", words(op.without));
    if (!op.note.text.empty()) named(op, "note", "", op.note.text);
  }

  void row(const TargetOperator& op, const std::string& kind, std::vector<Piece> more) {
    std::vector<Piece> items{cpp::text(op.op.text), "Kind::" + kind};
    for (Piece& piece : more) items.push_back(std::move(piece));
    text_ += cpp::row(std::move(items), 2);
  }
  void named(const TargetOperator& op, const std::string& kind, const std::string& name, const std::string& values) {
    row(op, kind, {cpp::text(name), cpp::text(values)});
  }
  void range(const TargetOperator& op, const std::string& kind, const std::string& name, const TargetRange& range) {
    row(op, kind, {cpp::text(name), cpp::text(""), std::to_string(range.first), std::to_string(range.last)});
  }

  std::string text_;
};

}  // namespace

std::map<std::string, std::string> print_targets(const std::vector<TargetFile>& targets, const std::string& templates) {
  std::string tables, rows;
  for (const TargetFile& target : targets) {
    const std::string name = cpp::spec_name(target.file);
    tables += "constexpr TargetFact " + name + "[] = {\n" + Rows(target).text() + "};\n\n";
    rows += cpp::row(
        {cpp::text(target.name.text), cpp::text(target.title.text), cpp::text(target.version.text),
         cpp::text(target.source.text), std::to_string(target.opsets.first), std::to_string(target.opsets.last),
         std::to_string(target.best), target.dynamic ? "true" : "false", cpp::text(target.fallback.text),
         cpp::text(words(target.domains)), cpp::text(words(target.unjudged)), name},
        2);
  }
  return {{"generated/targets.cc", render_template(templates, "targets.cc.mustache",
                                                   {{"tables", cpp::chomp(tables)}, {"rows", cpp::chomp(rows)}})}};
}

}  // namespace opgen
