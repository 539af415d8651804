// ONNX operators that ONNX Runtime has no kernel for.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace opgen {

struct KernelFacts {
  struct Range {
    int first, last;  ///< opsets, inclusive
  };
  std::string version;                                ///< of ONNX Runtime
  std::map<std::string, std::vector<Range>> missing;  ///< by operator, for float32

  /// A sentence, or "" where there is a kernel.
  std::string without_kernel(const std::string& op, int opset) const;
};

/// From opspecs/facts/onnxruntime.json below `root`; nothing where it is not there.
KernelFacts read_kernel_facts(const std::string& root);

}  // namespace opgen
