// What is decided of an operator of Paddle 3's own format before it is written.
#pragma once

#include <string>
#include <vector>

#include "runtime/paddle/write/pir_writer.h"

namespace fluid2onnx {

/// The PIR operators that can express a Fluid operator, without in-place variants.
const std::vector<const PirOperator*>& pir_candidates(const std::string& fluid);

/// An operand is one of: a value, a list of variables, what an attribute held, or absent.
struct PirWriter::Plan {
  struct Item {
    enum Kind { absent, single, list, ints, scalar, state } kind = absent;
    std::vector<std::string> names;
    AttributeValue value;
  };
  struct Result {
    bool list = false;
    std::vector<std::string> names;  // "": unused
  };
  const PirOperator* known = nullptr;
  std::vector<Item> operands;
  std::vector<std::string> attrs;
  std::vector<Result> results;
};

}  // namespace fluid2onnx
