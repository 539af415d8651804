#include "runtime/onnx/graph/emitter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/constant.h"
#include "runtime/onnx/graph/evaluate/evaluate.h"
#include "runtime/onnx/graph/infer.h"
#include "runtime/onnx/graph/node_key.h"
#include "runtime/onnx/graph/simplify.h"
#include "runtime/support/limits.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

constexpr uint64_t kFoldBytes = 64 << 10;  // nodes are evaluated if their operands and results are not larger

/// Operators that accept every dtype of their opset: a cast of the operand would not help.
bool takes_any_dtype(std::string_view op) {
  return op == "Cast" || op == "Constant" || op == "ConstantOfShape" || op == "Identity" || op == "Shape";
}

/// Refuses a tensor array where the operator takes tensors, and the reverse.
void refuse_kind(const SchemaParam& param, size_t index, std::string_view op, const onnx::TypeProto& type) {
  const bool array = type.has_sequence_type();
  if (array ? !param.tensors_only : !type.has_tensor_type() || !param.dtypes.empty()) return;
  const std::string given = array ? "a tensor array" : "a tensor", wanted = array ? "a tensor" : "a tensor array";
  throw Refused(E_BAD_PROGRAM, "operand " + std::to_string(index) + " ('" + param.name + "') of the ONNX operator '" +
                                   std::string(op) + "' is " + given + " instead of " + wanted);
}

/// Refuses a dtype that the operator does not accept at an old opset.
void refuse_newer_dtype(const SchemaParam& param, size_t index, std::string_view op, int opset, Dtype dtype) {
  if (dtype != Dtype::undefined && !param.dtypes.has(dtype)) refuse_dtype(param, index, op, opset, dtype);
}

/// The result as a constant, if inference knows all of its elements (data propagation).
std::optional<Tensor> known_elements(const onnx::TypeProto& type, const onnx::TensorShapeProto* elements) {
  if (!elements || !type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
  const auto dtype = static_cast<Dtype>(type.tensor_type().elem_type());
  const auto& shape = type.tensor_type().shape();
  if (dtype != Dtype::int64 && dtype != Dtype::int32) return std::nullopt;
  const bool scalar = shape.dim_size() == 0 && elements->dim_size() == 1;
  const bool vector =
      shape.dim_size() == 1 && shape.dim(0).has_dim_value() && shape.dim(0).dim_value() == elements->dim_size();
  if (!scalar && !vector) return std::nullopt;
  Ints ints;
  for (const auto& e : elements->dim()) {
    if (!e.has_dim_value()) return std::nullopt;
    ints.push_back(e.dim_value());
  }
  Ints dims;
  if (vector) dims.push_back(static_cast<int64_t>(ints.size()));
  return make_tensor(Constant{ints, dims, dtype}, dtype);
}

std::optional<Ints> static_dims(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
  Ints dims;
  for (const auto& d : type.tensor_type().shape().dim()) {
    if (!d.has_dim_value()) return std::nullopt;
    dims.push_back(d.dim_value());
  }
  return dims;
}

/// Empty constants, if all results are known to be empty: many kernels of ONNX Runtime fail on empty tensors.
std::vector<Tensor> without_elements(const Types& types) {
  std::vector<Tensor> tensors;
  for (const onnx::TypeProto& type : types) {
    const auto dims = static_dims(type);
    if (!dims || std::find(dims->begin(), dims->end(), 0) == dims->end()) return {};
    const auto dtype = static_cast<Dtype>(type.tensor_type().elem_type());
    if (dtype_size(dtype) == 0) return {};
    tensors.emplace_back(dtype, *dims, std::vector<uint8_t>());
  }
  return tensors;
}

/// The schema of an operator, which the opset has to have.
const Schema& schema_of(std::string_view op, int opset) {
  if (const Schema* schema = find_schema(op, opset)) return *schema;
  const int lowest = first_opset_with(op, opset);
  const std::string what = "ONNX operator '" + std::string(op) + "'";
  if (lowest == 0) throw Error(E_INTERNAL, what + " is not available from opset " + std::to_string(opset) + " on");
  throw needs_opset(what, lowest);
}

/// Finds a supported dtype per type variable, and per operand without one.
class OperandDtypes {
 public:
  OperandDtypes(std::string_view op, const Schema& schema, int opset, const Attributes& attributes)
      : op_(op), schema_(schema), opset_(opset), attributes_(attributes) {}

  /// The dtype that the operand has to have. `notes` lists what is cast.
  Dtype legal(const SchemaParam& param, size_t index, Dtype own, std::vector<CastNote>* notes) {
    const auto known = std::find_if(backs_.begin(), backs_.end(),
                                    [&](const Back& b) { return param.variable >= 0 && b.variable == param.variable; });
    if (known != backs_.end()) return known->to;
    if (admits(schema_, param, op_, opset_, own, attributes_)) return own;
    const Dtype legal = legal_dtype(schema_, param, index, op_, opset_, own, attributes_);
    const CastNote entry{std::string(op_), own, legal, param.dtypes.has(own)};
    if (std::find(notes->begin(), notes->end(), entry) == notes->end()) notes->push_back(entry);
    if (param.variable >= 0) backs_.push_back({param.variable, own, legal});
    return legal;
  }

  /// Casts results of type variables whose operands were cast.
  void cast_back(Emitter* emitter, Values* results) const {
    for (const Back& back : backs_) {
      for (size_t i = 0; i < results->size(); ++i) {
        const SchemaParam* param = schema_.output(i);
        if (param && param->variable == back.variable) (*results)[i] = emitter->cast((*results)[i], back.from);
      }
    }
  }

 private:
  struct Back {
    int variable;
    Dtype from, to;
  };
  std::string_view op_;
  const Schema& schema_;
  int opset_;
  const Attributes& attributes_;
  std::vector<Back> backs_;
};

[[noreturn]] void refuse_shapes(const Model& model, const Node& node, const std::string& error) {
  std::string shapes;
  for (const Value v : node.inputs) {
    const auto* shape = v ? model.shape(v) : nullptr;
    if (!shape) continue;
    std::string text;
    for (const auto& d : shape->dim()) {
      text += (text.empty() ? "" : ", ") + (d.has_dim_value()   ? std::to_string(d.dim_value())
                                            : d.has_dim_param() ? d.dim_param()
                                                                : "?");
    }
    shapes += (shapes.empty() ? "" : ", ") + ("[" + text + "]");
  }
  throw Refused(E_SHAPE,
                "ONNX's inference rejects '" + std::string(node.op_type) + "' on shapes " + shapes + ": " + error);
}

void check_result_dtypes(const Schema& schema, const Types& types, std::string_view op, int opset) {
  for (int i = 0; i < types.size(); ++i) {
    const SchemaParam* param = schema.output(static_cast<size_t>(i));
    const auto dtype = static_cast<Dtype>(types[i].tensor_type().elem_type());
    if (!param || !param->tensors_only || dtype == Dtype::undefined || param->dtypes.has(dtype)) continue;
    throw Refused(E_DTYPE, "the ONNX operator '" + std::string(op) + "' cannot return " +
                               std::string(dtype_name(dtype)) + " at opset " + std::to_string(opset));
  }
}

/// The results, if all of them are known.
std::vector<Tensor> known_results(const Inferred& inferred) {
  if (inferred.types.size() == 1) {
    if (auto known = known_elements(inferred.types[0], inferred.elements[0].get())) return {std::move(*known)};
  }
  return without_elements(inferred.types);
}

/// "3 operands", "2 results": the number that the schema does not allow; "" if both are allowed.
std::string illegal_number(const Schema& schema, int operands, int results) {
  const auto& s = *schema.onnx;
  if (operands < s.min_input() || operands > s.max_input()) return std::to_string(operands) + " operands";
  if (results < s.min_output() || results > s.max_output()) return std::to_string(results) + " results";
  return "";
}

}  // namespace

void Emitter::check_arity(const Schema& schema, const Values& inputs, int outputs) const {
  const auto& s = *schema.onnx;
  if (inputs.empty() && s.max_input() > static_cast<int>(s.inputs().size())) {  // it is variadic
    throw Refused(E_BAD_PROGRAM, "a list of operands or attributes is empty; '" + s.Name() + "' needs an element");
  }
  if (outputs == 0 && s.min_output() > 0) {  // as many as the program lists
    throw Refused(E_BAD_PROGRAM, "a list of results is empty; '" + s.Name() + "' needs an element");
  }
  const int operands = static_cast<int>(inputs.size());
  std::string problem = illegal_number(schema, operands, outputs);
  if (!problem.empty()) {
    const auto fits = [&](const Schema& newer) { return illegal_number(newer, operands, outputs).empty(); };
    if (const int lowest = first_opset_with(s.Name(), model_.opset(), fits)) {
      throw needs_opset("ONNX operator '" + s.Name() + "' with " + problem, lowest);
    }
  }
  for (size_t i = 0; problem.empty() && i < inputs.size(); ++i) {
    const SchemaParam* param = schema.input(i);
    if (!inputs[i] && param && !param->optional) problem = "no operand '" + param->name + "'";
  }
  if (problem.empty()) return;
  throw Error(E_INTERNAL, "the ONNX operator '" + s.Name() + "' of opset " + std::to_string(model_.opset()) +
                              " cannot have " + problem);
}

Dtype Emitter::operand_dtype(const Schema& schema, int variable, const Values& inputs) const {
  Dtype found = Dtype::undefined;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SchemaParam* param = schema.input(i);
    if (!inputs[i] || !param || param->variable != variable) continue;
    const Dtype d = model_.dtype(inputs[i]);
    if (found != Dtype::undefined && d != Dtype::undefined && d != found) {
      throw Refused(E_DTYPE_MISMATCH, "the operands of '" + schema.onnx->Name() + "' have different dtypes: '" +
                                          model_[inputs[i]].name + "' is " + std::string(dtype_name(d)) +
                                          ", others are " + std::string(dtype_name(found)));
    }
    if (d != Dtype::undefined) found = d;
  }
  return found;
}

Values Emitter::emit(std::string_view op, const Values& given, const Attrs& attrs, int outputs) {
  const int opset = model_.opset();
  const Schema& schema = schema_of(op, opset);
  Values inputs = given;
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  check_arity(schema, inputs, outputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SchemaParam* param = schema.input(i);
    if (inputs[i] && param) refuse_kind(*param, i, op, model_[inputs[i]].type());
  }

  if (outputs == 1) {
    if (const Value same = simplify(model_, op, inputs, attrs)) return {same};
  }
  if (Values folded = fold(op, inputs, attrs, outputs); !folded.empty()) return folded;

  std::vector<std::pair<int, Dtype>> dtypes;  // per type variable, because an operator may have a million operands
  const auto dtype_of_variable = [&](int variable) {
    const auto known =
        std::find_if(dtypes.begin(), dtypes.end(), [&](const auto& entry) { return entry.first == variable; });
    if (known != dtypes.end()) return known->second;
    return dtypes.emplace_back(variable, operand_dtype(schema, variable, given)).second;
  };
  Node node;
  node.attributes = attributes_.share(attrs, schema);
  OperandDtypes operands(op, schema, opset, node.attributes);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SchemaParam* param = schema.input(i);
    if (!inputs[i] || !param || !param->tensors_only) continue;
    if (takes_any_dtype(op)) {  // a cast would not help
      refuse_newer_dtype(*param, i, op, opset, model_.dtype(inputs[i]));
      continue;
    }
    const Dtype own = param->variable < 0 ? model_.dtype(inputs[i]) : dtype_of_variable(param->variable);
    if (own == Dtype::undefined) continue;
    const Dtype legal = operands.legal(*param, i, own, &legalised_);
    if (legal != own) inputs[i] = cast(inputs[i], legal);
  }
  node.op_type = op;
  node.inputs = std::move(inputs);
  node.outputs.resize(static_cast<size_t>(outputs));

  scratch_.arena.Reset();
  Inferred inferred = infer(model_, schema, node, &scratch_.arena);
  if (!inferred.error.empty()) refuse_shapes(model_, node, inferred.error);
  check_result_dtypes(schema, inferred.types, op, opset);

  std::string key;
  if (deterministic(op) && outputs == 1 && shape_arithmetic(node, inferred.types)) {
    key = node_key(node);
    for (GraphId g = model_.current(); g >= 0; g = model_.graph(g).parent) {
      if (const Value known = model_.recall(g, key)) return {known};
    }
  }

  Values results;
  for (const Tensor& tensor : known_results(inferred)) results.push_back(constant(tensor));
  if (results.empty()) results = make_lazy(node, attrs, inferred.types);
  if (results.empty()) {
    for (Value& v : node.outputs) v = model_.new_value(op);
    results = node.outputs;
    model_.add_node(std::move(node));
    for (size_t i = 0; i < results.size(); ++i) {
      model_.set_type(results[i], inferred.types[static_cast<int>(i)]);
      model_.set_elements(results[i], std::move(inferred.elements[i]));
    }
    if (!key.empty()) model_.remember(model_.current(), key, results[0]);
  }
  operands.cast_back(this, &results);
  return results;
}

bool Emitter::shape_arithmetic(const Node& node, const Types& types) const {
  if (node.op_type == "Shape" || node.op_type == "Size") return true;
  const auto& type = types[0].tensor_type();
  const auto dtype = static_cast<Dtype>(type.elem_type());
  return (is_integer(dtype) || dtype == Dtype::bool_) && type.has_shape() && type.shape().dim_size() <= 1;
}

Values Emitter::fold(std::string_view op, const Values& inputs, const Attrs& attrs, int outputs) {
  if (op == "Size") {  // ONNX has no data propagation for it
    if (const auto dims = model_.static_shape(inputs[0])) return {constant(Tensor::int64_scalar(element_count(*dims)))};
  }
  const evaluation::Evaluator* evaluator = evaluation::find_evaluator(op);
  if (!evaluator) return {};
  evaluation::Call call{op, model_.opset(), {}, &attrs, outputs, static_cast<int64_t>(kFoldBytes)};
  uint64_t bytes = 0;
  for (const Value v : inputs) {
    const Tensor* t = v ? constant_of(v) : nullptr;
    if (v && !t) return {};
    call.inputs.push_back(t);
    if (t) bytes += t->byte_size();
  }
  if (!evaluator->dims_only && !evaluator->shrinks && bytes > kFoldBytes) return {};
  const auto results = evaluation::evaluate(call);
  if (!results) return {};
  Values values;
  for (int i = 0; i < outputs; ++i) values.push_back(constant((*results)[static_cast<size_t>(i)]));
  return values;
}

Values Emitter::make_lazy(const Node& node, const Attrs& attrs, const Types& types) {
  const evaluation::Evaluator* evaluator = evaluation::find_evaluator(node.op_type);
  if (!lazy_weights_ || node.inputs.empty() || !evaluator || !evaluator->lazy) return {};
  LazyTensor lazy{node.op_type, model_.opset(), attrs, {}, 0, types.size()};
  uint64_t largest = 0;
  for (const Value v : node.inputs) {
    const Tensor* t = v ? constant_of(v) : nullptr;
    if (v && !t) return {};
    lazy.inputs.push_back(t ? *t : Tensor());
    if (t) largest = std::max(largest, t->byte_size());
  }
  std::vector<Tensor> tensors;
  uint64_t made = 0;
  for (int i = 0; i < types.size(); ++i) {
    const auto dims = static_dims(types[i]);
    if (!dims) return {};
    lazy.result = i;
    auto tensor = Tensor::computed(static_cast<Dtype>(types[i].tensor_type().elem_type()), *dims, lazy);
    if (!tensor) return {};
    tensors.push_back(std::move(*tensor));
    made += tensors.back().byte_size();
    if (evaluator->dims_only && tensors.back().count() != lazy.inputs[0].count()) {
      throw Refused(E_SHAPE, "a constant of " + std::to_string(lazy.inputs[0].count()) +
                                 " elements cannot get a shape of " + std::to_string(tensors.back().count()));
    }
  }
  // A node stays in the graph if its results exceed twice its largest operand. Concat may: it adds no data.
  if (node.op_type != "Concat" && made > 2 * largest) return {};
  // The total growth is bounded, because a chain of nodes could double a constant at each step.
  const uint64_t growth = made > largest ? made - largest : 0;
  const uint64_t given = model_.constant_bytes() - lazy_.bytes;
  if (growth > 0 && lazy_.growth + growth > limits::kFreeGrowth + limits::kMostGrowth * given) return {};
  lazy_.growth += growth;
  lazy_.bytes += made;
  Values values;
  for (Tensor& t : tensors)
    values.push_back(model_.add_constant(std::move(t), model_[node.inputs[0]].name + "/" + node.op_type));
  return values;
}

Value Emitter::constant(const Tensor& tensor) {
  // A final pass compares larger constants.
  if (tensor.byte_size() > kSmallTensorBytes || tensor.lazy()) return model_.add_constant(tensor);
  std::string key = "const|" + std::string(dtype_name(tensor.dtype()));
  for (const int64_t d : tensor.dims()) key += "," + std::to_string(d);
  const auto bytes = tensor.bytes();
  key.append("|").append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const GraphId home = model_.constants_go_to(tensor.byte_size());
  if (const Value known = model_.recall(home, key)) return known;
  const Value v = model_.add_constant(tensor);
  model_.remember(home, std::move(key), v);
  return v;
}

Value Emitter::copy(Value v, std::string_view name_hint) {
  constexpr int kSequences = 14;
  if (model_[v].type().has_sequence_type() && model_.opset() < kSequences) {
    throw needs_opset("'Identity' of a sequence", kSequences);
  }
  refuse_newer_dtype(find_schema("Identity", model_.opset())->inputs[0], 0, "Identity", model_.opset(),
                     model_.dtype(v));
  const Value result = model_.append("Identity", {v}, {}, model_[v].type(), model_.new_value(name_hint));
  model_.set_elements(result, model_[v].elements);
  return result;
}

Value Emitter::add_output(Value v, std::string_view name) {
  const ValueInfo& info = model_[v];
  const auto& outputs = model_.graph(model_.current()).outputs;
  const bool taken = std::find(outputs.begin(), outputs.end(), v) != outputs.end();
  if (info.producer < 0 || info.graph != model_.current() || taken) v = copy(v);
  // The output's name replaces the value's internal name.
  if (!name.empty()) model_.rename(v, name, /*replace=*/true);
  model_.add_output(v);
  return v;
}

}  // namespace fluid2onnx
