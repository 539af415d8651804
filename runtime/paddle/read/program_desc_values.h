// Variables and attributes of a ProgramDesc.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/paddle/program/program.h"
#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {

Variable make_variable(const framework::VarDesc& desc);

/// Empty for a kind that this reader does not know.
std::optional<AttributeValue> make_value(const framework::OpDesc::Attr& attr);

/// The name of an attribute, from the bytes of an OpDesc::Attr, which begin with it.
std::string_view attribute_name(wire::Bytes bytes);

}  // namespace fluid2onnx
