#include "generator/expr/opsets.h"

#include <onnx/defs/schema.h>

namespace opgen {

int newest_opset() { return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second; }

}  // namespace opgen
