#include "generator/spec/keys.h"

namespace opgen {

std::vector<std::string> KeySet::names() const {
  std::vector<std::string> list;
  for (const Key& key : keys) list.emplace_back(key.name);
  return list;
}

namespace keys {

// In the order in which a spec gives them.
const KeySet op{
    "operator",
    "an operator",
    {
        {"op"},       {"onnx"},   {"for_each"}, {"doc", true}, {"signature"}, {"inputs"},   {"outputs"}, {"attrs"},
        {"params"},   {"ignore"}, {"require"},  {"layout"},    {"complex"},   {"let"},      {"lod"},     {"nodes"},
        {"variants"}, {"native"}, {"why"},      {"limits"},    {"models"},    {"examples"},
    }};

const KeySet function{"function",
                      "a function",
                      {{"function", true}, {"doc", true}, {"let"}, {"require"}, {"is"}, {"nodes"}, {"variants"}}};

const KeySet requirement{"requirement",
                         "a requirement of the library",
                         {{"requirement", true}, {"doc", true}, {"that", true}, {"else", true}, {"hint"}, {"code"}}};

const KeySet signature{"signature", "a signature", {{"inputs"}, {"outputs", true}, {"attrs"}}};

const KeySet variant{
    "variant", "a variant", {{"doc"}, {"opset"}, {"paddle"}, {"when"}, {"let"}, {"require"}, {"nodes", true}}};

const KeySet require{"require", "a requirement", {{"that", true}, {"else", true}, {"hint"}, {"code"}}};

const KeySet if_statement{"if", "an 'if' statement", {{"if", true}, {"then", true}, {"else"}}};

const KeySet elif_statement{"elif", "an 'elif' statement", {{"elif", true}, {"then", true}, {"else"}}};

const KeySet for_statement{"for", "a 'for' statement", {{"for", true}, {"do", true}}};

const KeySet require_statement{
    "require_statement", "a 'require' statement", {{"require", true}, {"else"}, {"hint"}, {"code"}}};

const KeySet loop_statement{"loop",
                            "a 'loop' statement",
                            {{"loop", true}, {"times"}, {"while"}, {"iteration"}, {"scan_outputs"}, {"do", true}}};

const KeySet branch_statement{
    "branch", "a 'branch' statement", {{"branch", true}, {"outputs", true}, {"then", true}, {"else", true}}};

const KeySet lod_statement{"lod", "a 'lod' statement", {{"lod", true}, {"is", true}}};

const KeySet example{"example",
                     "an example",
                     {{"name"},
                      {"only"},
                      {"in"},
                      {"attrs"},
                      {"const"},
                      {"dyn"},
                      {"out"},
                      {"tol"},
                      {"random"},
                      {"refused"},
                      {"opsets"},
                      {"reference"},
                      {"paddle"},
                      {"why"}}};

const KeySet tolerance{"tolerance", "a tolerance", {{"rtol"}, {"atol"}}};

const KeySet reference{"reference", "a reference statement", {{"op", true}, {"in"}, {"out", true}, {"attrs"}}};

std::vector<const KeySet*> all() {
  return {&op,
          &function,
          &requirement,
          &signature,
          &variant,
          &require,
          &if_statement,
          &elif_statement,
          &for_statement,
          &require_statement,
          &loop_statement,
          &branch_statement,
          &lod_statement,
          &example,
          &tolerance,
          &reference};
}

std::string renamed(const std::string& key) {
  if (key == "turn") return "iteration";
  if (key == "collect") return "scan_outputs";
  return key == "gives" ? "outputs" : "";
}

}  // namespace keys
}  // namespace opgen
