// Specs that were compiled to their lowered form, ready to be run.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "generator/compile.h"
#include "interpreter/nodes.h"
#include "interpreter/operations.h"
#include "interpreter/values.h"

namespace fluid2onnx::interpreter {

/// An operation of a recipe: its function, and what that wants.
struct Step {
  const Operation* operation = nullptr;
  std::vector<Kind> parameters;
  std::string subject;
};

class Program {
 public:
  /// Looks up all operations and nodes of the recipes, and reports those that cannot be run.
  Program(const opgen::Compiled& compiled, opgen::lowered::Program lowered, opgen::Diagnostics& diagnostics);

  const opgen::lowered::Program& lowered() const { return lowered_; }
  const Step& step(const opgen::lowered::Expr& operation) const { return steps_.at(&operation); }
  const NodeBuilder& node(const opgen::OnnxGroup& group) const { return nodes_.at(&group); }

 private:
  void prepare(const opgen::lowered::Routine& routine, const opgen::Span& place, opgen::Diagnostics& diagnostics);

  opgen::lowered::Program lowered_;
  std::unordered_map<const opgen::lowered::Expr*, Step> steps_;
  std::map<const opgen::OnnxGroup*, NodeBuilder> nodes_;
};

}  // namespace fluid2onnx::interpreter
