// An operator of a Program as a converter reads it, in its scope.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/convert/operator_slots.h"
#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

class ProgramSlots : public OperatorSlots {
 public:
  /// Gives the current value of a variable.
  using Resolve = std::function<Value(const std::string& name)>;
  /// Gives the LoD of that value.
  using LodOf = std::function<Lod(const std::string& name)>;
  /// Gives the name that a variable's value gets in the ONNX graph; "" for none in particular.
  using Display = std::function<std::string(const Op& op, const std::string& name)>;

  ProgramSlots(const Program& program, const Op& op, const SortedNames& read_later, Resolve resolve, LodOf lod_of,
               Display display)
      : program_(program),
        op_(op),
        read_later_(read_later),
        resolve_(std::move(resolve)),
        lod_of_(std::move(lod_of)),
        display_(std::move(display)) {}

  const std::string& type() const override { return op_.type; }
  Values inputs(std::string_view slot) const override;
  Lod lod(std::string_view slot, size_t index) const override;
  Strings outputs(std::string_view slot) const override;
  bool used(std::string_view slot) const override;
  Dtype declared_dtype(std::string_view slot) const override;
  std::string name() const override;

  const Attribute* attribute(std::string_view name) const override { return op_.attr(name); }
  std::optional<Dtype> get_dtype(std::string_view name) const override { return op_.get_dtype(name); }
  Values get_values(std::string_view name) const override;

 private:
  const Program& program_;
  const Op& op_;
  const SortedNames& read_later_;
  Resolve resolve_;
  LodOf lod_of_;
  Display display_;
};

/// The variable that an operator is called by: its main output, "" if it has none.
std::string first_output(const Op& op);

}  // namespace fluid2onnx
