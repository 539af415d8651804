#include "generator/explain/skeleton.h"

#include <algorithm>
#include <set>
#include <vector>

#include "generator/diagnostics/text.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

std::string param_kind(const std::string& type) {
  if (type == "ints") return "int_array";
  if (type == "floats") return "float_array";
  return type == "int" || type == "float" ? type : "";
}

/// Something of the type, for attributes without a default.
std::string some_value(const std::string& type) {
  if (type == "ints" || type == "bools") return "[1]";
  if (type == "floats" || type == "scalars") return "[1.0]";
  if (type == "strings") return "[\"\"]";
  if (type == "string") return "\"\"";
  if (type == "bool") return "false";
  return type == "float" || type == "scalar" ? "1.0" : "1";
}

constexpr char kExamples[] = "examples:  # shapes that fit, and ranges that matter: \"float32[2, 3] in [0, 1]\"\n";

class Skeleton {
 public:
  Skeleton(const std::string& op, const OpFact& fact, const Facts& facts) : op_(op), fact_(fact), facts_(facts) {}

  std::string text(const std::string& why) {
    sources();
    for (const AttrFact& a : fact_.attrs) attribute(a);
    std::string out;
    if (!why.empty())
      out += "# fluid2onnx does not convert it: " + why +
             ".\n# A spec among fluid2onnx's own takes it out of opspecs/facts/unconverted.yaml.\n";
    out += "op: " + op_ + "\ndoc: What it computes, in one line\n";
    slots(fact_.inputs, "inputs", out);
    slots(fact_.outputs, "outputs", out);
    if (!attrs_.empty()) out += "attrs: [" + joined(attrs_) + "]\n" + notes_;
    for (const std::string& release : fact_.changes)
      out += "# Paddle " + release + " computes something else: ask since(" + release + ")\n";
    if (!params_.empty()) out += "params: {" + joined(params_) + "}\n";
    if (!layout_.empty())
      out += "layout: {" + layout_ + ": [" + joined(images()) + "]}  # the recipe sees channels first\n";
    out += "nodes:\n" + nodes() + kExamples + example();
    return out;
  }

 private:
  /// Slots that give parameters are not listed under inputs.
  void sources() {
    for (const auto& [name, source] : fact_.params) {
      const AttrFact* a = fact_.attr(name);
      if (a == nullptr || param_kind(a->type).empty()) continue;
      params_.push_back(name + ": " + param_kind(a->type));
      taken_.insert({name, source.tensor_slot, source.list_slot});
    }
  }

  void attribute(const AttrFact& a) {
    const auto& ignored = facts_.ignored_attrs;
    if (!is_name(a.name) || a.extra || std::find(ignored.begin(), ignored.end(), a.name) != ignored.end() ||
        a.name.rfind("fuse_", 0) == 0)
      return;
    if (a.default_value.is_null() && (a.required || !onnx_)) given_.push_back(a.name + ": " + some_value(a.type));
    if (taken_.count(a.name) > 0) return;
    if (a.default_value == "NCHW" || a.default_value == "NCDHW") {
      layout_ = a.name;
      return;
    }
    attrs_.push_back(a.name);
    notes_ += "# " + a.name + ": " + a.type +
              (a.default_value.is_null() ? onnx_ && !a.required ? ", may be absent" : ", without a default"
                                         : " = " + a.default_value.dump()) +
              "\n";
  }

  void slots(const std::vector<SlotFact>& list, const char* key, std::string& out) const {
    std::vector<std::string> names, optional, many;
    for (const SlotFact& s : list) {
      if (!is_name(s.name) || s.extra || s.dead || taken_.count(s.name) > 0) continue;
      names.push_back(s.name);
      if (s.optional) optional.push_back(s.name);
      if (s.list) many.push_back(s.name);
    }
    if (names.empty()) return;
    out += std::string(key) + ": [" + joined(names) + "]\n";
    if (!optional.empty()) out += "# may be absent: " + joined(optional) + "\n";
    if (!many.empty()) out += "# lists of tensors: " + joined(many) + "\n";
  }

  std::vector<std::string> images() const {
    std::vector<std::string> names;
    for (const auto* list : {&fact_.inputs, &fact_.outputs})
      for (const SlotFact& s : *list)
        if (!s.optional && !s.extra && taken_.count(s.name) == 0) {
          names.push_back(s.name);
          break;
        }
    return names;
  }

  std::string nodes() const {
    std::string first;
    for (const SlotFact& s : fact_.inputs)
      if (first.empty() && !s.extra && !s.dead && taken_.count(s.name) == 0) first = s.name + (s.list ? "[0]" : "");
    std::string out;
    for (const SlotFact& s : fact_.outputs) {
      if (!is_name(s.name) || s.extra) continue;
      const std::string value = first.empty() ? "constant(0.0, float32)" : "Identity(" + first + ")";
      out += s.list ? "  - " + s.name + " = [" + value + "]\n" : "  - " + s.name + " = " + value + "\n";
    }
    return out.empty() ? "  - _ = " + first + "\n" : out;
  }

  std::string example() const {
    std::vector<std::string> in;
    for (const SlotFact& s : fact_.inputs) {
      if (s.optional || s.extra || s.dead || taken_.count(s.name) > 0) continue;
      const std::string tensor = "\"float32[2, 3, 4" + std::string(layout_.empty() ? "" : ", 4") + "]\"";
      in.push_back(s.name + ": " + (s.list ? "[" + tensor + ", " + tensor + "]" : tensor));
    }
    std::string out;
    if (!in.empty()) out = "  - in: {" + joined(in) + "}\n";
    if (!given_.empty()) out += std::string(out.empty() ? "  - " : "    ") + "attrs: {" + joined(given_) + "}\n";
    return out.empty() ? "  - attrs: {}\n" : out;
  }

  const std::string& op_;
  const OpFact& fact_;
  const Facts& facts_;
  const bool onnx_ = is_onnx_name(op_);
  std::vector<std::string> attrs_, params_, given_;
  std::set<std::string> taken_{""};  ///< slots and attributes that parameters speak of
  std::string notes_, layout_;
};

}  // namespace

std::string skeleton(const std::string& op, const OpFact& fact, const Facts& facts, const std::string& why) {
  return Skeleton(op, fact, facts).text(why);
}

}  // namespace opgen
