// What the user asks of a conversion.
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

/// Loads in every ONNX Runtime since 1.12 (2022), and is the first with all that common networks want:
/// LayerNormalization, axes as operands, Resize as Paddle means it.
constexpr int kDefaultOpset = 17;

/// A dim of an input: a number, or unknown and perhaps with a name. Dims with the same name are equal.
struct InputDim {
  int64_t size = -1;
  std::string name;

  friend bool operator==(const InputDim&, const InputDim&) = default;
};
using InputShape = std::vector<InputDim>;

/// "batch,3,?,-1": sizes from 1 on, names, and "?" or -1 for an unknown dim; "" for a 0-D tensor.
/// Throws E_USAGE.
InputShape parse_input_shape(const std::string& text);

/// Receives the stage and its progress; total 0: not known. Called often.
using Progress = std::function<void(const char* what, uint64_t done, uint64_t total)>;

/// What becomes of tensors with LoD: rows that are divided into sequences of different lengths.
enum class LodMode {
  automatic,  ///< `lengths` when an input of the program has LoD; else the outputs that operators divide have no
              ///< lengths
  lengths,    ///< inputs and outputs with LoD have `NAME.lengths` beside them
  single,     ///< one sequence for each run: no lengths
};

/// What an operator becomes that is left to the runtime.
struct CustomOp {
  std::string domain, op;
};
/// "type=domain::Op". Throws E_USAGE.
std::pair<std::string, CustomOp> parse_custom_op(const std::string& text);

struct ConvertOptions {
  int opset = kDefaultOpset;

  /// IR version of the ONNX file; 0: the lowest for the opset, at least 4.
  int ir_version = 0;

  /// Overrides the shapes that the program declares, by variable.
  std::map<std::string, InputShape, std::less<>> input_shapes;

  /// Cut points: variables of the main block that become the inputs, or the outputs, in this order. Empty: the model's
  /// own.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;

  /// Other names for inputs and outputs, by the name of the variable.
  std::map<std::string, std::string, std::less<>> renames;

  /// Unknown dims without a name of their own are called PREFIX.0, PREFIX.1 ...; "": after their input or output.
  std::string dim_prefix;

  LodMode lod = LodMode::automatic;

  /// Specs given at run time, which come before the built-in ones; may be null.
  std::shared_ptr<const AddedConverters> specs;

  /// Operators that become nodes of other domains, by type; before all specs.
  std::map<std::string, CustomOp, std::less<>> custom_ops;

  /// Operators that cannot be converted become nodes of the domain "paddle".
  bool continue_on_error = false;

  /// When an operator is refused, find the lowest opset that converts it. Costs a few more dry runs.
  bool find_lowest_opset = true;

  Precision precision;

  /// The engine that the model is for; null: any. Recipes may choose forms that it runs, and the report has what it
  /// refuses.
  const Target* target = nullptr;

  /// Weights that a runtime wants in another layout are turned by nodes, not when the model is written.
  bool weights_as_stored = false;

  Progress progress;
};

/// Sets the target of that name and, unless an opset is given, its best opset. Throws E_USAGE.
void choose_target(const std::string& name, bool opset_given, ConvertOptions* options);

}  // namespace fluid2onnx
