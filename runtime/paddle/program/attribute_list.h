#pragma once

#include "runtime/paddle/program/attribute.h"
#include "runtime/support/shared_list.h"

namespace fluid2onnx {

// The attributes of an op, in the order of the file. Most ops of a type have the same: they are a third of what a
// program takes in memory.
using AttributeList = SharedList<Attribute>;

}  // namespace fluid2onnx
