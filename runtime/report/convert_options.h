// The options of a conversion.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/convert/added_converters.h"
#include "runtime/onnx/graph/opsets.h"
#include "runtime/onnx/graph/passes/precision.h"
#include "runtime/targets/targets.h"

namespace fluid2onnx {

/// The lowest opset with everything that common networks need: LayerNormalization, axes as operands, and Paddle's
/// Resize. ONNX Runtime supports it since 1.12 (2022).
constexpr int kDefaultOpset = 17;

/// A dim of an input: a size, or -1 and optionally a name. Dims with the same name have equal sizes.
struct InputDim {
  int64_t size = -1;
  std::string name;

  friend bool operator==(const InputDim&, const InputDim&) = default;
};
using InputShape = std::vector<InputDim>;

/// Parses "batch,3,?,-1": sizes of at least 1, names, and "?" or -1 for an unknown dim; "" is a 0-D tensor.
/// Throws E_USAGE.
InputShape parse_input_shape(const std::string& text);

/// Called often with the stage and its progress. `total` 0: unknown.
using Progress = std::function<void(const char* what, uint64_t done, uint64_t total)>;

/// The conversion of tensors with LoD (rows that are divided into sequences of different lengths).
enum class LodMode {
  automatic,  ///< `lengths` if an input of the program has LoD; else no lengths, even if operators create sequences
  lengths,    ///< for each input and output with LoD, a tensor `NAME.lengths`
  single,     ///< one sequence per run, without lengths
};

/// The node for an operator that is left to the runtime.
struct CustomOp {
  std::string domain, op;
  friend bool operator==(const CustomOp&, const CustomOp&) = default;
};
/// Parses "type=domain::Op". Throws E_USAGE.
std::pair<std::string, CustomOp> parse_custom_op(const std::string& text);

struct ConvertOptions {
  int opset = kDefaultOpset;

  /// IR version of the ONNX file; 0: the lowest for the opset, at least 4.
  int ir_version = 0;

  /// Shapes by input variable, which override those of the program.
  std::map<std::string, InputShape, std::less<>> input_shapes;

  /// Variables of the main block that become the inputs or outputs, in this order. Empty: those of the model.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;

  /// New names of inputs and outputs, by variable.
  std::map<std::string, std::string, std::less<>> renames;

  /// The prefix of names for unnamed dynamic dims: PREFIX.0, PREFIX.1 ... "": the name of their input or output.
  std::string dim_prefix;

  LodMode lod = LodMode::automatic;

  /// Specs at run time, which take precedence over built-in converters; may be null.
  std::shared_ptr<const AddedConverters> specs;

  /// Nodes for operators that are left to the runtime, by operator type. These take precedence over all specs.
  std::map<std::string, CustomOp, std::less<>> custom_ops;

  /// Converts operators that fluid2onnx cannot convert to nodes of the domain "paddle".
  bool continue_on_error = false;

  /// If the conversion fails, searches for an opset that works, by converting without writing.
  bool find_working_opset = true;

  Precision precision;

  /// The engine that will run the model; null: any. Recipes can choose forms that it supports, and the report lists
  /// what it refuses.
  const Target* target = nullptr;

  /// Merges biases and normalizations into the operator before them, and parallel convolutions. Without: they keep
  /// their own nodes and the rounding of their results.
  bool fuse = true;

  /// Keeps the stored layout of weights: nodes transpose or reorder them at run time.
  bool weights_as_stored = false;

  Progress progress;
};

/// Sets the target of that name and, unless an opset is given, its best opset. Throws E_USAGE.
void choose_target(const std::string& name, bool opset_given, ConvertOptions* options);

}  // namespace fluid2onnx
