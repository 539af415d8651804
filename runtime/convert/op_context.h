// The interface between converters and the programs that call them.
//
// A converter is a function `void(OpContext&)` that reads one operator of Paddle or ONNX (inputs, attributes, shapes)
// and emits ONNX nodes. It neither walks a graph nor writes a file, so the mappings can be reused by any exporter that
// can supply an OpContext. No protobuf header is needed here, which keeps generated code cheap to compile.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/support/error_code.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

/// Where a parameter of a Paddle operator may come from: an attribute, a tensor slot, or a list slot with one tensor
/// per element. Empty names do not exist for this parameter. The attribute may itself name a variable (VAR, VARS).
struct ParamSource {
  std::string_view list_slot;
  std::string_view tensor_slot;
  std::string_view attr;
  bool tensor_first = false;  ///< if the operator has both, the tensor takes precedence over the list
};

/// The results of one loop iteration.
struct LoopIteration {
  Operand cond;         ///< bool, 0-D: run another iteration; absent: yes
  Values carried;       ///< the loop-carried tensors, in the order of loop()'s `carried`
  Values scan_outputs;  ///< one slice each of the collected outputs
};

using LoopBody = std::function<LoopIteration(Value iteration, const Values& carried)>;

class OpContext {
 public:
  virtual ~OpContext() = default;

  // -- the target ----------------------------------------------------------------------------------------
  /// The opset of the model, in the default ONNX domain.
  virtual int opset() const = 0;
  /// True if the engine that the model is for runs the ONNX operator at this opset, on operands of the dtype
  /// (undefined: of any). Without such an engine, always true.
  virtual bool target_has(std::string_view /*op*/, Dtype /*dtype*/ = Dtype::undefined) const { return true; }

  // -- the Paddle operator -------------------------------------------------------------------------------
  virtual const std::string& op_type() const = 0;
  /// True if the slot holds at least one tensor.
  virtual bool has(std::string_view slot) const = 0;
  /// The only tensor of a slot; an absent Value if the slot is empty.
  virtual Value input(std::string_view slot) = 0;
  virtual Values inputs(std::string_view slot) = 0;
  /// True if an operator reads this output, or if it is an output of the model.
  virtual bool used(std::string_view slot) const = 0;
  /// The number of tensors that the operator has in an output slot.
  virtual int64_t output_count(std::string_view slot) const = 0;
  /// The number of LoD levels of tensor `index` in an input slot; 0: the tensor is not divided into sequences.
  virtual int64_t lod_level(std::string_view /*slot*/, int64_t /*index*/ = 0) const { return 0; }
  /// The lengths of these sequences at a level (negative: from the innermost): int64 [sequences], counted in sequences
  /// of the next level or, at the innermost, in rows. Refuses the operator if the level does not exist.
  virtual Value lengths(std::string_view slot, int64_t /*level*/ = -1, int64_t /*index*/ = 0) {
    refuse(E_LOD, "'" + std::string(slot) + "' is not divided into sequences");
    return {};
  }
  virtual void set_output(std::string_view slot, const Operand& value) = 0;
  virtual void set_outputs(std::string_view slot, const Values& values) = 0;
  /// Sets the LoD of tensor `index` in an output slot. Without a call, the output inherits the LoD of the operand
  /// that opspecs/facts/lod.json lists.
  virtual void set_lod(std::string_view /*slot*/, const Lod& /*lod*/, int64_t /*index*/ = 0) {}
  /// The dtype that the program declares for an output or operand; undefined without a declaration.
  virtual Dtype declared_dtype(std::string_view slot) const = 0;

  // Attributes are converted to the requested type: an INT also gives a bool, float or list. `default_value` is
  // Paddle's default, for attributes that the program does not store.
  virtual bool has_attr(std::string_view name) const = 0;
  virtual bool attr_bool(std::string_view name, bool default_value) = 0;
  virtual int64_t attr_int(std::string_view name, int64_t default_value) = 0;
  virtual double attr_float(std::string_view name, double default_value) = 0;
  virtual std::string attr_string(std::string_view name, const std::string& default_value) = 0;
  virtual Ints attr_ints(std::string_view name, const Ints& default_value) = 0;
  virtual Floats attr_floats(std::string_view name, const Floats& default_value) = 0;
  virtual Strings attr_strings(std::string_view name, const Strings& default_value) = 0;
  /// A Paddle VarType id as an ONNX dtype; -1 (unset) is Dtype::undefined.
  virtual Dtype attr_dtype(std::string_view name, Dtype default_value) = 0;

  // Parameters come from the list or tensor slot (the first by `tensor_first`), else the attribute. Values of
  // constant tensors are known.
  virtual Dims param_ints(const ParamSource& source, const Ints& default_value) = 0;
  virtual Dim param_int(const ParamSource& source, int64_t default_value) = 0;
  virtual Scalars param_floats(const ParamSource& source, const Floats& default_value) = 0;
  virtual Scalar param_float(const ParamSource& source, double default_value) = 0;
  /// True if the parameter is given in any of the three ways.
  virtual bool has_param(const ParamSource& source) const = 0;

  // -- tensors -------------------------------------------------------------------------------------------
  virtual Dtype dtype(Value x) = 0;
  /// If a Cast produces x, the dtype of the Cast's operand; else the dtype of x.
  virtual Dtype dtype_before_cast(Value x) { return dtype(x); }
  /// If x is MatMul(a, weight) or that plus a bias, with a 2-D weight of the model: these operands; else empty.
  virtual Values projection(Value /*x*/) { return {}; }
  virtual bool rank_known(Value x) = 0;
  /// Refuses the operator if the rank is unknown.
  virtual int64_t rank(Value x) = 0;
  /// Dim `axis` (negative: from the end) of the shape of x.
  virtual Dim dim(Value x, int64_t axis) = 0;
  virtual Dims shape(Value x) = 0;
  /// Element `index` of a 1-D int tensor; known if shape inference knows it.
  virtual Dim element(Value x, int64_t index) {
    Dim d;
    d.source = Dim::Source::element;
    d.tensor = x;
    d.index = index;
    return d;
  }
  /// The only element of an int tensor; known if shape inference knows it.
  virtual Dim only_element(Value x) {
    Dim d;
    d.source = Dim::Source::scalar;
    d.tensor = x;
    return d;
  }
  virtual bool is_const(Value x) = 0;
  /// True for a tensor array.
  virtual bool is_sequence(Value x) = 0;
  /// The elements of a constant, row-major. Refuses the operator if x is not a constant.
  virtual Ints const_ints(Value x) = 0;
  virtual Floats const_floats(Value x) = 0;

  // -- emission ------------------------------------------------------------------------------------------
  /// Emits one node of the default ONNX domain and returns its first `outputs` results. Operands and attributes must be
  /// those of the schema at opset(); generated builders adapt them. Constants get the dtype of operands with the same
  /// type variable. For unsupported dtypes, Cast nodes are added. A node of small constants is evaluated instead.
  virtual Values node(const char* op_type, const Operands& operands, const Attrs& attrs, int outputs) = 0;
  /// Its first result.
  Value node(const char* op_type, const Operands& operands, const Attrs& attrs = {}) {
    return node(op_type, operands, attrs, 1).front();
  }
  /// In a converter of an ONNX operator: emits a Paddle operator and returns its results in order, without optional
  /// ones. If one result is a list, it has the rest of the `results` tensors.
  virtual Values fluid(std::string_view type, const FluidOperands& /*operands*/, const Attrs& /*attrs*/,
                       int64_t /*results*/) {
    refuse(E_INTERNAL, "'" + std::string(type) + "' is a Paddle operator, but the target is ONNX");
    return {};
  }
  /// Its first result.
  Value fluid(std::string_view type, const FluidOperands& operands, const Attrs& attrs = {}) {
    return fluid(type, operands, attrs, 1).front();
  }
  /// The operand as a tensor; a constant without dtype becomes `dtype` (undefined: int64, float32 or bool by its kind).
  virtual Value tensor(const Operand& operand, Dtype dtype = Dtype::undefined) = 0;
  /// Emits a Loop with at most `trips` iterations (absent: unbounded), while `condition` (absent: always) is true.
  /// Returns the final carried tensors, then the scan outputs. The body may use any outer tensor.
  virtual Values loop(const Operand& trips, const Operand& condition, const Values& carried, const LoopBody& body) = 0;
  virtual Values if_else(const Operand& condition, const std::function<Values()>& then_branch,
                         const std::function<Values()>& else_branch) = 0;

  // -- refusal -------------------------------------------------------------------------------------------
  /// Refuses the operator. The caller of the converter adds the location. `message` has the
  /// reason and, if possible, what to do.
  [[noreturn]] virtual void refuse(NamedErrorCode code, const std::string& message) = 0;
  /// Refuses the operator because `what` needs opset `lowest`.
  [[noreturn]] virtual void refuse_opset(int lowest, const std::string& what) = 0;
};

/// A converter of one operator.
using Converter = void (*)(OpContext&);

struct ConverterInfo {
  const char* op;  ///< Paddle operator type
  Converter convert;
  const char* spec;      ///< path of its spec in the repository
  const char* required;  ///< the input slots that required_slots() returns, such as "X Offset"
  const char* doc;       ///< one line
  int lowest_opset = 7;  ///< no variant is available below
};

/// All converters, sorted by operator type.
const std::vector<ConverterInfo>& converters();
/// The converter of an operator type, or nullptr.
const ConverterInfo* find_converter(std::string_view op);

}  // namespace fluid2onnx
