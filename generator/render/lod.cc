#include "generator/render/lod.h"

#include "generator/render/template.h"

namespace opgen {

std::map<std::string, std::string> render_lod(const Facts& facts, const std::string& templates) {
  // What most rows have is left out, from the end on.
  std::string rows;
  for (const auto& [op, results] : facts.lod)
    for (const LodFact& fact : results) {
      rows += "    {\"" + op + "\"";
      if (fact.result != "Out" || fact.operand != "X" || !fact.first) rows += ", \"" + fact.result + "\"";
      if (fact.operand != "X" || !fact.first) rows += ", \"" + fact.operand + "\"";
      rows += fact.first ? "},\n" : ", false},\n";
    }
  rows.pop_back();
  return {{"generated/lod_shares.cc", render_template(templates, "lod_shares.cc.mustache", {{"rows", rows}})}};
}

}  // namespace opgen
