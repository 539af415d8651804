#include "runtime/convert/graph_context.h"

#include "runtime/convert/compute.h"
#include "runtime/convert/dims_tensor.h"
#include "runtime/support/limits.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {

GraphContext::GraphContext(Emitter& emitter, const OperatorSlots& slots) : emitter_(emitter), slots_(slots) {
  const std::string name = slots.name();
  outer_prefix_ = model().set_name_prefix(name.empty() ? slots.type() : name);
}

GraphContext::~GraphContext() { model().set_name_prefix(std::move(outer_prefix_)); }

int GraphContext::opset() const { return emitter_.model().opset(); }
const std::string& GraphContext::op_type() const { return slots_.type(); }

// -- slots ---------------------------------------------------------------------------------------------------

bool GraphContext::has(std::string_view slot) const {
  for (const Value v : slots_.inputs(slot)) {
    if (v) return true;
  }
  return false;
}

Value GraphContext::input(std::string_view slot) {
  const Values all = slots_.inputs(slot);
  return all.empty() ? Value() : all.front();
}

Values GraphContext::inputs(std::string_view slot) { return slots_.inputs(slot); }
bool GraphContext::used(std::string_view slot) const { return slots_.used(slot); }
Dtype GraphContext::declared_dtype(std::string_view slot) const { return slots_.declared_dtype(slot); }

int64_t GraphContext::output_count(std::string_view slot) const {
  return static_cast<int64_t>(slots_.outputs(slot).size());
}

// -- sequences -----------------------------------------------------------------------------------------------

int64_t GraphContext::lod_level(std::string_view slot, int64_t index) const {
  return static_cast<int64_t>(slots_.lod(slot, static_cast<size_t>(index)).size());
}

Value GraphContext::lengths(std::string_view slot, int64_t level, int64_t index) {
  const Lod lod = slots_.lod(slot, static_cast<size_t>(index));
  const auto levels = static_cast<int64_t>(lod.size());
  const int64_t at = level < 0 ? level + levels : level;
  if (at < 0 || at >= levels) {
    const std::string what = levels == 0 ? "is not divided into sequences (LoD)"
                                         : "has " + std::to_string(levels) + " levels of sequences (LoD); level " +
                                               std::to_string(level) + " is out of range";
    refuse(E_LOD, "'" + std::string(slot) + "' " + what);
  }
  if (const Value given = lod[static_cast<size_t>(at)]) return given;
  // One sequence: at the innermost level of all rows, outside of it of the one sequence there is.
  const bool innermost = at + 1 == levels;
  const Dim length = innermost ? dim(slots_.inputs(slot).at(static_cast<size_t>(index)), 0) : Dim(1);
  return tensor(Operand(Dims{length}), Dtype::int64);
}

void GraphContext::set_lod(std::string_view slot, const Lod& lod, int64_t index) {
  lods_.insert_or_assign({std::string(slot), index}, lod);
}

void GraphContext::bind(std::string_view slot, size_t index, Value v) {
  if (!v) return;
  const Strings names = slots_.outputs(slot);
  if (index < names.size() && !names[index].empty()) model().rename(v, names[index]);
}

void GraphContext::set_output(std::string_view slot, const Operand& value) {
  const Value v = value.omitted() ? Value() : tensor(value);
  results_.insert_or_assign(std::string(slot), Values{v});
  bind(slot, 0, v);
}

void GraphContext::set_outputs(std::string_view slot, const Values& values) {
  results_.insert_or_assign(std::string(slot), values);
  for (size_t i = 0; i < values.size(); ++i) bind(slot, i, values[i]);
}

// -- attributes ----------------------------------------------------------------------------------------------

template <class T>
T GraphContext::attr(std::string_view name, const T& default_value, std::optional<T> (Attribute::*read)() const,
                     const char* wanted) const {
  const Attribute* attribute = slots_.attribute(name);
  if (!attribute) return default_value;
  if (auto value = (attribute->*read)()) return *std::move(value);
  throw attribute->wrong_kind(wanted);
}

bool GraphContext::has_attr(std::string_view name) const { return slots_.attribute(name) != nullptr; }
bool GraphContext::attr_bool(std::string_view name, bool default_value) {
  return attr(name, default_value, &Attribute::as_bool, "a bool");
}
int64_t GraphContext::attr_int(std::string_view name, int64_t default_value) {
  return attr(name, default_value, &Attribute::as_int, "an integer");
}
double GraphContext::attr_float(std::string_view name, double default_value) {
  return attr(name, default_value, &Attribute::as_float, "a float");
}
std::string GraphContext::attr_string(std::string_view name, const std::string& default_value) {
  return attr(name, default_value, &Attribute::as_string, "a string");
}
Ints GraphContext::attr_ints(std::string_view name, const Ints& default_value) {
  return attr(name, default_value, &Attribute::as_ints, "a list of integers");
}
Floats GraphContext::attr_floats(std::string_view name, const Floats& default_value) {
  return attr(name, default_value, &Attribute::as_floats, "a list of floats");
}
Strings GraphContext::attr_strings(std::string_view name, const Strings& default_value) {
  return attr(name, default_value, &Attribute::as_strings, "a list of strings");
}
Dtype GraphContext::attr_dtype(std::string_view name, Dtype default_value) {
  return slots_.get_dtype(name).value_or(default_value);
}

// -- parameters ----------------------------------------------------------------------------------------------

Values GraphContext::param_tensors(const ParamSource& source, bool* list) const {
  const bool has_list = has_param({source.list_slot, {}, {}});
  const bool has_tensor = has_param({{}, source.tensor_slot, {}});
  *list = has_list && !(has_tensor && source.tensor_first);
  if (*list) return slots_.inputs(source.list_slot);
  if (has_tensor) return {slots_.inputs(source.tensor_slot).front()};
  if (source.attr.empty()) return {};
  Values values = slots_.get_values(source.attr);
  *list = values.size() > 1;
  return values;
}

bool GraphContext::has_param(const ParamSource& source) const {
  return (!source.list_slot.empty() && has(source.list_slot)) ||
         (!source.tensor_slot.empty() && has(source.tensor_slot)) || (!source.attr.empty() && has_attr(source.attr));
}

Dims GraphContext::param_ints(const ParamSource& source, const Ints& default_value) {
  bool list = false;
  const Values tensors = param_tensors(source, &list);
  if (tensors.empty()) return source.attr.empty() ? default_value : attr_ints(source.attr, default_value);
  if (!list) {
    // Paddle 3 stacks a list of tensors of one element each.
    const bool stacked = rank_known(tensors[0]) && rank(tensors[0]) > 1;
    return dims_of(*this, stacked ? reshape(emitter_, tensors[0], {-1}) : tensors[0]);
  }
  Dims dims;
  for (const Value v : tensors) dims.items.push_back(dim_of(*this, v));
  return dims;
}

Dim GraphContext::param_int(const ParamSource& source, int64_t default_value) {
  bool list = false;
  const Values tensors = param_tensors(source, &list);
  if (!tensors.empty()) return dim_of(*this, tensors[0]);
  return source.attr.empty() ? default_value : attr_int(source.attr, default_value);
}

Scalar GraphContext::scalar_of(Value x) {
  const Tensor* constant = emitter_.constant_of(x);
  const auto known = constant && constant->count() == 1 ? constant->as_floats() : std::nullopt;
  return known ? Scalar(known->front()) : Scalar(x);
}

Scalars GraphContext::scalars_of(Value x) {
  if (is_const(x)) {
    const Floats known = const_floats(x);
    return {known.begin(), known.end()};
  }
  const auto dims = model().static_shape(x);
  if (!dims || dims->size() > 1) {
    refuse(E_UNKNOWN_LENGTH, "the tensor '" + model()[x].name + "' is a list of unknown length");
  }
  if (dims->empty() || dims->front() == 1) return {Scalar(x)};
  Scalars items;
  for (int64_t i = 0; i < dims->front(); ++i) {
    items.emplace_back(node("Gather", {x, Operand(i)}, {Attr("axis", 0)}));
  }
  return items;
}

Scalars GraphContext::param_floats(const ParamSource& source, const Floats& default_value) {
  bool list = false;
  const Values tensors = param_tensors(source, &list);
  if (tensors.empty()) {
    const Floats known = source.attr.empty() ? default_value : attr_floats(source.attr, default_value);
    return {known.begin(), known.end()};
  }
  if (!list) return scalars_of(tensors[0]);
  Scalars items;
  for (const Value v : tensors) items.push_back(scalar_of(v));
  return items;
}

Scalar GraphContext::param_float(const ParamSource& source, double default_value) {
  bool list = false;
  const Values tensors = param_tensors(source, &list);
  if (!tensors.empty()) return scalar_of(tensors[0]);
  return source.attr.empty() ? default_value : attr_float(source.attr, default_value);
}

// -- what is known -------------------------------------------------------------------------------------------

Dtype GraphContext::dtype(Value x) { return model().dtype(x); }
Dtype GraphContext::dtype_before_cast(Value x) {
  const Node* node = model().producer(x);
  return dtype(node && node->op_type == "Cast" ? node->inputs[0] : x);
}

Values GraphContext::projection(Value x) {
  const auto is_weight = [&](Value v, int axes) {
    const auto* shape = model().shape(v);
    return model()[v].constant && shape && shape->dim_size() == axes;
  };
  Value bias;
  const Node* node = model().producer(x);
  if (node && node->is("Add") && (is_weight(node->inputs[1], 1) || is_weight(node->inputs[1], 2))) {
    const auto sizes = model().static_shape(node->inputs[1]);
    if (!sizes || (sizes->size() == 2 && sizes->front() != 1)) return {};
    bias = node->inputs[1];
    node = model().producer(node->inputs[0]);
  }
  if (!node || !node->is("MatMul") || !is_weight(node->inputs[1], 2)) return {};
  const auto* shape = model().shape(node->inputs[0]);
  if (!shape || shape->dim_size() != 2) return {};
  Values parts{node->inputs[0], node->inputs[1]};
  if (bias) parts.push_back(bias);
  return parts;
}

bool GraphContext::rank_known(Value x) { return model().shape(x) != nullptr; }

int64_t GraphContext::rank(Value x) {
  const auto* shape = model().shape(x);
  if (!shape) {
    refuse(E_UNKNOWN_RANK, "the rank of '" + model()[x].name + "' is unknown");
  }
  return shape->dim_size();
}

Dim GraphContext::dim(Value x, int64_t axis) {
  Dim result;
  if (const auto* shape = model().shape(x)) {
    const int64_t given = axis;
    if (axis < 0) axis += shape->dim_size();
    if (axis < 0 || axis >= shape->dim_size()) {
      refuse(E_AXIS, "'" + model()[x].name + "' has rank " + std::to_string(shape->dim_size()) +
                         ", which has no axis " + std::to_string(given));
    }
    const auto& d = shape->dim(static_cast<int>(axis));
    if (d.has_dim_value()) return d.dim_value();
  }
  result.source = Dim::Source::shape_of;
  result.tensor = x;
  result.index = axis;
  return result;
}

Dims GraphContext::shape(Value x) {
  Dims dims;
  if (const auto* shape = model().shape(x)) {
    for (int64_t i = 0; i < shape->dim_size(); ++i) dims.items.push_back(dim(x, i));
  } else {
    dims.unsized = emitter_.emit_one("Shape", {x});
  }
  return dims;
}

Dim GraphContext::element(Value x, int64_t index) {
  const auto& known = model()[x].elements;
  if (known && index >= 0 && index < known->dim_size() && known->dim(static_cast<int>(index)).has_dim_value()) {
    return known->dim(static_cast<int>(index)).dim_value();
  }
  return OpContext::element(x, index);
}

Dim GraphContext::only_element(Value x) {
  const auto& known = model()[x].elements;
  if (known && known->dim_size() == 1 && known->dim(0).has_dim_value()) return known->dim(0).dim_value();
  return OpContext::only_element(x);
}

bool GraphContext::is_sequence(Value x) { return x && model()[x].type().has_sequence_type(); }

bool GraphContext::is_const(Value x) { return emitter_.constant_of(x) != nullptr; }

const Tensor& GraphContext::known_tensor(Value x) {
  const Tensor* constant = emitter_.constant_of(x);
  if (!constant) refuse(E_NOT_CONSTANT, "'" + model()[x].name + "' must be a constant");
  const FileSlice* slice = constant->slice();
  const bool placeholder = slice && slice->file->path().empty();
  if (placeholder && constant->count() > limits::kReadPlaceholder) {
    refuse(E_TOO_LARGE, "the parameter '" + model()[x].name +
                            "' has no file, and more elements than can be read: " + std::to_string(constant->count()));
  }
  return *constant;
}

Ints GraphContext::const_ints(Value x) {
  const auto ints = known_tensor(x).as_ints();
  if (!ints) refuse(E_NOT_CONSTANT, "'" + model()[x].name + "' must hold integers");
  return *ints;
}

Floats GraphContext::const_floats(Value x) {
  const auto floats = known_tensor(x).as_floats();
  if (!floats) refuse(E_NOT_CONSTANT, "'" + model()[x].name + "' must hold numbers");
  return *floats;
}

// -- refusal -------------------------------------------------------------------------------------------------

void GraphContext::refuse(NamedErrorCode code, const std::string& message) { throw Refused(code.code, message); }

void GraphContext::refuse_opset(int lowest, const std::string& what) { throw needs_opset(what, lowest); }

}  // namespace fluid2onnx
