#include "runtime/onnx/read/open_model.h"

#include <utility>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/opsets.h"
#include "runtime/onnx/read/functions.h"
#include "runtime/onnx/read/order.h"
#include "runtime/support/error.h"
#include "runtime/support/hints.h"
#include "runtime/support/limits.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::SparseTensorProto;
using onnx::TensorProto;
using wire::Bytes;

constexpr int kOldestIrVersion = 3;
constexpr std::size_t kForgetAfter = 8 << 20;  // pages that were read count as memory

/// The fields that hold a tensor's elements.
constexpr std::pair<int, const char*> kDataFields[] = {
    {TensorProto::kFloatDataFieldNumber, "float_data"},   {TensorProto::kInt32DataFieldNumber, "int32_data"},
    {TensorProto::kStringDataFieldNumber, "string_data"}, {TensorProto::kInt64DataFieldNumber, "int64_data"},
    {TensorProto::kRawDataFieldNumber, "raw_data"},       {TensorProto::kDoubleDataFieldNumber, "double_data"},
    {TensorProto::kUint64DataFieldNumber, "uint64_data"},
};

/// Null for other fields.
const char* data_field(std::uint32_t tag) {
  for (const auto& [number, name] : kDataFields) {
    if (tag >> 3 == static_cast<std::uint32_t>(number)) return name;
  }
  return nullptr;
}

/// Files of IR version 1 do not store the attribute's type; it follows from the field that is set.
AttributeProto::AttributeType kind_of(const AttributeProto& attribute) {
  using A = AttributeProto;
  if (attribute.has_f()) return A::FLOAT;
  if (attribute.has_i()) return A::INT;
  if (attribute.has_s()) return A::STRING;
  if (attribute.has_t()) return A::TENSOR;
  if (attribute.has_g()) return A::GRAPH;
  if (attribute.floats_size() > 0) return A::FLOATS;
  if (attribute.ints_size() > 0) return A::INTS;
  if (attribute.strings_size() > 0) return A::STRINGS;
  if (attribute.tensors_size() > 0) return A::TENSORS;
  if (attribute.graphs_size() > 0) return A::GRAPHS;
  return A::UNDEFINED;
}

/// Makes messages of a mapped file, all but the data of large tensors. What can be large is taken apart by hand, the
/// rest is given to protobuf.
class Reader {
 public:
  explicit Reader(const MappedFile& file) : file_(file) {}

  void model(ModelProto* model) {
    read(file_.bytes(), model, [&](std::uint32_t tag, Bytes value) {
      switch (tag) {
        case wire::delimited(ModelProto::kGraphFieldNumber):
          found_graph_ = true;
          graph(value, model->mutable_graph(), 0);
          return true;
        case wire::delimited(ModelProto::kFunctionsFieldNumber): function(value, model->add_functions()); return true;
        case wire::delimited(ModelProto::kTrainingInfoFieldNumber): return true;
        default: return false;
      }
    });
    file_.forget();
  }

 private:
  std::size_t offset_of(const std::uint8_t* at) const { return static_cast<std::size_t>(at - file_.bytes().data()); }
  std::string place(const std::uint8_t* at) const { return file_.path() + ": byte " + std::to_string(offset_of(at)); }

  [[noreturn]] void damaged(const std::uint8_t* at, Bytes message) const {
    const bool ends_with_file = message.data() + message.size() == file_.bytes().data() + file_.size();
    // A file that ends early ends in its graph.
    const bool is_whole_file = message.data() == file_.bytes().data();
    const bool in_graph =
        at != message.data() + message.size() && *at == wire::delimited(ModelProto::kGraphFieldNumber);
    if (is_whole_file && !found_graph_ && !in_graph) {
      throw Error(E_NOT_A_MODEL, "expected an ONNX model").at(file_.path()).hint("pass the .onnx file of the model");
    }
    if (ends_with_file) {
      throw Error(E_TRUNCATED, "the file ends too early, or is damaged").at(place(at)).hint(kIncomplete);
    }
    throw Error(E_BAD_PROGRAM, "not an ONNX model: a field that cannot be read").at(place(at)).hint(kExportAgain);
  }

  /// `take` gets fields first, and returns whether it has taken them.
  template <class Message, class F>
  void read(Bytes bytes, Message* message, F take) {
    std::string rest;
    const std::uint8_t* at = bytes.data();
    const bool whole = wire::for_each_field(bytes, [&](std::uint32_t tag, Bytes field, Bytes value) {
      if (!take(tag, value)) rest.append(field.begin(), field.end());
      at = field.data() + field.size();
      note_read(at);
      return rest.size() <= limits::kMessageBytes;
    });
    if (rest.size() > limits::kMessageBytes) {
      throw Error(E_TOO_LARGE, "a part of the model other than a tensor has more than 2 GB").at(place(bytes.data()));
    }
    if (!whole) damaged(at, bytes);
    if (!message->MergeFromString(rest)) {
      throw Error(E_BAD_PROGRAM, "not an ONNX model: " + std::string(message->GetTypeName()) + " cannot be read")
          .at(place(bytes.data()))
          .hint(kExportAgain);
    }
  }

  void note_read(const std::uint8_t* at) {
    const std::size_t offset = offset_of(at);
    if (offset < forgotten_ + kForgetAfter) return;
    file_.forget(forgotten_, offset - forgotten_);
    forgotten_ = offset;
  }

  template <class Message>
  bool small(Bytes bytes, Message* message) {
    if (bytes.size() > limits::kInlineBytes) return false;
    read(bytes, message, [](std::uint32_t, Bytes) { return false; });
    return true;
  }

  void graph(Bytes bytes, GraphProto* graph, int depth) {
    if (depth > limits::kGraphDepth) {
      throw Error(E_TOO_LARGE, "graphs are nested more than " + std::to_string(limits::kGraphDepth) + " deep")
          .at(place(bytes.data()));
    }
    read(bytes, graph, [&](std::uint32_t tag, Bytes value) {
      switch (tag) {
        case wire::delimited(GraphProto::kNodeFieldNumber): node(value, graph->add_node(), depth); return true;
        case wire::delimited(GraphProto::kInitializerFieldNumber): tensor(value, graph->add_initializer()); return true;
        case wire::delimited(GraphProto::kSparseInitializerFieldNumber):
          sparse(value, graph->add_sparse_initializer());
          return true;
        default: return false;
      }
    });
  }

  void function(Bytes bytes, FunctionProto* function) {
    read(bytes, function, [&](std::uint32_t tag, Bytes value) {
      switch (tag) {
        case wire::delimited(FunctionProto::kNodeFieldNumber): node(value, function->add_node(), 0); return true;
        case wire::delimited(FunctionProto::kAttributeProtoFieldNumber):
          attribute(value, function->add_attribute_proto(), 0);
          return true;
        default: return false;
      }
    });
  }

  void node(Bytes bytes, NodeProto* node, int depth) {
    read(bytes, node, [&](std::uint32_t tag, Bytes value) {
      if (tag != wire::delimited(NodeProto::kAttributeFieldNumber)) return false;
      attribute(value, node->add_attribute(), depth);
      return true;
    });
  }

  void attribute(Bytes bytes, AttributeProto* attribute, int depth) {
    read(bytes, attribute, [&](std::uint32_t tag, Bytes value) {
      switch (tag) {
        case wire::delimited(AttributeProto::kTFieldNumber): tensor(value, attribute->mutable_t()); return true;
        case wire::delimited(AttributeProto::kTensorsFieldNumber): tensor(value, attribute->add_tensors()); return true;
        case wire::delimited(AttributeProto::kGFieldNumber):
          graph(value, attribute->mutable_g(), depth + 1);
          return true;
        case wire::delimited(AttributeProto::kGraphsFieldNumber):
          graph(value, attribute->add_graphs(), depth + 1);
          return true;
        case wire::delimited(AttributeProto::kSparseTensorFieldNumber):
          sparse(value, attribute->mutable_sparse_tensor());
          return true;
        case wire::delimited(AttributeProto::kSparseTensorsFieldNumber):
          sparse(value, attribute->add_sparse_tensors());
          return true;
        default: return false;
      }
    });
    if (attribute->type() == AttributeProto::UNDEFINED) attribute->set_type(kind_of(*attribute));
  }

  void sparse(Bytes bytes, SparseTensorProto* sparse) {
    read(bytes, sparse, [&](std::uint32_t tag, Bytes value) {
      switch (tag) {
        case wire::delimited(SparseTensorProto::kValuesFieldNumber):
          tensor(value, sparse->mutable_values());
          return true;
        case wire::delimited(SparseTensorProto::kIndicesFieldNumber):
          tensor(value, sparse->mutable_indices());
          return true;
        default: return false;
      }
    });
  }

  void tensor(Bytes bytes, TensorProto* tensor) {
    if (small(bytes, tensor)) return;
    // Elements in one piece stay where they are.
    std::size_t pieces = 0;
    std::uint32_t tag_of_data = 0;
    Bytes data;
    wire::for_each_field(bytes, [&](std::uint32_t tag, Bytes, Bytes value) {
      if (!data_field(tag)) return true;
      ++pieces;
      tag_of_data = tag;
      data = value;
      return true;
    });
    constexpr std::uint32_t kStrings = wire::delimited(TensorProto::kStringDataFieldNumber);
    const bool stays = pieces == 1 && data.size() > limits::kInlineBytes && tag_of_data != kStrings &&
                       (tag_of_data & 7) == wire::kDelimited;
    read(bytes, tensor, [&](std::uint32_t tag, Bytes) { return stays && data_field(tag); });
    if (!stays) return;
    tensor->clear_external_data();
    set_external(tensor, kInModel, offset_of(data.data()), data.size());
    auto* field = tensor->add_external_data();
    field->set_key("field");
    field->set_value(data_field(tag_of_data));
  }

  const MappedFile& file_;
  std::size_t forgotten_ = 0;
  bool found_graph_ = false;
};

Error unsupported(const OnnxFile& onnx, const std::string& message) {
  return Error(E_UNSUPPORTED, message).at(onnx.path);
}

void read_versions(OnnxFile* onnx) {
  const ModelProto& model = onnx->model;
  const auto ir = model.ir_version();
  if (ir < kOldestIrVersion) {
    throw unsupported(*onnx, "the file has ONNX's IR version " + std::to_string(ir) + ", expected " +
                                 std::to_string(kOldestIrVersion) + " or newer")
        .hint("convert it to a newer IR version with the 'onnx' package of 2018");
  }
  if (ir > onnx::Version::IR_VERSION) {
    throw unsupported(*onnx, "the file has ONNX's IR version " + std::to_string(ir) + ", the newest known one is " +
                                 std::to_string(static_cast<int>(onnx::Version::IR_VERSION)))
        .hint("export for an older version of ONNX");
  }
  for (const auto& opset : model.opset_import()) {
    const std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    if (opset.version() < 1 || opset.version() > 1'000'000) {
      throw Error(E_BAD_PROGRAM, "opset " + std::to_string(opset.version()) + " of domain '" + domain + "'")
          .at(onnx->path)
          .hint(kExportAgain);
    }
    onnx->opsets[domain] = static_cast<int>(opset.version());
  }
  onnx->opsets.emplace("", 1);  // files that import nothing
  if (onnx->opset() > newest_opset()) {
    throw unsupported(*onnx, "the model is for opset " + std::to_string(onnx->opset()) + ", the newest known one is " +
                                 std::to_string(newest_opset()))
        .hint("export for an older opset");
  }
}

}  // namespace

OnnxFile open_onnx(const std::string& path) {
  OnnxFile onnx;
  onnx.path = path;
  onnx.file = MappedFile::open(path);
  Reader(*onnx.file).model(&onnx.model);
  if (!onnx.model.has_graph()) {
    throw Error(E_NOT_A_MODEL, "expected an ONNX model, which has a graph")
        .at(path)
        .hint("pass the .onnx file of the model");
  }
  read_versions(&onnx);
  inline_functions(&onnx);
  put_in_order(&onnx);
  return onnx;
}

}  // namespace fluid2onnx
