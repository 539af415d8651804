// Types of values, each kept once: the values of a model have few of them.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <deque>
#include <unordered_map>

namespace fluid2onnx {

class TypeTable {
 public:
  /// The one copy of this type. It lives as long as the table.
  const onnx::TypeProto* share(const onnx::TypeProto& type);

 private:
  std::deque<onnx::TypeProto> types_;
  std::unordered_multimap<size_t, const onnx::TypeProto*> by_hash_;
};

}  // namespace fluid2onnx
