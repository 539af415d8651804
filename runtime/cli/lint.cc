#include "runtime/api/lint_file.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/api/either_way.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/support/error.h"

namespace fluid2onnx::cli {

int lint(const Arguments& a) {
  if (!is_onnx_file(a.model)) {
    throw Error(E_NOT_A_MODEL, "expected an ONNX model")
        .at(a.model)
        .hint("convert a Paddle program with 'fluid2onnx convert --target NAME', which checks the result");
  }
  const LintResult result = lint_file(a.model, a.target);
  if (a.json.wanted) print_json(lint_json(result), a.json);
  if (!a.json.to_stdout()) std::cout << lint_text(result);
  return result.ok() ? kDone : kCannotConvert;
}

}  // namespace fluid2onnx::cli
