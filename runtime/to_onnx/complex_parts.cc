#include "runtime/to_onnx/complex_parts.h"

#include <algorithm>

#include "runtime/convert/complex.h"

namespace fluid2onnx {

bool has_complex(const Program& program) {
  return std::any_of(program.blocks.begin(), program.blocks.end(), [](const Block& block) {
    return std::any_of(block.variables.begin(), block.variables.end(),
                       [](const auto& entry) { return is_complex(entry.second.dtype); });
  });
}

Program with_parts(Program program) {
  for (Block& block : program.blocks) {
    for (auto& [name, variable] : block.variables) {
      if (is_complex(variable.dtype) && variable.dims) variable.dims->push_back(2);
    }
  }
  for (auto& [name, parameter] : program.parameters) {
    if (!is_complex(parameter.dtype)) continue;
    parameter.dtype = part_dtype(parameter.dtype);
    parameter.dims.push_back(2);
  }
  return program;
}

}  // namespace fluid2onnx
