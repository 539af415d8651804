// ONNX's operator schemas, each made on demand.
//
// ONNX's own registry makes all of them at once, a thousand and more: most of the time that a small conversion takes.
#pragma once

#include <onnx/defs/schema.h>

#include <vector>

namespace fluid2onnx {

/// For ONNX's checker and inference as well. Knows the default domain; of others what ONNX's own registry knows.
const onnx::ISchemaRegistry& schema_registry();

struct SchemaMaker {
  const char* op;
  int version;
  onnx::OpSchema (*make)();
};
/// All versions of all operators of the default domain, in no order.
const std::vector<SchemaMaker>& schema_makers();

}  // namespace fluid2onnx
