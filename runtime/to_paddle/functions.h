// Operators without a converter, but with a function body in ONNX's schema.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fluid2onnx {

using OpsetsByDomain = std::map<std::string, int, std::less<>>;

class OnnxFunctions {
 public:
  /// `file`: the model's imports. They outlive this object.
  explicit OnnxFunctions(const OpsetsByDomain& file) : file_(file) {}

  /// The opset of a domain in the function that is open, or in the file.
  int opset_of(const std::string& domain) const;
  /// The body of the node's operator for operands of these types, with the node's attributes; null if it has none.
  const onnx::FunctionProto* body_of(const onnx::NodeProto& node, const std::vector<onnx::TypeProto>& types);

  void open(const onnx::FunctionProto& function);
  void close() { open_.pop_back(); }
  /// How many are open.
  size_t depth() const { return open_.size(); }
  void close_to(size_t depth) { open_.resize(depth); }

 private:
  const OpsetsByDomain& file_;
  std::vector<OpsetsByDomain> open_;
  std::vector<std::unique_ptr<onnx::FunctionProto>> bodies_;  // values refer to their attributes
};

}  // namespace fluid2onnx
