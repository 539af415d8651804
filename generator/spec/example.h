// The examples of a spec: checked, and as JSON for the runner of the conformance tests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/spec/facts.h"
#include "generator/spec/opsets.h"
#include "generator/spec/spec.h"

namespace opgen {

/// An operand: "float32[2, 3] in [0, 1) sorted".
struct TensorExample {
  struct Range {
    double low = 0;
    double high = 0;
    bool closed = false;  ///< whether `high` may occur
  };
  std::string dtype;
  std::vector<int64_t> dims;
  std::optional<Range> range;
  nlohmann::json values;           ///< nested lists, or null; "inf", "-inf" and "nan" are strings
  std::vector<std::string> words;  ///< sorted permutation boxes nonzero unique
  std::vector<std::vector<int64_t>> lod;
};

struct AttrExample {
  std::string type;
  nlohmann::json value;
  bool given = false;  ///< else Paddle's default
};
using AttrExamples = std::map<std::string, AttrExample>;

/// A step of the program that replaces an operator that Paddle removed.
struct ReferenceStep {
  std::string op;
  std::map<std::string, std::vector<std::string>> inputs, outputs;
  AttrExamples attrs;
};

struct CheckedExample {
  Span span;
  std::string name;  ///< or the number of the example within its spec
  std::map<std::string, std::vector<TensorExample>> inputs;
  std::vector<std::string> constants;  ///< operands saved as parameters
  bool all_open = false;               ///< every dim of every operand that is not constant
  std::map<std::string, std::vector<int64_t>> open_dims;
  AttrExamples attrs;
  std::map<std::string, int64_t> outputs;  ///< how many tensors; with those that only Paddle needs
  std::vector<std::string> compare;        ///< outputs whose values must agree
  std::optional<double> rtol, atol;
  bool random = false;               ///< only dtypes and shapes must agree
  std::string refused;               ///< the code with which conversion must fail
  std::optional<OpsetRange> opsets;  ///< nullopt: all
  std::vector<ReferenceStep> reference;
  const PirOpFact* paddle_3 = nullptr;  ///< set if Paddle 3 runs it instead of Paddle 2.6
  std::string paddle_3_name;
  std::string why;
};

/// Every example of an operator; those with mistakes are left out.
std::vector<CheckedExample> check_examples(const OpSpec& spec, const OpFact& fact, const Facts& facts,
                                           Diagnostics& diagnostics);
/// Only diagnoses.
void check_examples(const SpecSet& specs, const Facts& facts, Diagnostics& diagnostics);

/// What is known of an example without ONNX's schemas.
nlohmann::json example_json(const OpSpec& spec, const OpFact& fact, const CheckedExample& example);

/// One object for each of Paddle's operators and example; see tests/conformance.
nlohmann::json examples_json(const SpecSet& specs, const Facts& facts);

}  // namespace opgen
