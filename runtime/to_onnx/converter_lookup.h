// Which converter runs an operator: what the user asks for, a spec given at run time, or a built-in one.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/convert/op_context.h"
#include "runtime/report/convert_options.h"

namespace fluid2onnx {

/// At most one of the three is set.
struct FoundConverter {
  const AddedConverter* added = nullptr;
  const ConverterInfo* built_in = nullptr;
  const CustomOp* custom = nullptr;        ///< the operator is left to the runtime
  std::string why;                         ///< it is, if not because the user wants it
  std::vector<std::string_view> required;  ///< slots of a built-in one that must hold a tensor

  explicit operator bool() const { return added || built_in || custom; }
  /// True if it handles complex numbers in an input slot.
  bool takes_complex_in(const std::string& op, const std::string& slot) const;
  /// `lines` becomes the lines of the added spec that an exception comes from.
  void run(OpContext& op, std::string* lines) const;
  /// What to do about an internal error.
  std::string bug_hint() const;
};

class ConverterLookup {
 public:
  /// `options` outlive it.
  explicit ConverterLookup(const ConvertOptions& options) : options_(options) {}

  /// Nothing if no converter has the operator. Looked up once for each type.
  const FoundConverter& find(const std::string& op);
  /// What to do about an operator without a converter.
  std::string unsupported_hint(const std::string& op) const;

 private:
  const ConvertOptions& options_;
  std::unordered_map<std::string, FoundConverter> found_;  // by type
};

}  // namespace fluid2onnx
