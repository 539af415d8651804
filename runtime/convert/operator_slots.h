// What a GraphContext reads of one Paddle operator, wherever that comes from.
//
// Slots hold values of the graph: the binder resolves variable names before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/paddle/program/attribute.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

class OperatorSlots {
 public:
  virtual ~OperatorSlots() = default;

  virtual const std::string& type() const = 0;

  /// The tensors of an input slot; absent Values for arguments left out between others.
  virtual Values inputs(std::string_view slot) const = 0;
  /// The LoD of tensor `index` of an input slot.
  virtual Lod lod(std::string_view /*slot*/, size_t /*index*/) const { return {}; }
  /// The variables of an output slot, "" for those left out.
  virtual Strings outputs(std::string_view slot) const = 0;
  virtual bool used(std::string_view slot) const = 0;
  virtual Dtype declared_dtype(std::string_view slot) const = 0;
  /// The name of the operator's first output: what its nodes are named after.
  virtual std::string name() const = 0;

  /// Null if the operator does not set the attribute.
  virtual const Attribute* attribute(std::string_view name) const = 0;
  /// An attribute that is a dtype: Paddle and ONNX number them differently.
  virtual std::optional<Dtype> get_dtype(std::string_view name) const = 0;
  /// The tensors that an attribute names (VAR, VARS); none when the attribute holds numbers or is not set.
  virtual Values get_values(std::string_view /*name*/) const { return {}; }
};

}  // namespace fluid2onnx
