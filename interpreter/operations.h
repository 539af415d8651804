// The operations of the language as functions: generated/operations.cc, which opgen renders from its own table.
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
  const char* open;                 ///< the type that `any` or `list` denotes; "" without one
  Any (*run)(const Call& call);
};

std::span<const Operation> operations();

template <class T>
decltype(auto) argument(const Call& call, size_t index) {
  if constexpr (std::is_same_v<T, OpContext&>) return (call.op);
  else if constexpr (std::is_same_v<T, const char*>) return call.subject;
  else return call.get<std::decay_t<T>>(index);
}

/// Calls a function of the arguments' types. It may be given the context in front of them, and the subject behind.
template <class Result, class... Parameters>
Any apply(Result (*function)(Parameters...), const Call& call) {
  return [&]<size_t... I>(std::index_sequence<I...>)->Any {
    constexpr size_t first = (0 + ... + (std::is_same_v<Parameters, OpContext&> ? 1 : 0));
    if constexpr (std::is_void_v<Result>) return function(argument<Parameters>(call, I - first)...), Any();
    else return Any(std::in_place_type<Result>, function(argument<Parameters>(call, I - first)...));
  }
  (std::index_sequence_for<Parameters...>{});
}

/// An operation's function, from a lambda that captures nothing.
template <class Function>
constexpr auto run(Function /*function*/) -> Any (*)(const Call&) {
  return [](const Call& call) { return apply(+Function{}, call); };
}

}  // namespace fluid2onnx::interpreter
