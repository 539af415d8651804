#include "runtime/onnx/write/onnx_writer.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/files/output_file.h"
#include "runtime/onnx/write/check.h"
#include "runtime/onnx/write/commit.h"
#include "runtime/onnx/write/denormals.h"
#include "runtime/onnx/write/send_elements.h"
#include "runtime/support/error.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "constants are written as they are in memory");

// External tensors can be mapped when they start at a page.
constexpr uint64_t kPage = 4096;
constexpr uint64_t kMapped = 64 << 10;  // smaller ones are hardly worth the gap
constexpr uint64_t kAlign = 64;
constexpr uint64_t kEnvelope = 64;  // the most that fields around the parts of a model take

/// One initializer: `before` (envelope and header), then the tensor's bytes if they are inlined.
struct Piece {
  std::string before;
  const Tensor* bytes = nullptr;
  uint64_t size() const { return before.size() + (bytes ? bytes->byte_size() : 0); }
};

/// Consecutive bytes. A single string would be copied each time that it grows.
using Parts = std::vector<std::string>;

uint64_t bytes_of(const Parts& parts) {
  uint64_t total = 0;
  for (const std::string& part : parts) total += part.size();
  return total;
}

/// A model file in the order in which protobuf writes it.
struct Layout {
  std::string head;  ///< fields of the model before its graph
  Parts nodes;       ///< of the graph, and its name
  std::vector<Piece> initializers;
  std::string ports;  ///< inputs, outputs and declared ranks
  std::string tail;   ///< fields of the model after its graph

  uint64_t graph_bytes() const {
    uint64_t total = bytes_of(nodes) + ports.size();
    for (const Piece& p : initializers) total += p.size();
    return total;
  }
  uint64_t size() const { return head.size() + graph_bytes() + tail.size(); }
};

Piece inlined(const Model& model, Value v) {
  const Tensor& tensor = *model[v].constant;
  std::string header = tensor_header(model, v).SerializeAsString();
  wire::append_delimited(onnx::TensorProto::kRawDataFieldNumber, tensor.byte_size(), &header);
  Piece piece;
  wire::append_delimited(onnx::GraphProto::kInitializerFieldNumber, header.size() + tensor.byte_size(), &piece.before);
  piece.before += header;
  piece.bytes = &tensor;
  return piece;
}

Piece external(const Model& model, Value v, const std::string& location, uint64_t offset) {
  onnx::TensorProto header = tensor_header(model, v);
  set_external(&header, location, offset, model[v].constant->byte_size());
  const std::string text = header.SerializeAsString();
  Piece piece;
  wire::append_delimited(onnx::GraphProto::kInitializerFieldNumber, text.size(), &piece.before);
  piece.before += text;
  return piece;
}

/// Checks and serialises node by node: all protobufs together would take several times the memory of their bytes.
/// `unranked`: see ModelCheck.
Parts node_bytes(const Model& model, const ModelText& text, std::vector<DeclaredRank>* unranked) {
  constexpr size_t kPart = 1 << 18;
  Parts parts(1);
  ModelCheck check(model, text);
  onnx::NodeProto proto;
  for (const NodeId id : model.main().nodes) {
    proto.Clear();
    node_proto(model, model.node(id), &proto);
    check.node(model.node(id), proto);
    const size_t size = proto.ByteSizeLong();
    if (parts.back().size() + size > kPart && !parts.back().empty()) parts.emplace_back();
    if (parts.back().empty()) parts.back().reserve(std::max(size, kPart) + kEnvelope);
    wire::append_delimited(onnx::GraphProto::kNodeFieldNumber, size, &parts.back());
    proto.AppendToString(&parts.back());
  }
  *unranked = check.finish();
  return parts;
}

/// The layout without initializers, and without the field of the graph at the end of the head.
Layout lay_out_frame(const Model& model, const ModelText& text) {
  Layout layout;
  std::vector<DeclaredRank> unranked;
  layout.nodes = node_bytes(model, text, &unranked);

  onnx::GraphProto named, ports;
  port_protos(model, text, &ports);
  named.set_name(ports.name());
  ports.clear_name();
  for (const auto& [value, type] : unranked) value_proto(model, value, type, ports.add_value_info());
  layout.nodes.push_back(named.SerializeAsString());
  layout.ports = ports.SerializeAsString();

  onnx::ModelProto before = frame_proto(model, text), after;
  after.mutable_opset_import()->Swap(before.mutable_opset_import());
  after.mutable_metadata_props()->Swap(before.mutable_metadata_props());
  layout.head = before.SerializeAsString();
  layout.tail = after.SerializeAsString();
  return layout;
}

std::vector<Piece> inline_pieces(const Model& model) {
  std::vector<Piece> pieces;
  for (const Value v : model.main().initializers) pieces.push_back(inlined(model, v));
  return pieces;
}

/// Where each external tensor goes in the data file.
struct DataPlan {
  struct Entry {
    const Tensor* tensor;
    uint64_t offset;
  };
  std::vector<Entry> entries;
  uint64_t size = 0;

  uint64_t add(const Tensor& tensor) {
    const uint64_t alignment = tensor.byte_size() >= kMapped ? kPage : kAlign;
    const uint64_t offset = (size + alignment - 1) / alignment * alignment;
    entries.push_back({&tensor, offset});
    size = offset + tensor.byte_size();
    return offset;
  }
};

std::vector<Piece> external_pieces(const Model& model, const std::string& location, DataPlan* plan) {
  std::vector<Piece> pieces;
  for (const Value v : model.main().initializers) {
    const Tensor& tensor = *model[v].constant;
    pieces.push_back(tensor.byte_size() <= kSmallTensorBytes ? inlined(model, v)
                                                             : external(model, v, location, plan->add(tensor)));
  }
  return pieces;
}

/// The way from the model's folder to a weight file. ONNX allows neither "..", nor links.
std::string reference_location(const std::string& file, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path way = fs::absolute(file, error).lexically_normal().lexically_relative(folder);
  if (way.empty() || *way.begin() == "..") {
    throw Error(E_REFERENCE, "the model cannot refer to weights outside of its folder '" + folder.string() + "'")
        .at(file)
        .hint("write the model into the folder of the weights, or use --weights external");
  }
  // Links on the way as well.
  const bool linked = fs::canonical(file, error) != (fs::canonical(folder, error) / way).lexically_normal();
  if (linked || fs::hard_link_count(file, error) > 1) {
    throw Error(E_REFERENCE, "the model cannot refer to weights through a symbolic or hard link")
        .at(file)
        .hint("copy the file, or use --weights external");
  }
  return way.generic_string();
}

std::vector<Piece> reference_pieces(const Model& model, const std::string& path) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).lexically_normal().parent_path();
  std::unordered_map<const MappedFile*, std::string> locations;
  std::vector<Piece> pieces;
  for (const Value v : model.main().initializers) {
    const Tensor& tensor = *model[v].constant;
    const FileSlice* slice = tensor.slice();
    if (!slice || tensor.byte_size() <= kSmallTensorBytes) {
      pieces.push_back(inlined(model, v));
      continue;
    }
    std::string& location = locations[slice->file.get()];
    if (location.empty()) location = reference_location(slice->file->path(), folder);
    pieces.push_back(external(model, v, location, slice->offset));
  }
  return pieces;
}

void send_weight(const Tensor& tensor, DenormalFlush* flush, OutputFile* file) {
  if (DenormalFlush::applies_to(tensor)) send_elements(tensor, file, std::ref(*flush));
  else send_elements(tensor, file);
}

void send(const Layout& layout, DenormalFlush* flush, OutputFile* file) {
  file->write(std::string_view(layout.head));
  for (const std::string& part : layout.nodes) file->write(std::string_view(part));
  for (const Piece& p : layout.initializers) {
    file->write(std::string_view(p.before));
    if (p.bytes) send_weight(*p.bytes, flush, file);
  }
  file->write(std::string_view(layout.ports + layout.tail));
}

[[noreturn]] void fail_too_large(uint64_t size, uint64_t limit, const std::string& path) {
  throw Error(E_TOO_LARGE, "the model has " + std::to_string(size) + " bytes, and a single ONNX file at most " +
                               std::to_string(limit))
      .at(path)
      .hint("write the weights to a second file: --weights external or auto");
}

/// How the weights are written, and the model file around them; `plan` tells what goes to a second file.
Layout lay_out(const Model& model, const std::string& path, const WriteOptions& options, DataPlan* plan) {
  Layout layout = lay_out_frame(model, options.text);
  std::vector<Piece>& pieces = layout.initializers;
  if (options.weights == Weights::reference) {
    pieces = reference_pieces(model, path);
  } else if (options.weights != Weights::external) {
    pieces = inline_pieces(model);
    const bool fits = layout.size() + kEnvelope <= options.most_inline_bytes;
    if (options.weights == Weights::automatic && !fits) pieces.clear();
  }
  const std::string location = std::filesystem::path(data_path_of(path)).filename().string();
  if (pieces.empty()) pieces = external_pieces(model, location, plan);
  wire::append_delimited(onnx::ModelProto::kGraphFieldNumber, layout.graph_bytes(), &layout.head);
  if (layout.size() > options.most_inline_bytes) fail_too_large(layout.size(), options.most_inline_bytes, path);
  return layout;
}

void send(const DataPlan& plan, DenormalFlush* flush, OutputFile* data) {
  for (const auto& entry : plan.entries) {
    data->extend_to(entry.offset);
    send_weight(*entry.tensor, flush, data);
  }
}

}  // namespace

std::string data_path_of(const std::string& path) { return where_links_lead(path) + ".data"; }

WriteResult write_onnx(const Model& model, const std::string& path, const WriteOptions& options) {
  DataPlan plan;
  const Layout layout = lay_out(model, path, options, &plan);

  OutputFile file(path);
  std::optional<OutputFile> data;
  WriteResult result;
  DenormalFlush flush;
  const uint64_t total = layout.size() + plan.size;
  if (!plan.entries.empty()) {
    if (!file.is_regular()) {
      throw Error(E_WRITE, "a model with its weights in a second file cannot go to a pipe or device").at(path);
    }
    result.data_path = data_path_of(path);
    data.emplace(result.data_path);
    if (options.progress) data->watch([&](uint64_t done) { options.progress(done, total); });
    send(plan, &flush, &*data);
    result.data_bytes = data->size();
    data->finish(options.sync);
  }
  if (options.progress) file.watch([&](uint64_t done) { options.progress(plan.size + done, total); });
  send(layout, &flush, &file);
  result.model_bytes = file.size();
  result.denormals = flush.count();
  file.finish(options.sync);
  commit_model(&file, path, data ? &*data : nullptr, data_path_of(path));
  return result;
}

}  // namespace fluid2onnx
