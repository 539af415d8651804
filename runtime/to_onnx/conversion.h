// One conversion of a program at one opset.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "runtime/onnx/graph/emitter.h"
#include "runtime/onnx/graph/graph.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/report.h"
#include "runtime/report/signature.h"
#include "runtime/to_onnx/binder.h"
#include "runtime/to_onnx/operator_runner.h"
#include "runtime/to_onnx/output_names.h"
#include "runtime/to_onnx/problems.h"
#include "runtime/to_onnx/releasable_program.h"
#include "runtime/to_onnx/walk.h"

namespace fluid2onnx {

class Conversion {
 public:
  /// All arguments outlive the conversion. If the program is owned, it is released during the conversion.
  Conversion(ReleasableProgram& program, const ConvertOptions& options, const Signature& signature, int opset);

  /// True if nothing failed: the model is then complete. Errors: E_USAGE, E_BAD_PROGRAM.
  bool run();
  void fill(Report* report) const;
  const std::vector<Problem>& problems() const { return problems_.all(); }
  std::unique_ptr<Model> take_model() { return std::move(model_); }

 private:
  /// Of all operators and outputs, what ONNX has for them; false after a failure.
  bool emit();
  /// False if weights must be those of the program, or one of the operators must keep its precision.
  bool may_compute_weights(std::initializer_list<const char*> of) const;
  void check_inputs(const NameSet& wanted) const;
  void add_output(Scope& scope, const Port& planned);
  Lod add_lod(size_t input, int32_t levels);
  void add_lod_outputs(const Binding& binding, const Port& planned);
  void drop_unused_lengths();
  void fill_gaps(const Port& hint, Port* port);
  void count_graph(GraphId id, Report* report) const;

  ReleasableProgram& program_;
  const int64_t operators_;  // of the program
  const ConvertOptions& options_;
  const Signature& signature_;
  LodMode lod_;  // not automatic, but when no input has LoD
  std::unique_ptr<Model> model_;
  Emitter emitter_;
  Binder binder_;
  OutputNames output_names_;
  Problems problems_;
  OperatorRunner runner_;
  Walk walk_;
  std::vector<Port> lengths_;       // inputs of the model behind those of the signature
  std::vector<size_t> lengths_of_;  // for each of them, which of the signature's inputs it divides
  std::vector<Port> outputs_;
  int named_dims_;
  bool done_ = false;
  std::vector<std::string> warnings_;
  std::vector<std::string> unknown_ranks_;  // names of outputs
};

}  // namespace fluid2onnx
