// Writes a Program as Paddle's two files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "runtime/onnx/graph/tensor.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// The names of a program's parameters, which are the persistable tensors that it declares, in the order in which their
/// file has them: bytewise.
std::set<std::string> parameter_names(const Program& program);

/// The bytes that were written.
struct ProgramSizes {
  std::uint64_t model = 0, params = 0;
};

/// The program as a ProgramDesc to `model_path` ("x.pdmodel"), and its parameters, which are the persistable tensors
/// that it declares, to `params_path` ("x.pdiparams"). A program without parameters has no second file.
///
/// `weights` has each of them. Their numbers go from where they are mapped to the output, one tensor at a time. Feed
/// and fetch operators are made of the program's inputs and outputs; an output of another name than its variable gets a
/// separate variable. A program without a version is one of Paddle 2.6.2.
///
/// With `sync`, both files are on the disk when this returns. `progress` is called with the bytes of parameters that
/// are written, and with how many there are.
///
/// Both files appear complete or not at all, and no program is ever seen beside the parameters of another. Errors:
/// E_WRITE, E_TOO_LARGE; E_INTERNAL where program and weights do not belong together.
ProgramSizes write_program(const Program& program, const std::map<std::string, Tensor>& weights,
                           const std::string& model_path, const std::string& params_path, bool sync = false,
                           const std::function<void(uint64_t done, uint64_t total)>& progress = {});

/// The same with the given bytes of the program's file.
ProgramSizes write_program_files(std::string_view model, const Program& program,
                                 const std::map<std::string, Tensor>& weights, const std::string& model_path,
                                 const std::string& params_path, bool sync = false,
                                 const std::function<void(uint64_t done, uint64_t total)>& progress = {});

}  // namespace fluid2onnx
