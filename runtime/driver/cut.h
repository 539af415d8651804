// Where to cut a model that can be converted only in part.
#pragma once

#include <string>
#include <vector>

#include "runtime/driver/convert_options.h"
#include "runtime/driver/problem.h"
#include "runtime/program/program.h"

namespace fluid2onnx {

struct Cut {
  std::vector<std::string> outputs;  ///< variables, as --outputs takes them; empty: no cut helps
  int64_t operators = 0;             ///< that the model then has
};

/// The part of the model that needs none of the operators that cannot be converted, as large as it gets: outputs that
/// do without them, and what the first of them read. It has been tried: the cut model converts.
Cut cut_before(const std::vector<Problem>& problems, const Program& program, const ConvertOptions& options);

/// "hint: --outputs a,b leaves out what cannot be converted, and converts 17 of 19 operators", with a newline.
std::string cut_text(const Cut& cut, int64_t of);

}  // namespace fluid2onnx
