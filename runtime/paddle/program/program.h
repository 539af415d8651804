#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/paddle/program/attribute.h"
#include "runtime/support/dtype.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/text.h"

// The one in-memory form of a Paddle program, whatever format it was read from.
//
// Names are not SSA, and nothing renames them: a name may be written again by a later op
// (`increment`, in-place ops, `assign` to an outer variable, `while`, `write_to_array`). A
// traversal keeps, per block, a map from name to current value, which it updates in execution
// order (the order of Block::ops). That map *is* the versioning: each lookup finds the version of
// that moment. Renaming "x" to "x@1" beforehand would add nothing and would break sub-blocks, where
// a name is the identity of loop state (a `while` body writes the outer variable's name to carry
// it to the next iteration). The reader keeps two promises so that the
// map of the main block at the end is all that is needed for the outputs:
//   - no op writes the variable that an output names after the point of its fetch;
//   - no op reads or writes the variable of an input before the point of its feed.
//
// A block sees the variables of its ancestors; a name declared in a block hides an outer one.
// Which names an op really reads and writes (attributes and sub-blocks included): uses.h.

namespace fluid2onnx {

/// A tensor's dims. -1 is an unknown dim; other dims are >= 0. [] is a 0-D tensor.
using Shape = std::vector<int64_t>;

/// "float32[3, ?, 5]", "float32[]" for a 0-D tensor; "float32 of unknown shape" without dims.
std::string type_text(Dtype dtype, const std::optional<Shape>& dims);

enum class VariableKind {
  tensor,         ///< also LoD tensors
  tensor_array,   ///< a list of tensors that ops extend (LoDTensorArray)
  selected_rows,  ///< sparse gradient rows
  sparse,         ///< COO or CSR
  strings,        ///< STRING, STRINGS, VOCAB
  feed,           ///< the holder that feed ops read
  fetch,          ///< the holder that fetch ops write
  step_scopes,    ///< bookkeeping of while and conditional_block
  other,          ///< reader, raw, tuple, rank table ...
};

/// "tensor", "tensor array" ...
const char* variable_kind_name(VariableKind kind);

/// The declaration of a variable. Trust it for inputs and parameters. For everything else dtype and
/// dims are hints that may be wrong (Paddle itself ignores them), to be checked, not believed.
struct Variable {
  VariableKind kind = VariableKind::tensor;
  Dtype dtype = Dtype::undefined;  ///< of the elements
  std::optional<Shape> dims;       ///< absent if the file declares none
  int32_t lod_level = 0;           ///< 0: no LoD
  bool persistable = false;        ///< lives longer than a run: parameters
};

/// Bytes inside a mapped file: never copied.
struct TensorData {
  std::shared_ptr<const MappedFile> file;
  uint64_t offset = 0;
  uint64_t length = 0;

  std::span<const uint8_t> bytes() const { return file->bytes(offset, length); }
};

/// A weight: little endian, row-major, contiguous, length == product(dims) * dtype_size(dtype).
/// The data is NOT aligned: read elements with memcpy. dtype and dims are the stored tensor's own.
/// The program may declare another dtype, and dims of 1 that are not stored or the reverse
/// (quantised weights, 0-D tensors before Paddle 2.5): go by these here. All dims are >= 0.
struct Parameter {
  std::string name;
  Dtype dtype = Dtype::undefined;
  Shape dims;
  TensorData data;
};

/// A named list of operands or results. An argument "" means absent; it occurs only between others
/// (Paddle's "@EMPTY@"): a slot with none present has no args at all.
struct Slot {
  std::string name;
  std::vector<std::string> args;
};

/// The user's line that made an op, from Paddle's op_callstack.
struct SourceLine {
  std::string file;  ///< as Paddle recorded it; often an absolute path of the exporting machine
  int32_t line = 0;
  std::string function;  ///< may be empty

  /// "net.py:12 in forward": the file without its folders; "" if unknown.
  std::string to_string() const;
};

/// Where an op comes from. In a ProgramDesc that is found in the op's call stack on demand, which is rare.
class Source {
 public:
  Source() = default;
  Source(const SourceLine& line) : line_(std::make_shared<const SourceLine>(line)) {}
  /// The bytes of the attribute op_callstack, in Program::file.
  explicit Source(std::span<const uint8_t> callstack) : callstack_(callstack) {}

  SourceLine line() const;
  std::string to_string() const { return line().to_string(); }

 private:
  std::span<const uint8_t> callstack_;
  std::shared_ptr<const SourceLine> line_;
};

struct Op {
  std::string type;  ///< "conv2d"; ops of PIR (Paddle 3) are read as the older op that they equal
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  AttributeList attrs;                   ///< without op_callstack, op_role and similar ones
  std::string refusal;                   ///< why it cannot be converted, if its reader knows; else ""
  void refuse(const std::string& why) {  // the first reason is kept
    if (refusal.empty()) refusal = why;
  }
  Source source;
  int32_t block = 0;  ///< where it is in the file, for messages: block,
  int32_t index = 0;  ///< and position among all ops of that block (feed and fetch included)

  /// The names in a slot. Missing and empty slots are the same: [].
  const std::vector<std::string>& input(std::string_view slot) const;
  const std::vector<std::string>& output(std::string_view slot) const;

  /// The i-th name in a slot, "" if absent.
  const std::string& input(std::string_view slot, size_t i) const;
  const std::string& output(std::string_view slot, size_t i) const;

  const Attribute* attr(std::string_view name) const;  ///< null if the file does not set it

  /// nullopt if the file does not set it: the operator's default applies. A value that can't be read
  /// in the wanted way (see Attribute) is an Error E_ATTR_KIND that names op and attribute.
  std::optional<bool> get_bool(std::string_view name) const;
  std::optional<int64_t> get_int(std::string_view name) const;
  std::optional<double> get_float(std::string_view name) const;
  std::optional<std::string> get_string(std::string_view name) const;
  std::optional<Dtype> get_dtype(std::string_view name) const;
  std::optional<std::vector<int64_t>> get_ints(std::string_view name) const;
  std::optional<std::vector<double>> get_floats(std::string_view name) const;
  std::optional<std::vector<std::string>> get_strings(std::string_view name) const;

  /// All sub-blocks, in order of attributes; [] for most ops.
  std::vector<int32_t> sub_blocks() const;

  /// "block 0, op 12 'conv2d' (net.py:12 in forward)": the place in error messages.
  std::string place() const;
};

struct Block {
  int32_t index = 0;
  int32_t parent = -1;  ///< -1 for the main block, else < index
  std::unordered_map<std::string, Variable, TextHash, std::equal_to<>> variables;  ///< declared here, by name
  std::vector<Op> ops;  ///< in execution order, no feed or fetch

  const Variable* find(std::string_view name) const;  ///< in this block only; null if absent
};

struct Input {
  std::string name;  ///< unique among inputs; the variable of the main block
};

struct Output {
  std::string name;   ///< to show to the user; unique among outputs
  std::string value;  ///< the variable of the main block whose last value is the result
};

enum class ProgramFormat { program_desc, pir_json };

struct Program {
  ProgramFormat format = ProgramFormat::program_desc;
  std::string model_path;                  ///< the file that was read
  std::shared_ptr<const MappedFile> file;  ///< the same, as long as an Op::source needs it
  std::string params_path;                 ///< combined file, or folder of single files, or ""
  std::optional<int64_t> version;          ///< major*1000000 + minor*1000 + patch; absent in old files
  /// Of the writing Paddle's versioned operators: another Paddle converts older forms when it loads the program.
  std::map<std::string, int32_t> op_versions;

  /// blocks[i].index == i, blocks[0] is the main block, and a parent precedes its children. Each
  /// block but the first is the sub-block of at most one op, which is in its parent. Nesting is
  /// at most limits::kBlockDepth deep, so recursion is safe.
  std::vector<Block> blocks;

  std::vector<Input> inputs;                                 ///< in the order of the model's signature
  std::vector<Output> outputs;                               ///< likewise
  std::map<std::string, Parameter, std::less<>> parameters;  ///< by name, bytewise

  /// What the user should know although reading went well; in the style of errors.
  std::vector<std::string> warnings;

  const Block& main() const { return blocks.front(); }

  /// The declaration that `name` means inside a block: of the block or its nearest ancestor.
  const Variable* find_variable(int32_t block, std::string_view name) const;
  const Parameter* find_parameter(std::string_view name) const;

  /// "2.6.2", or "unversioned".
  std::string version_text() const;
};

}  // namespace fluid2onnx
