// What the language can compute, as functions: generated/operations.cc, which opgen renders from its own table.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "interpreter/any.h"
#include "runtime/convert/op_context.h"

namespace fluid2onnx::interpreter {

struct Call {
  OpContext& op;
  std::span<const Any> arguments;
  const char* subject;  ///< what refusals name: "'pads'"

  template <class T>
  const T& get(size_t index) const {
    return std::get<T>(arguments[index]);
  }
};

/// One operation on given types.
struct Operation {
  const char* name;
  const char *parameters, *result;  ///< as in opgen's table
  const char* open;                 ///< the type that `any` or `list` stands for; "" where there is none
  Any (*run)(const Call& call);
};

std::span<const Operation> operations();

/// The result of an operation as the type that the table says; nothing of one that gives none.
template <class Result, class Run>
Any give(Run&& run) {
  if constexpr (std::is_void_v<decltype(run())>) {
    run();
    return {};
  } else {
    return Any(std::in_place_type<Result>, run());
  }
}

}  // namespace fluid2onnx::interpreter
