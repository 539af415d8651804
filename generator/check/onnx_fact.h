// ONNX's operators in the terms of specs: slots and attributes.
#pragma once

#include <set>
#include <string>

#include "generator/check/onnx_model.h"
#include "generator/spec/facts.h"

namespace opgen {

/// The group that a spec's name means: "Softmax" the newest, "Softmax_11" the one whose newest version is 11. nullptr
/// if missing.
const OnnxGroup* find_onnx_group(const OnnxModel& onnx, const std::string& name);

/// Operands, results and attributes of its newest version. An attribute that is a tensor is an operand that may be
/// absent: the runtime gives it as a constant. Attributes that are graphs are left to native converters.
OpFact onnx_fact(const OnnxGroup& group);

/// A group as converters at run time know it: names of its newest version, separated by spaces.
struct OnnxForm {
  int first = 1;                ///< the first opset whose nodes its spec reads
  std::string inputs, outputs;  ///< "X axes": "*" behind a list
  std::string older;            ///< "axes=axes": a name, and the attribute for it in older versions
};
/// `with_specs`: the groups that have a spec. The spec of a newer group reads the older ones without.
OnnxForm onnx_form(const OnnxGroup& group, const OnnxModel& onnx, const std::set<const OnnxGroup*>& with_specs);

}  // namespace opgen
