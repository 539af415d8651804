#include "runtime/paddle/read/parameter_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "runtime/paddle/read/sniff.h"
#include "runtime/paddle/read/tensor_stream.h"
#include "runtime/support/error.h"
#include "runtime/support/inside.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

constexpr uint64_t kForgetParametersAfter = 4 << 20;

std::string quoted(const std::string& name) { return "parameter '" + name + "'"; }

Shape without_ones(const Shape& dims) {
  Shape rest;
  std::copy_if(dims.begin(), dims.end(), std::back_inserter(rest), [](auto d) { return d != 1; });
  return rest;
}

bool same_dims(const Shape& declared, const Shape& stored) {
  return std::equal(declared.begin(), declared.end(), stored.begin(), stored.end(),
                    [](auto wanted, auto found) { return wanted < 0 || wanted == found; });
}

/// Declarations go stale: quantisation leaves float32 in the program of int8 weights, and [32] for scales of shape [1,
/// 32]. Paddle goes by the file. But other dims, apart from 1s, mean that the file or its order is wrong.
bool matches(const ExpectedParameter& expected, const StreamTensor& stored) {
  return !expected.dims || same_dims(*expected.dims, stored.dims) ||
         same_dims(without_ones(*expected.dims), without_ones(stored.dims));
}

bool is_stale(const ExpectedParameter& expected, const Parameter& stored) {
  if (expected.dtype != Dtype::undefined && expected.dtype != stored.dtype) return true;
  if (!expected.dims || same_dims(*expected.dims, stored.dims)) return false;
  // Before Paddle 2.5 there were no 0-D tensors; declaring them as [1] is so common that a warning would only disturb.
  return !(expected.dims->size() <= 1 && stored.dims.size() <= 1);
}

void warn_of_stale_declarations(Program& program, const ExpectedParameters& expected) {
  size_t count = 0;
  std::string example;
  for (const auto& [name, wanted] : expected) {
    const Parameter& stored = program.parameters.find(name)->second;
    if (!is_stale(wanted, stored) || count++ > 0) continue;
    example = quoted(name) + " is " + type_text(stored.dtype, stored.dims) + ", declared as " +
              type_text(wanted.dtype, wanted.dims);
  }
  if (count == 0) return;
  program.warnings.push_back("the program declares " + count_of(count, "parameter") +
                             " with another type than stored (" + example + "); the stored type is used");
}

/// How many tensors the file holds, 0 if it is damaged somewhere.
size_t count_tensors(const std::shared_ptr<const MappedFile>& file) {
  size_t count = 0;
  try {
    for (uint64_t offset = 0; offset < file->size(); ++count) {
      offset = read_stream_tensor(file, offset, "").end;
    }
  } catch (const Error&) {
    return 0;
  }
  return count;
}

/// Pickles and similar files: report the kind of file, not its first bytes.
void refuse_other_kinds(const MappedFile& file) {
  const FileKind kind = sniff(file.bytes());
  switch (kind) {
    case FileKind::pickle:
      throw Error(E_BAD_PARAMS, "a pickle (paddle.save), expected a parameter file")
          .at(file.path())
          .hint(
              "pass the .pdiparams file of the model; .pdparams, .pdopt and "
              ".pdiparams.info have other contents");
    case FileKind::program_desc:
    case FileKind::maybe_program:
    case FileKind::pir_json:
    case FileKind::json:
    case FileKind::onnx:
    case FileKind::zip:
    case FileKind::gzip:
    case FileKind::git_lfs_pointer:
    case FileKind::html:
      throw Error(E_BAD_PARAMS, std::string(describe(kind)) + ", expected a parameter file")
          .at(file.path())
          .hint(kind == FileKind::git_lfs_pointer ? advice(kind)
                                                  : "pass the .pdiparams or __params__ file of "
                                                    "the model");
    default: return;
  }
}

void add(Program& program, const std::string& name, StreamTensor tensor) {
  program.parameters.emplace(name, Parameter{name, tensor.dtype, std::move(tensor.dims), std::move(tensor.data)});
}

Error mismatch(const MappedFile& file, uint64_t offset, const std::string& name, const ExpectedParameter& expected,
               const StreamTensor& stored) {
  return Error(E_PARAM_MISMATCH, quoted(name) + " is " + type_text(expected.dtype, expected.dims) +
                                     " in the program, but " + type_text(stored.dtype, stored.dims) + " in the file")
      .at(file.path() + ": byte " + std::to_string(offset));
}

}  // namespace

ExpectedParameters expected_parameters(const Program& program) {
  ExpectedParameters expected;
  for (const Block& block : program.blocks) {
    std::vector<std::pair<std::string_view, const Variable*>> persistable;
    for (const auto& [name, variable] : block.variables) {
      if (variable.persistable) persistable.emplace_back(name, &variable);
    }
    std::sort(persistable.begin(), persistable.end());
    for (const auto& [view, pointer] : persistable) {
      const std::string name(view);
      const Variable& variable = *pointer;
      switch (variable.kind) {
        case VariableKind::tensor: expected.emplace(name, ExpectedParameter{variable.dtype, variable.dims}); break;
        case VariableKind::feed:
        case VariableKind::fetch:
        case VariableKind::step_scopes:
        case VariableKind::other: break;
        default:
          throw Error(E_UNSUPPORTED,
                      quoted(name) + " is of kind " + variable_kind_name(variable.kind) + ", expected a dense tensor")
              .at(program.model_path + ": block " + std::to_string(block.index))
              .hint("export the network without such parameters, which ONNX cannot store");
      }
    }
  }
  return expected;
}

void load_combined(Program& program, const ExpectedParameters& expected, const std::string& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  refuse_other_kinds(*file);
  const auto counts = [&] {
    const size_t found = count_tensors(file);
    if (found == 0) return std::string("pass the parameter file of this program");
    return "the file holds " + count_of(found, "tensor") + ", the program needs " + std::to_string(expected.size()) +
           (found == expected.size()  ? "; pass the file of this version of the model"
            : found > expected.size() ? "; save without combine_params, or pass the file of this program"
                                      : "; pass the file of this program");
  };
  file->advise_random_access(true);
  uint64_t offset = 0, forgotten = 0;
  size_t done = 0;
  for (const auto& [name, wanted] : expected) {
    if (offset == file->size()) {
      throw Error(E_PARAM_MISMATCH, "the file ends after " + count_of(done, "tensor") + " of " +
                                        std::to_string(expected.size()) + ", before " + quoted(name))
          .at(path + ": byte " + std::to_string(offset))
          .hint("pass the complete file of this model");
    }
    StreamTensor stored = read_stream_tensor(file, offset, quoted(name));
    if (!matches(wanted, stored)) {
      throw mismatch(*file, offset, name, wanted, stored).hint(counts());
    }
    offset = stored.end;
    ++done;
    // The system maps up to megabytes around each header that is read: they would add up to the whole file.
    if (offset - forgotten > kForgetParametersAfter) {
      file->forget(forgotten, offset - forgotten);
      forgotten = offset;
    }
    add(program, name, std::move(stored));
  }
  if (offset != file->size()) {
    throw Error(E_PARAM_MISMATCH, std::to_string(file->size() - offset) + " bytes are left after the last of " +
                                      count_of(expected.size(), "parameter"))
        .at(path + ": byte " + std::to_string(offset))
        .hint(counts());
  }
  file->forget();
  file->advise_random_access(false);
  warn_of_stale_declarations(program, expected);
  program.params_path = path;
}

void load_separate(Program& program, const ExpectedParameters& expected, const std::string& folder) {
  for (const auto& [name, wanted] : expected) {
    const std::string path = separate_path(folder, name);
    const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
    if (!leads_inside(path, folder, program.model_path)) {
      throw Error(E_BAD_PROGRAM, quoted(name) + " is a link to a file outside of the model's folder")
          .at(path)
          .hint("copy the file into the folder");
    }
    refuse_other_kinds(*file);
    StreamTensor stored = read_stream_tensor(file, 0, quoted(name));
    if (!matches(wanted, stored)) {
      throw mismatch(*file, 0, name, wanted, stored).hint("pass the file of this version of the model");
    }
    if (stored.end != file->size()) {
      throw Error(E_PARAM_MISMATCH, std::to_string(file->size() - stored.end) + " bytes are left after " +
                                        quoted(name) + ", expected one tensor in the file")
          .at(path + ": byte " + std::to_string(stored.end))
          .hint("if the file contains all parameters, pass it with --params");
    }
    add(program, name, std::move(stored));
  }
  warn_of_stale_declarations(program, expected);
  program.params_path = folder;
}

std::string separate_path(const std::string& folder, const std::string& name) {
  if (!is_name_inside(name)) {
    throw Error(E_BAD_PROGRAM, quoted(name) + " cannot be a file name")
        .at(folder)
        .hint("pass one file with all parameters");
  }
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace fluid2onnx
