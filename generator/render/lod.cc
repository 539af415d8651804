#include "generator/render/lod.h"

#include "generator/render/template.h"

namespace opgen {

std::map<std::string, std::string> render_lod(const Facts& facts, const std::string& templates) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [op, results] : facts.lod)
    for (const LodFact& fact : results)
      rows.push_back(
          {{"op", op}, {"result", fact.result}, {"operand", fact.operand}, {"first", fact.first ? "true" : "false"}});
  return {{"generated/lod_shares.cc", render_template(templates, "lod_shares.cc.mustache", {{"rows", rows}})}};
}

}  // namespace opgen
