#pragma once

#include <doctest/doctest.h>

#include <functional>

#include "runtime/support/error.h"

namespace fluid2onnx::test {

/// The Error that `action` throws; fails the test if it throws none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("expected an Error");
  return Error(E_INTERNAL, "");
}

}  // namespace fluid2onnx::test
