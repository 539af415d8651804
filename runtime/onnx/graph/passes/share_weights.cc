#include <map>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"

namespace fluid2onnx {
namespace {

using Place = std::pair<const MappedFile*, uint64_t>;

/// What a constant that is a transposed weight is made of; null for all others.
const Tensor* transposed_weight(const Tensor& tensor) {
  const LazyTensor* lazy = tensor.lazy();
  if (!lazy || lazy->op != "Transpose" || tensor.byte_size() <= kSmallTensorBytes) return nullptr;
  return lazy->inputs[0].slice() ? &lazy->inputs[0] : nullptr;
}

}  // namespace

int share_transposed(Model& model) {
  std::map<Place, Value> stored;
  std::vector<Value> turned;
  for (const Value v : model.main().initializers) {
    const Tensor& tensor = *model[v].constant;
    if (const FileSlice* slice = tensor.slice()) stored.emplace(Place(slice->file.get(), slice->offset), v);
    if (transposed_weight(tensor)) turned.push_back(v);
  }
  int changes = 0;
  for (const Value v : turned) {
    const Tensor& origin = *transposed_weight(*model[v].constant);
    const auto same = stored.find(Place(origin.slice()->file.get(), origin.slice()->offset));
    if (same == stored.end() || model[same->second].constant->dims() != origin.dims()) continue;
    Node node;
    node.op_type = "Transpose";
    node.inputs = {same->second};
    node.attributes = to_protos(model[v].constant->lazy()->attrs, nullptr);
    model.make_computed(v, std::move(node));
    ++changes;
  }
  return changes;
}

}  // namespace fluid2onnx
