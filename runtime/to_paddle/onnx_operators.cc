#include "runtime/to_paddle/onnx_operators.h"

#include <map>

namespace fluid2onnx {

const OnnxOperator* find_onnx_operator(std::string_view op, int opset) {
  static const auto table = [] {
    std::multimap<std::string_view, OnnxOperator> all;
    for (const OnnxConverter& c : onnx_converters()) {
      OnnxOperator known{&c, read_slots(c.inputs), read_slots(c.outputs), {}};
      for (const std::string& word : split_words(c.older)) {
        const size_t equals = word.find('=');
        known.older.emplace_back(word.substr(0, equals), word.substr(equals + 1));
      }
      all.emplace(c.op, std::move(known));
    }
    return all;
  }();
  const auto [begin, end] = table.equal_range(op);
  for (auto found = begin; found != end; ++found) {
    const OnnxConverter& c = *found->second.converter;
    if (c.first <= opset && opset <= c.last) return &found->second;
  }
  return nullptr;
}

}  // namespace fluid2onnx
