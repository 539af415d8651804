// What a GraphContext reads of one Paddle operator, wherever that comes from.
//
// Slots hold values of the graph: the binder resolves variable names before. Attributes are read by
// value, as fluid2onnx::Op of runtime/paddle/program offers them under the same names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  // Nothing when the program does not set the attribute; an Error when it cannot be read in the wanted way.
  virtual bool has_attr(std::string_view name) const = 0;
  virtual std::optional<bool> get_bool(std::string_view name) const = 0;
  virtual std::optional<int64_t> get_int(std::string_view name) const = 0;
  virtual std::optional<double> get_float(std::string_view name) const = 0;
  virtual std::optional<std::string> get_string(std::string_view name) const = 0;
  virtual std::optional<Dtype> get_dtype(std::string_view name) const = 0;
  virtual std::optional<Ints> get_ints(std::string_view name) const = 0;
  virtual std::optional<Floats> get_floats(std::string_view name) const = 0;
  virtual std::optional<Strings> get_strings(std::string_view name) const = 0;
  /// The tensors that an attribute names (VAR, VARS); none when the attribute holds numbers or is not set.
  virtual Values get_values(std::string_view name) const = 0;
};

}  // namespace fluid2onnx
