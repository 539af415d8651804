// Another exporter that uses the mappings alone: it has its own idea of a model and of where nodes go. This one knows
// tensors with a dtype and a known shape, and prints the nodes; an exporter with a graph in memory adds them there.
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/convert/op_context.h"

namespace f2o = fluid2onnx;
using f2o::Value;
using f2o::Values;

namespace {

struct Tensor {
  std::string name;
  f2o::Dtype dtype;
  f2o::Ints shape;
};

/// One operator of whatever the exporter reads.
struct Layer {
  std::string type;
  std::map<std::string, std::string, std::less<>> inputs, outputs;  ///< names of tensors by slot
  std::map<std::string, double, std::less<>> numbers;               ///< attributes
};

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Printer final : public f2o::OpContext {
 public:
  explicit Printer(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}

  void convert(const Layer& layer) {
    layer_ = &layer;
    const f2o::ConverterInfo* found = f2o::find_converter(layer.type);
    if (!found) throw Refused("nothing converts '" + layer.type + "'");
    found->convert(*this);
  }

  int opset() const override { return 17; }

  // -- the operator
  const std::string& op_type() const override { return layer_->type; }
  bool has(std::string_view slot) const override { return layer_->inputs.count(slot) != 0; }
  Value input(std::string_view slot) override {
    const auto name = layer_->inputs.find(slot);
    if (name == layer_->inputs.end()) return {};
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].name == name->second) return {static_cast<int32_t>(i)};
    }
    throw Refused("nothing makes '" + name->second + "'");
  }
  Values inputs(std::string_view slot) override { return has(slot) ? Values{input(slot)} : Values{}; }
  bool used(std::string_view slot) const override { return layer_->outputs.count(slot) != 0; }
  int64_t output_count(std::string_view slot) const override { return used(slot) ? 1 : 0; }
  void set_output(std::string_view slot, const f2o::Operand& value) override {
    const auto name = layer_->outputs.find(slot);
    if (name == layer_->outputs.end()) return;
    const Value made = tensor(value);
    std::cout << name->second << " is " << text(made) << "\n";
    tensors_.push_back(tensors_[static_cast<size_t>(made.id)]);
    tensors_.back().name = name->second;
  }
  void set_outputs(std::string_view slot, const Values& values) override { set_output(slot, values.at(0)); }
  f2o::Dtype declared_dtype(std::string_view) const override { return f2o::Dtype::undefined; }

  bool has_attr(std::string_view name) const override { return layer_->numbers.count(name) != 0; }
  bool attr_bool(std::string_view name, bool default_value) override { return number(name, default_value) != 0; }
  int64_t attr_int(std::string_view name, int64_t default_value) override {
    return has_attr(name) ? static_cast<int64_t>(number(name, 0)) : default_value;
  }
  double attr_float(std::string_view name, double default_value) override { return number(name, default_value); }
  std::string attr_string(std::string_view, const std::string& default_value) override { return default_value; }
  f2o::Ints attr_ints(std::string_view, const f2o::Ints& default_value) override { return default_value; }
  f2o::Floats attr_floats(std::string_view, const f2o::Floats& default_value) override { return default_value; }
  f2o::Strings attr_strings(std::string_view, const f2o::Strings& default_value) override { return default_value; }
  f2o::Dtype attr_dtype(std::string_view, f2o::Dtype default_value) override { return default_value; }
  f2o::Dims param_ints(const f2o::ParamSource&, const f2o::Ints& default_value) override { return default_value; }
  f2o::Dim param_int(const f2o::ParamSource& from, int64_t default_value) override {
    return attr_int(from.attr, default_value);
  }
  f2o::Scalars param_floats(const f2o::ParamSource&, const f2o::Floats& default_value) override {
    return {default_value.begin(), default_value.end()};
  }
  f2o::Scalar param_float(const f2o::ParamSource& from, double default_value) override {
    return number(from.attr, default_value);
  }
  bool has_param(const f2o::ParamSource& from) const override { return has_attr(from.attr); }

  // -- tensors
  f2o::Dtype dtype(Value x) override { return at(x).dtype; }
  bool rank_known(Value) override { return true; }
  int64_t rank(Value x) override { return static_cast<int64_t>(at(x).shape.size()); }
  f2o::Dim dim(Value x, int64_t axis) override {
    return at(x).shape.at(static_cast<size_t>(axis < 0 ? axis + rank(x) : axis));
  }
  f2o::Dims shape(Value x) override { return at(x).shape; }
  bool is_const(Value) override { return false; }
  bool is_sequence(Value) override { return false; }
  f2o::Ints const_ints(Value) override { refuse(f2o::E_NOT_CONSTANT, "a tensor must be a constant"); }
  f2o::Floats const_floats(Value) override { refuse(f2o::E_NOT_CONSTANT, "a tensor must be a constant"); }

  // -- nodes
  Values node(const char* type, const f2o::Operands& operands, const f2o::Attrs& attrs, int outputs) override {
    std::string line;
    for (const f2o::Operand& operand : operands) line += (line.empty() ? "" : ", ") + text(operand);
    for (const f2o::Attr& attr : attrs) line += ", " + attr.name + "=" + text(attr.value);
    Values results;
    // A real exporter asks ONNX's shape inference; these operators keep dtype and shape of their first operand.
    const Value* first = std::get_if<Value>(&operands.at(0).rep());
    for (int i = 0; i < outputs; ++i) {
      results.push_back({static_cast<int32_t>(tensors_.size())});
      const Tensor like = first ? at(*first) : Tensor{"", f2o::Dtype::float32, {}};
      tensors_.push_back({"t" + std::to_string(tensors_.size()), like.dtype, like.shape});
      std::cout << (i ? ", " : "") << tensors_.back().name;
    }
    std::cout << " = " << type << "(" << line << ")\n";
    return results;
  }
  Value tensor(const f2o::Operand& operand, f2o::Dtype) override { return tensor(operand); }
  Values loop(const f2o::Operand&, const f2o::Operand&, const Values&,
              const std::function<f2o::LoopIteration(Value, const Values&)>&) override {
    refuse(f2o::E_UNSUPPORTED, "this exporter knows no loops");
  }
  Values if_else(const f2o::Operand&, const std::function<Values()>&, const std::function<Values()>&) override {
    refuse(f2o::E_UNSUPPORTED, "this exporter knows no conditions");
  }

  // -- refusals
  [[noreturn]] void refuse(f2o::NamedErrorCode, const std::string& message) override { throw Refused(message); }
  [[noreturn]] void refuse_opset(int lowest, const std::string& what) override {
    throw Refused(what + " needs opset " + std::to_string(lowest));
  }

 private:
  const Tensor& at(Value x) const { return tensors_.at(static_cast<size_t>(x.id)); }
  double number(std::string_view name, double default_value) const {
    const auto found = layer_->numbers.find(name);
    return found == layer_->numbers.end() ? default_value : found->second;
  }
  Value tensor(const f2o::Operand& operand) {
    if (const auto* value = std::get_if<Value>(&operand.rep())) return *value;
    throw Refused("this exporter takes no constant as a result");
  }
  std::string text(const f2o::Operand& operand) const {
    const auto* value = std::get_if<Value>(&operand.rep());
    return value ? at(*value).name : operand.omitted() ? "-" : "constant";
  }
  static std::string text(const f2o::AttrValue& value) {
    if (const auto* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
    if (const auto* d = std::get_if<double>(&value)) return std::to_string(*d);
    return "...";
  }

  std::vector<Tensor> tensors_;
  const Layer* layer_ = nullptr;
};

}  // namespace

int main() {
  using f2o::Dtype;
  Printer printer({{"x", Dtype::float32, {1, 8, 4, 4}},
                   {"gamma", Dtype::float32, {8}},
                   {"beta", Dtype::float32, {8}},
                   {"mean", Dtype::float32, {8}},
                   {"variance", Dtype::float32, {8}},
                   {"few", Dtype::float32, {4}}});
  const auto normalised = [](const char* mean) {
    return Layer{"batch_norm",
                 {{"X", "x"}, {"Scale", "gamma"}, {"Bias", "beta"}, {"Mean", mean}, {"Variance", "variance"}},
                 {{"Y", "n"}},
                 {{"is_test", 1}, {"epsilon", 0.001}}};
  };
  printer.convert(normalised("mean"));
  printer.convert({"relu", {{"X", "n"}}, {{"Out", "y"}}, {}});
  try {
    printer.convert(normalised("few"));
  } catch (const Refused& why) {
    std::cout << "refused: " << why.what() << "\n";
  }
  return 0;
}
