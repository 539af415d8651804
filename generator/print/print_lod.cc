#include "generator/print/print_lod.h"

#include <vector>

#include "generator/print/tables.h"
#include "generator/render/template.h"

namespace opgen {

std::map<std::string, std::string> print_lod(const Facts& facts, const std::string& templates) {
  std::string rows;
  for (const auto& [op, results] : facts.lod)
    for (const LodFact& fact : results) {
      // What most rows have is left out, from the end on.
      std::vector<Piece> items{cpp::text(op), cpp::text(fact.result), cpp::text(fact.operand), "false"};
      if (fact.first) items.pop_back();
      if (fact.first && fact.operand == "X") items.pop_back();
      if (items.size() == 2 && fact.result == "Out") items.pop_back();
      rows += cpp::row(std::move(items), 2);
    }
  return {
      {"generated/lod_shares.cc", render_template(templates, "lod_shares.cc.mustache", {{"rows", cpp::chomp(rows)}})}};
}

}  // namespace opgen
