// Replaces the parts of ONNX that the build leaves out and other parts refer to.
#include <stdexcept>

#include "onnx/version_converter/convert.h"

namespace ONNX_NAMESPACE {

// A build without doc strings still refers to these two. Only some compilers drop the references.
extern const char kDoc_DepthToSpace_ver28[] = "";
extern const char kDoc_SpaceToDepth_ver28[] = "";

// onnx/version_converter/ takes a fifth of the time to compile ONNX. Only the inliner refers to it, and fluid2onnx
// never asks the inliner to convert versions.
namespace version_conversion {

ModelProto ConvertVersion(const ModelProto& /*model*/, int /*target_version*/) {
  throw std::runtime_error("ONNX was built without its version converter");
}

}  // namespace version_conversion
}  // namespace ONNX_NAMESPACE
