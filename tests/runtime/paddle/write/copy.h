// A program as it was read, in the form in which it is written.
#pragma once

#include <map>
#include <string>

#include "runtime/paddle/read/open_model.h"
#include "runtime/paddle/write/write_program.h"

namespace fluid2onnx::test {

inline std::map<std::string, Tensor> weights_of(const Program& program) {
  std::map<std::string, Tensor> weights;
  for (const auto& [name, parameter] : program.parameters) {
    weights.emplace(name, Tensor(parameter.dtype, parameter.dims,
                                 FileSlice{parameter.data.file, parameter.data.offset, parameter.data.length}));
  }
  return weights;
}

}  // namespace fluid2onnx::test
