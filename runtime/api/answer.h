// Requests and answers in JSON: what bindings of other languages call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/report/convert_options.h"

namespace fluid2onnx {

struct AnswerHooks {
  std::function<std::shared_ptr<const AddedConverters>(const std::vector<std::string>&)> load_specs;  ///< may be empty
  Progress progress;                                                                                  ///< may be empty
};

/// Runs "convert", "inspect" or "operators". `request`: read_request(). The answer is what the program prints with
/// --json. A failure adds "text", for people, and "exit_status", which the program would have. Throws nothing but
/// std::bad_alloc.
std::string answer(const std::string& command, const std::string& request, const AnswerHooks& hooks = {});

}  // namespace fluid2onnx
