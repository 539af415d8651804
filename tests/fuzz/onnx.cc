// The reader of ONNX files.
#include "runtime/onnx/read/infer_types.h"
#include "runtime/onnx/read/open_model.h"
#include "runtime/onnx/read/tensors.h"
#include "tests/fuzz/target.h"

namespace fluid2onnx::fuzz {
namespace {

void read_tensors(const onnx::GraphProto& graph, OnnxFile& file) {
  for (const auto& tensor : graph.initializer()) {
    guarded([&] { tensor_of(tensor, file).evaluated(); });
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    guarded([&] { tensor_of(tensor, file).evaluated(); });
  }
  for (const auto& node : graph.node()) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_t()) guarded([&] { tensor_of(attribute.t(), file).evaluated(); });
      if (attribute.has_g()) read_tensors(attribute.g(), file);
    }
  }
}

void read_onnx(Bytes input) {
  const std::string path = write_file("model.onnx", input);
  guarded([&] {
    OnnxFile file = open_onnx(path);
    infer_types(file);
    read_tensors(file.model.graph(), file);
  });
}

constexpr Target kTargets[] = {{"onnx", read_onnx}};

}  // namespace

std::span<const Target> onnx_targets() { return kTargets; }

}  // namespace fluid2onnx::fuzz
