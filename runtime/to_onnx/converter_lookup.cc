#include "runtime/to_onnx/converter_lookup.h"

#include <algorithm>

#include "runtime/convert/complex.h"
#include "runtime/convert/required.h"
#include "runtime/support/has_item.h"
#include "runtime/support/text.h"

namespace fluid2onnx {

bool FoundConverter::takes_complex_in(const std::string& op, const std::string& slot) const {
  if (!added) return takes_complex(op, slot);
  return has_item(added->complex, slot);
}

void FoundConverter::run(OpContext& op, std::string* lines) const {
  if (added) added->convert(op, lines);
  else built_in->convert(op);
}

std::string FoundConverter::bug_hint() const {
  if (added)
    return "look into " + added->spec + "; if it is right, please report it with the model as a bug of fluid2onnx";
  return std::string("this is a bug of fluid2onnx") + (built_in ? std::string(" in ") + built_in->spec : "") +
         "; please report it with the model";
}

const FoundConverter& ConverterLookup::find(const std::string& op) {
  const auto [at, is_new] = found_.try_emplace(op);
  FoundConverter& found = at->second;
  if (!is_new) return found;
  if (const auto custom = options_.custom_ops.find(op); custom != options_.custom_ops.end()) {
    found.custom = &custom->second;
    return found;
  }
  if (options_.specs)
    if (const auto added = options_.specs->paddle.find(op); added != options_.specs->paddle.end())
      found.added = &added->second;
  if (!found.added) {
    found.built_in = find_converter(op);
    found.required = required_slots(op);
  }
  return found;
}

std::string ConverterLookup::unsupported_hint(const std::string& op) const {
  const auto near = [&](const auto& table) {
    std::vector<std::string> names;
    for (const auto& [name, what] : table) names.push_back(name);
    return closest(op, names);
  };
  if (const std::string custom = near(options_.custom_ops); !custom.empty())
    return "--custom-op names '" + custom + "': did you mean '" + op + "'?";
  const std::string spec = options_.specs ? near(options_.specs->paddle) : "";
  if (!spec.empty())
    return "the spec in " + options_.specs->paddle.at(spec).spec + " is of '" + spec + "': did you mean '" + op + "'?";
  return "pass a spec with --spec (see 'fluid2onnx spec --help'), or cut the model before it with --outputs";
}

}  // namespace fluid2onnx
