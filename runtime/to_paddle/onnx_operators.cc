#include "runtime/to_paddle/onnx_operators.h"

namespace fluid2onnx {
namespace {

std::vector<std::pair<std::string, std::string>> read_pairs(const char* text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& word : split_words(text)) {
    const size_t equals = word.find('=');
    pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

const OnnxOperator* find(const OnnxOperators& table, std::string_view op, int opset) {
  const auto [begin, end] = table.equal_range(op);
  for (auto found = begin; found != end; ++found) {
    const OnnxOperator& known = found->second;
    if (known.first <= opset && opset <= known.last) return &known;
  }
  return nullptr;
}

}  // namespace

const OnnxOperator* find_onnx_operator(std::string_view op, int opset) {
  static const auto table = [] {
    OnnxOperators all;
    for (const OnnxConverter& c : onnx_converters()) {
      const auto convert = [run = c.convert](OpContext& context, std::string*) { run(context); };
      all.emplace(c.op, OnnxOperator{c.op, convert, c.first, c.last, read_slots(c.inputs), read_slots(c.outputs),
                                     read_pairs(c.older)});
    }
    return all;
  }();
  return find(table, op, opset);
}

OnnxOperators added_onnx_operators(const AddedConverters* specs) {
  OnnxOperators all;
  if (!specs) return all;
  for (const auto& [type, c] : specs->onnx) {
    all.emplace(type, OnnxOperator{type, c.convert, c.first, c.last, read_slots(c.inputs.c_str()),
                                   read_slots(c.outputs.c_str()), read_pairs(c.older.c_str())});
  }
  return all;
}

const OnnxOperator* find_added(const OnnxOperators& added, std::string_view op, int opset) {
  const OnnxOperator* found = find(added, op, opset);
  const OnnxOperator* built_in = found ? find_onnx_operator(op, opset) : nullptr;
  return built_in && built_in->last != found->last ? nullptr : found;
}

}  // namespace fluid2onnx
