// Adds nodes to a model: legalises dtypes, folds constants, shares equal nodes, infers types and shapes.
#pragma once

#include <google/protobuf/arena.h>

#include <string>
#include <string_view>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/infer.h"
#include "runtime/onnx/graph/legalise.h"
#include "runtime/onnx/graph/schema.h"
#include "runtime/support/cast_note.h"

namespace fluid2onnx {

class Emitter {
  /// Sums over the constants that make_lazy added.
  struct LazySizes {
    uint64_t bytes = 0;
    uint64_t growth = 0;  ///< by which they exceed their operands
  };

 public:
  /// `lazy_weights`: compute nodes on large constants when the model is written, not when it runs.
  explicit Emitter(Model& model, bool lazy_weights = true) : model_(model), lazy_weights_(lazy_weights) {}

  Model& model() { return model_; }
  const Model& model() const { return model_; }

  /// The first `outputs` results of one node of the default domain.
  /// Throws Refused for the opset, dtypes or shapes, or Error E_INTERNAL if the call does not match the schema.
  Values emit(std::string_view op, const Values& inputs, const Attrs& attrs, int outputs);
  Value emit_one(std::string_view op, const Values& inputs, const Attrs& attrs = {}) {
    return emit(op, inputs, attrs, 1).front();
  }
  Value cast(Value v, Dtype to) { return emit_one("Cast", {v}, {Attr("to", to)}); }
  /// A constant. Equal constants of at most 1 KiB are the same value.
  Value constant(const Tensor& tensor);

  /// Makes `v` an output of the current graph. Inserts an Identity if the value is an input, a constant, of an outer
  /// graph, or already an output. An empty `name` keeps the value's name.
  Value add_output(Value v, std::string_view name = {});
  /// Copies the value by an Identity in the current graph.
  Value copy(Value v, std::string_view name_hint = "Identity");

  /// The tensor if the value is a constant, else null.
  const Tensor* constant_of(Value v) const {
    const auto& c = model_[v].constant;
    return c ? &*c : nullptr;
  }

  const std::vector<CastNote>& legalised() const { return legalised_; }

  // Undoes emitted nodes, as Model::mark and Model::rollback do.
  struct Mark {
    Model::Mark model;
    size_t legalised;
    LazySizes lazy;
  };
  Mark mark() { return {model_.mark(), legalised_.size(), lazy_}; }
  void rollback(const Mark& mark) {
    model_.rollback(mark.model);
    legalised_.resize(mark.legalised);
    lazy_ = mark.lazy;
  }

 private:
  void check_arity(const Schema& schema, const Values& inputs, int outputs) const;
  Values fold(std::string_view op, const Values& inputs, const Attrs& attrs, int outputs);
  Values make_lazy(const Node& node, const Attrs& attrs, const Types& types);
  Dtype operand_dtype(const Schema& schema, int variable, const Values& inputs) const;
  bool shape_arithmetic(const Node& node, const Types& types) const;

  /// Memory for the inference of one node.
  struct Scratch {
    alignas(8) char block[8192];
    google::protobuf::Arena arena;
    Scratch() : arena(block, sizeof block) {}
  };

  Model& model_;
  const bool lazy_weights_;
  std::vector<CastNote> legalised_;
  AttributeTable attributes_;
  Scratch scratch_;
  LazySizes lazy_;
};

}  // namespace fluid2onnx
