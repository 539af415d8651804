// The program's operator new, which fails on request. Link failing_allocations.cc to replace it.
#pragma once

namespace fluid2onnx::test {

enum class Failing { one, all_later };

/// Of one thread.
struct Allocations {
  bool counted = false;  ///< now; others never fail
  long count = 0;
  long live = 0;   ///< allocations that are not freed; always counted
  long first = 0;  ///< the count at which one fails; 0: none
  Failing failing = Failing::one;
  bool thrown = false;   ///< operator new has thrown
  bool refused = false;  ///< its nothrow form has returned null
};
extern Allocations allocations;

}  // namespace fluid2onnx::test
