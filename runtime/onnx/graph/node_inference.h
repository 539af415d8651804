// ONNX's inference functions over any form of a node: one of the Model as it is emitted, or one of a file.
#pragma once

#include <onnx/defs/shape_inference.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/onnx/graph/infer.h"

namespace fluid2onnx {

/// Longer vectors of integers are not followed element by element.
inline constexpr int64_t kMostElements = 128;
/// A damaged model with more axes would take all memory.
inline constexpr int64_t kMostAxes = 1024;

/// A node, and what is known of its operands. Null: unknown, or no such operand.
class NodeView {
 public:
  virtual ~NodeView() = default;
  virtual const std::string& op_type() const = 0;
  virtual const onnx::AttributeProto* attribute(const std::string& name) const = 0;
  virtual size_t operand_count() const = 0;
  virtual bool has_operand(size_t i) const = 0;
  virtual bool has_result(size_t i) const = 0;
  virtual const onnx::TypeProto* type(size_t i) const = 0;
  virtual const onnx::TensorProto* constant(size_t i) const = 0;
  virtual const onnx::SparseTensorProto* sparse_constant(size_t) const { return nullptr; }
  /// What data propagation found.
  virtual const onnx::TensorShapeProto* elements(size_t i) const = 0;
  /// Whether the operand is a constant; `ints` gets the elements of a small vector or scalar of integers.
  virtual bool is_constant(size_t i, std::unique_ptr<onnx::TensorShapeProto>* ints) const = 0;
  virtual std::unique_ptr<onnx::GraphInferencer> body(const std::string& attribute) const = 0;
};

/// A node of the Model.
class ModelNode : public NodeView {
 public:
  ModelNode(const Model& model, const Node& node) : model_(model), node_(node) {}

  const std::string& op_type() const override { return node_.op_type; }
  const onnx::AttributeProto* attribute(const std::string& name) const override;
  size_t operand_count() const override { return node_.inputs.size(); }
  bool has_operand(size_t i) const override { return i < node_.inputs.size() && node_.inputs[i]; }
  bool has_result(size_t) const override { return true; }
  const onnx::TypeProto* type(size_t i) const override;
  const onnx::TensorProto* constant(size_t i) const override {
    return has_operand(i) ? model_.small_proto(node_.inputs[i]) : nullptr;
  }
  const onnx::TensorShapeProto* elements(size_t i) const override {
    return has_operand(i) ? model_[node_.inputs[i]].elements.get() : nullptr;
  }
  bool is_constant(size_t i, std::unique_ptr<onnx::TensorShapeProto>* ints) const override;
  std::unique_ptr<onnx::GraphInferencer> body(const std::string& attribute) const override;

 protected:
  const Model& model_;
  const Node& node_;
};

/// Whether the text has only letters, commas, spaces, "..." and one "->". On others, ONNX's inference may not end.
bool is_einsum_equation(std::string_view text);
inline constexpr char kEquationIsInvalid[] = "the equation is invalid; expected letters, commas, '...' and '->'";

class NodeInference : public onnx::InferenceContext {
 public:
  NodeInference(const NodeView& node, Types* types) : node_(node), types_(*types) {}

  /// Throws for an invalid equation of an Einsum.
  const onnx::AttributeProto* getAttribute(const std::string& name) const override;
  size_t getNumInputs() const override { return node_.operand_count(); }
  const onnx::TypeProto* getInputType(size_t i) const override { return node_.type(i); }
  bool hasInput(size_t i) const override { return node_.has_operand(i); }
  const onnx::TensorProto* getInputData(size_t i) const override { return node_.constant(i); }
  size_t getNumOutputs() const override { return static_cast<size_t>(types_.size()); }
  onnx::TypeProto* getOutputType(size_t i) override { return &types_.at(static_cast<int>(i)); }
  bool hasOutput(size_t i) override { return i < getNumOutputs() && node_.has_result(i); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& name) override {
    return bodies_.emplace_back(node_.body(name)).get();
  }
  const onnx::SparseTensorProto* getInputSparseData(size_t i) const override { return node_.sparse_constant(i); }
  const onnx::TensorShapeProto* getSymbolicInput(size_t i) const override { return node_.elements(i); }
  std::string getDisplayName() const override { return "node " + node_.op_type(); }

 private:
  const NodeView& node_;
  Types& types_;
  std::deque<std::unique_ptr<onnx::GraphInferencer>> bodies_;
};

class NodePropagation : public onnx::DataPropagationContext {
 public:
  NodePropagation(const NodeView& node, Inferred* inferred) : node_(node), inferred_(*inferred) {}

  const onnx::AttributeProto* getAttribute(const std::string& name) const override { return node_.attribute(name); }
  size_t getNumInputs() const override { return node_.operand_count(); }
  const onnx::TypeProto* getInputType(size_t i) const override { return node_.type(i); }
  size_t getNumOutputs() const override { return static_cast<size_t>(inferred_.types.size()); }
  const onnx::TypeProto* getOutputType(size_t i) const override { return &inferred_.types.at(static_cast<int>(i)); }

  const onnx::TensorShapeProto* getInputData(size_t i) override {
    const bool bound_of_slice = i > 0 && node_.op_type() == "Slice";
    if (const auto* known = node_.elements(i)) return bound_of_slice ? safe_bound(*known) : known;
    std::unique_ptr<onnx::TensorShapeProto> made;
    if (!node_.is_constant(i, &made)) {
      if (bound_of_slice) return nullptr;  // ONNX would take unknown numbers as 0
      // A vector of known length: that many unknown numbers.
      const onnx::TypeProto* type = node_.type(i);
      if (!type || !type->has_tensor_type() || !type->tensor_type().has_shape()) return nullptr;
      const auto& shape = type->tensor_type().shape();
      if (shape.dim_size() != 1 || !shape.dim(0).has_dim_value()) return nullptr;
      if (shape.dim(0).dim_value() > kMostElements) return nullptr;
      made = std::make_unique<onnx::TensorShapeProto>();
      for (int64_t n = 0; n < shape.dim(0).dim_value(); ++n) made->add_dim();
    }
    if (made && bound_of_slice) return safe_bound(*made);
    return made_.emplace_back(std::move(made)).get();
  }
  void addOutputData(size_t i, onnx::TensorShapeProto&& data) override {
    if (i < inferred_.elements.size() && data.dim_size() <= kMostElements) {
      inferred_.elements[i] = std::make_shared<const onnx::TensorShapeProto>(std::move(data));
    }
  }

 private:
  /// Bounds and steps beyond all elements, nearer: ONNX cuts them to 32 bits. Null if one is unknown.
  const onnx::TensorShapeProto* safe_bound(const onnx::TensorShapeProto& bounds) {
    auto made = std::make_unique<onnx::TensorShapeProto>();
    for (const auto& bound : bounds.dim()) {
      if (!bound.has_dim_value()) return nullptr;
      made->add_dim()->set_dim_value(std::clamp(bound.dim_value(), -2 * kMostElements, 2 * kMostElements));
    }
    return made_.emplace_back(std::move(made)).get();
  }

  const NodeView& node_;
  Inferred& inferred_;
  std::deque<std::unique_ptr<onnx::TensorShapeProto>> made_;
};

/// The elements of a vector of integers, as data propagation wants them.
template <class Ints>
std::unique_ptr<onnx::TensorShapeProto> elements_of(const Ints& ints) {
  auto shape = std::make_unique<onnx::TensorShapeProto>();
  for (const int64_t n : ints) shape->add_dim()->set_dim_value(n);
  return shape;
}

/// The length of a vector of sizes, if it is known. In a damaged model, it could exhaust memory as a rank.
inline std::optional<int64_t> rank_of_sizes(const onnx::TensorShapeProto* shape) {
  const bool known = shape && shape->dim_size() == 1 && shape->dim(0).has_dim_value();
  if (!known || shape->dim(0).dim_value() < 0 || shape->dim(0).dim_value() > kMostAxes) return std::nullopt;
  return shape->dim(0).dim_value();
}

/// Removes empty names and negative sizes: such dims are unknown.
void drop_empty_dims(onnx::TypeProto* type);

}  // namespace fluid2onnx
