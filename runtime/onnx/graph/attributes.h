// Attributes of a converter as ONNX's protobufs.
#pragma once

#include <onnx/onnx_pb.h>

#include <unordered_map>
#include <vector>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/schema.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

/// Of the types that the schema declares (an int may stand for a float). `schema` null: as the values are. Throws
/// E_INTERNAL for an attribute that the operator does not have at this opset, which is a bug of a spec.
std::vector<onnx::AttributeProto> to_protos(const Attrs& attrs, const Schema* schema = nullptr);

/// Attributes of nodes, each kept once.
class AttributeTable {
 public:
  /// What to_protos gives.
  Attributes share(const Attrs& attrs, const Schema& schema);

 private:
  struct Known {
    Attrs attrs;
    Attributes protos;
  };
  std::unordered_map<const Schema*, std::vector<Known>> known_;
};

/// Null if it is missing.
const AttrValue* find_attr(const Attrs& attrs, std::string_view name);
const onnx::AttributeProto* find_attribute(const Node& node, std::string_view name);
int64_t int_attribute(const Node& node, std::string_view name, int64_t default_value);

}  // namespace fluid2onnx
