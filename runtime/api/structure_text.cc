#include "runtime/api/structure_text.h"

#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/support/dtype.h"

namespace fluid2onnx {
namespace {

constexpr int kMostElements = 8;  // of constants and attributes that are written out

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

template <class List>
std::string list_text(const List& list) {
  std::string text = "[";
  int count = 0;
  for (const auto& item : list) {
    if (count == kMostElements) return text + ", ...]";
    text += count++ ? ", " : "";
    if constexpr (std::is_convertible_v<decltype(item), std::string>) {
      text += item;
    } else if constexpr (std::is_integral_v<std::decay_t<decltype(item)>>) {
      text += std::to_string(item);
    } else {
      text += number_text(static_cast<double>(item));
    }
  }
  return text + "]";
}

std::string attribute_text(const onnx::AttributeProto& attribute) {
  switch (attribute.type()) {
    case onnx::AttributeProto::FLOAT: return number_text(static_cast<double>(attribute.f()));
    case onnx::AttributeProto::INT: return std::to_string(attribute.i());
    case onnx::AttributeProto::STRING: return attribute.s();
    case onnx::AttributeProto::FLOATS: return list_text(attribute.floats());
    case onnx::AttributeProto::INTS: return list_text(attribute.ints());
    case onnx::AttributeProto::STRINGS: return list_text(attribute.strings());
    default: return "...";
  }
}

std::string type_text(const Model& model, Value v) {
  const Dtype dtype = model.dtype(v);
  if (dtype == Dtype::undefined) return model[v].type().has_sequence_type() ? "sequence" : "?";
  std::string text(dtype_name(dtype));
  const auto* shape = model.shape(v);
  if (!shape) return text;
  text += "[";
  for (int i = 0; i < shape->dim_size(); ++i) {
    const auto& dim = shape->dim(i);
    text += i ? ", " : "";
    text += dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.has_dim_param() ? dim.dim_param() : "?";
  }
  return text + "]";
}

class Printer {
 public:
  explicit Printer(const Model& model) : model_(model) {}

  std::vector<std::string> lines() {
    graph(0, "");
    return std::move(lines_);
  }

 private:
  /// Its name; the numbers of a small constant of whole ones.
  std::string operand(Value v) const {
    if (!v) return "-";
    const ValueInfo& info = model_[v];
    const Tensor* constant = info.named ? nullptr : info.constant.get();
    if (!constant || constant->lazy() || constant->count() > kMostElements) return info.name;
    if (constant->dtype() == Dtype::int64) return constant_text(constant->elements<int64_t>(), constant->rank());
    if (constant->dtype() == Dtype::int32) return constant_text(constant->elements<int32_t>(), constant->rank());
    return info.name;
  }

  template <class T>
  static std::string constant_text(const std::vector<T>& numbers, int64_t rank) {
    return rank == 0 ? std::to_string(numbers.front()) : list_text(numbers);
  }

  void graph(GraphId id, const std::string& indent) {
    for (const NodeId n : model_.graph(id).nodes) {
      const Node& node = model_.node(n);
      std::string line = indent;
      bool first = true;
      for (const Value v : node.outputs) {
        if (!v) continue;
        line += (first ? "" : ", ") + model_[v].name + ": " + type_text(model_, v);
        first = false;
      }
      line += " = " + (node.domain.empty() ? "" : node.domain + "::") + node.op_type + "(";
      for (size_t i = 0; i < node.inputs.size(); ++i) line += (i ? ", " : "") + operand(node.inputs[i]);
      first = true;
      for (const auto& attribute : node.attributes) {
        line += (first ? "; " : ", ") + attribute.name() + "=" + attribute_text(attribute);
        first = false;
      }
      lines_.push_back(line + ")");
      for (const Body& body : node.bodies) {
        lines_.push_back(indent + "  " + body.attribute + ":");
        graph(body.graph, indent + "    ");
      }
    }
  }

  const Model& model_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string structure_text(const Model& model, size_t most) {
  const std::vector<std::string> lines = Printer(model).lines();
  const bool all = lines.size() <= most + 1;
  const size_t head = all ? lines.size() : (most + 1) / 2, tail = all ? 0 : most / 2;
  std::string text;
  for (size_t i = 0; i < head; ++i) text += lines[i] + "\n";
  if (!all) text += "... " + std::to_string(lines.size() - head - tail) + " more\n";
  for (size_t i = lines.size() - tail; i < lines.size(); ++i) text += lines[i] + "\n";
  return text;
}

}  // namespace fluid2onnx
