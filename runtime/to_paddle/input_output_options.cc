#include "runtime/to_paddle/input_output_options.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/onnx/read/infer_types.h"
#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/onnx/read/repeated.h"
#include "runtime/support/error.h"
#include "runtime/support/has_item.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;
using onnx::ValueInfoProto;

using Names = std::unordered_set<std::string>;

Error usage(const std::string& option, const std::string& message) { return Error(E_USAGE, message).at(option); }

Error no_value(const std::string& option, const std::string& name, const Names& known) {
  std::vector<std::string> names(known.begin(), known.end());
  std::sort(names.begin(), names.end());
  return usage(option, "the model has no value '" + name + "'" + did_you_mean(name, names))
      .hint("'fluid2onnx inspect MODEL --ops' lists the nodes with their values");
}

// -- cutting ---------------------------------------------------------------------------------------------

class Cutter {
 public:
  Cutter(const ConvertOptions& options, OnnxFile* onnx)
      : options_(options), onnx_(*onnx), graph_(*onnx->model.mutable_graph()), known_(given_by(graph_)) {}

  void run() {
    if (options_.inputs.empty() && options_.outputs.empty()) return;
    check("--inputs", options_.inputs);
    check("--outputs", options_.outputs);
    if (!options_.outputs.empty()) set_outputs();
    if (!options_.inputs.empty()) set_inputs();
    prune();
  }

 private:
  void check(const std::string& option, const std::vector<std::string>& names) const {
    Names seen;
    for (const std::string& name : names) {
      if (!known_.count(name)) throw no_value(option, name, known_);
      if (!seen.insert(name).second) throw usage(option, "'" + name + "' is listed twice");
    }
  }

  const ValueInfoProto* declared(const std::string& name) const {
    for (const auto* list : {&graph_.input(), &graph_.output(), &graph_.value_info()}) {
      for (const auto& value : *list) {
        if (value.name() == name) return &value;
      }
    }
    return nullptr;
  }

  void set_outputs() {
    google::protobuf::RepeatedPtrField<ValueInfoProto> outputs;
    for (const std::string& name : options_.outputs) {
      const ValueInfoProto* known = declared(name);
      if (known) *outputs.Add() = *known;
      else outputs.Add()->set_name(name);
    }
    graph_.mutable_output()->Swap(&outputs);
  }

  void set_inputs() {
    const GraphTypes types = infer_types(onnx_);
    const TypesByName& main = types.at(&graph_);
    Names cut;
    google::protobuf::RepeatedPtrField<ValueInfoProto> inputs;
    for (const std::string& name : options_.inputs) {
      const auto own = std::find_if(graph_.input().begin(), graph_.input().end(),
                                    [&](const ValueInfoProto& input) { return input.name() == name; });
      if (own != graph_.input().end()) {
        *inputs.Add() = *own;
        continue;
      }
      const auto type = main.find(name);
      if (type == main.end() || !type->second.has_tensor_type() || type->second.tensor_type().elem_type() == 0) {
        throw usage("--inputs", "the type of '" + name + "' is not known, which an input needs");
      }
      ValueInfoProto* input = inputs.Add();
      input->set_name(name);
      *input->mutable_type() = type->second;
      cut.insert(name);
    }
    graph_.mutable_input()->Swap(&inputs);
    for (NodeProto& node : *graph_.mutable_node()) {
      for (std::string& output : *node.mutable_output()) {
        if (cut.count(output)) output.clear();
      }
    }
    keep_only(graph_.mutable_initializer(), [&](const auto& tensor) { return !cut.count(tensor.name()); });
    keep_only(graph_.mutable_sparse_initializer(),
              [&](const auto& tensor) { return !cut.count(tensor.values().name()); });
  }

  void prune() {
    Names needed;
    for (const auto& output : graph_.output()) needed.insert(output.name());
    std::vector<bool> keep(static_cast<size_t>(graph_.node_size()));
    for (int i = graph_.node_size() - 1; i >= 0; --i) {
      const NodeProto& node = graph_.node(i);
      const auto wanted = [&](const std::string& name) { return needed.count(name) != 0; };
      if (!std::any_of(node.output().begin(), node.output().end(), wanted)) continue;
      keep[static_cast<size_t>(i)] = true;
      for (const std::string& name : reads_of(node)) needed.insert(name);
    }
    size_t at = 0;
    keep_only(graph_.mutable_node(), [&](const NodeProto&) { return keep[at++]; });
    const Names given = given_by(graph_);
    for (const std::string& name : needed) {
      if (given.count(name) || !known_.count(name)) continue;
      throw Error(E_NO_VALUE, "the outputs depend on '" + name + "', which is not among the inputs")
          .at("--inputs")
          .hint("add it to --inputs, or choose inputs from which all outputs can be computed");
    }
  }

  const ConvertOptions& options_;
  OnnxFile& onnx_;
  GraphProto& graph_;
  const Names known_;
};

// -- shapes ----------------------------------------------------------------------------------------------

void forget_declared(GraphProto* graph) {
  graph->clear_value_info();
  for (NodeProto& node : *graph->mutable_node()) for_each_graph(&node, forget_declared);
}

/// True where the model declares another size.
bool contradicts(const onnx::TensorShapeProto& declared, const InputShape& wanted) {
  for (int i = 0; i < declared.dim_size(); ++i) {
    const auto& dim = declared.dim(i);
    if (dim.has_dim_value() && dim.dim_value() != wanted[static_cast<size_t>(i)].size) return true;
  }
  return false;
}

void warn_of_sizes(const ValueInfoProto& input, const InputShape& wanted, OnnxFile* onnx) {
  const auto& dims = input.type().tensor_type().shape().dim();
  for (int i = 0; i < dims.size(); ++i) {
    if (!dims[i].has_dim_value() || dims[i].dim_value() == wanted[static_cast<size_t>(i)].size) continue;
    onnx->warnings.push_back("dim " + std::to_string(i) + " of input '" + input.name() + "' is " +
                             std::to_string(dims[i].dim_value()) + " in the model, which may rely on it");
  }
}

void set_shapes(const ConvertOptions& options, OnnxFile* onnx) {
  GraphProto& graph = *onnx->model.mutable_graph();
  bool others = false;
  for (const auto& [name, wanted] : options.input_shapes) {
    const auto input = std::find_if(graph.mutable_input()->begin(), graph.mutable_input()->end(),
                                    [&key = name](const ValueInfoProto& value) { return value.name() == key; });
    if (input == graph.mutable_input()->end()) {
      std::vector<std::string> known;
      for (const auto& value : graph.input()) known.push_back(value.name());
      throw usage("--input-shape", "the model has no input '" + name + "'" + did_you_mean(name, known))
          .hint(known.empty() ? "the model has no inputs" : "the inputs are " + listed(known));
    }
    if (!input->type().has_tensor_type()) throw usage("--input-shape", "input '" + name + "' is not a tensor");
    auto* tensor = input->mutable_type()->mutable_tensor_type();
    if (tensor->has_shape()) {
      if (tensor->shape().dim_size() != static_cast<int>(wanted.size())) {
        throw usage("--input-shape", "input '" + name + "' has " +
                                         count_of(static_cast<size_t>(tensor->shape().dim_size()), "dim") + ", but " +
                                         std::to_string(wanted.size()) + " are given");
      }
      const bool own = !has_item(options.inputs, name);
      if (own) warn_of_sizes(*input, wanted, onnx);
      others = others || contradicts(tensor->shape(), wanted);
    }
    tensor->clear_shape();
    for (const InputDim& dim : wanted) {
      auto* made = tensor->mutable_shape()->add_dim();
      if (dim.size >= 0) made->set_dim_value(dim.size);
      else if (!dim.name.empty()) made->set_dim_param(dim.name);
    }
  }
  if (!others) return;
  // Other declared types were for the file's own sizes.
  forget_declared(&graph);
  for (auto& output : *graph.mutable_output()) {
    if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
}

// -- names -----------------------------------------------------------------------------------------------

using NewNames = std::unordered_map<std::string, std::string>;

void rename_in(GraphProto* graph, const NewNames& names) {
  const auto rename = [&](std::string* name) {
    const auto found = names.find(*name);
    if (found != names.end()) *name = found->second;
  };
  for (auto& input : *graph->mutable_input()) rename(input.mutable_name());
  for (auto& output : *graph->mutable_output()) rename(output.mutable_name());
  for (auto& value : *graph->mutable_value_info()) rename(value.mutable_name());
  for (auto& tensor : *graph->mutable_initializer()) rename(tensor.mutable_name());
  for (auto& tensor : *graph->mutable_sparse_initializer()) rename(tensor.mutable_values()->mutable_name());
  for (NodeProto& node : *graph->mutable_node()) {
    for (std::string& name : *node.mutable_input()) rename(&name);
    for (std::string& name : *node.mutable_output()) rename(&name);
    for_each_graph(&node, [&](GraphProto* inner) {
      // A name that the inner graph defines is another value.
      NewNames outer = names;
      for (const std::string& own : given_by(*inner)) outer.erase(own);
      rename_in(inner, outer);
    });
  }
}

void add_names(const GraphProto& graph, Names* names) {
  names->merge(given_by(graph));
  for (const auto& node : graph.node()) {
    for_each_graph(node, [&](const GraphProto& inner) { add_names(inner, names); });
  }
}

void set_names(const ConvertOptions& options, GraphProto* graph) {
  if (options.renames.empty()) return;
  std::vector<std::string> ports;
  for (const auto* list : {&graph->input(), &graph->output()}) {
    for (const auto& value : *list) ports.push_back(value.name());
  }
  NewNames names;
  for (const auto& [from, to] : options.renames) {
    if (to.empty()) throw usage("--rename", "the new name of '" + from + "' is empty");
    if (!has_item(ports, from)) {
      throw usage("--rename", "'" + from + "' is not an input or output of the model" + did_you_mean(from, ports));
    }
    names[from] = to;
  }
  Names taken;
  for (const std::string& port : ports) {
    // An input that is also an output is listed twice.
    if (names.count(port) && taken.count(names[port]) && std::count(ports.begin(), ports.end(), port) == 1) {
      throw usage("--rename", "two inputs or outputs would be called '" + names[port] + "'");
    }
    taken.insert(names.count(port) ? names[port] : port);
  }
  for (const auto& [from, to] : options.renames) {
    if (has_item(ports, to) && to != from && !names.count(to)) {
      throw usage("--rename", "two inputs or outputs would be called '" + to + "'");
    }
  }
  // Values within the model that have the wanted name get another one.
  Names all;
  add_names(*graph, &all);
  NewNames complete = names;
  for (const auto& [from, to] : names) {
    if (!all.count(to) || names.count(to)) continue;
    std::string other;
    for (int n = 0; other.empty() || all.count(other) || taken.count(other); ++n) other = to + "." + std::to_string(n);
    all.insert(other);
    complete[to] = other;
  }
  rename_in(graph, complete);
}

}  // namespace

void apply_input_output_options(const ConvertOptions& options, OnnxFile* onnx) {
  Cutter(options, onnx).run();
  set_shapes(options, onnx);
  set_names(options, onnx->model.mutable_graph());
}

OldNames old_names(const ConvertOptions& options) {
  OldNames names;
  for (const auto& [from, to] : options.renames) names[to] = from;
  return names;
}

}  // namespace fluid2onnx
