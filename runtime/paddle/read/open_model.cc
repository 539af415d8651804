#include "runtime/paddle/read/open_model.h"

#include "runtime/paddle/read/find_files.h"
#include "runtime/paddle/read/parameter_file.h"
#include "runtime/paddle/read/pir_json.h"
#include "runtime/paddle/read/pir_translate.h"
#include "runtime/paddle/read/program_desc.h"
#include "runtime/paddle/read/sniff.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

Program read_program(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const FileKind kind = sniff(file->bytes());
  switch (kind) {
    case FileKind::program_desc:
    case FileKind::maybe_program: return read_program_desc(file);
    case FileKind::pir_json: return translate_pir(read_pir_json(*file), path);
    default:
      throw Error(E_NOT_A_MODEL, std::string("the file is ") + describe(kind) + "; expected a Paddle program")
          .at(path)
          .hint(advice(kind));
  }
}

void require_outputs(const Program& program) {
  if (!program.outputs.empty()) return;
  throw Error(E_TRAINING_PROGRAM,
              "the program has no fetch op: it is a training program (paddle.static.save), not an "
              "inference model")
      .at(program.model_path)
      .hint("export with paddle.static.save_inference_model or paddle.jit.save");
}

void load_parameters(Program& program, const std::string& given) {
  const ExpectedParameters expected = expected_parameters(program);
  if (expected.empty() && given.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, parameter] : expected) names.push_back(name);
  const ParameterLocation location = find_parameters(program.model_path, given, names);
  if (location.separate) {
    load_separate(program, expected, location.path);
  } else {
    load_combined(program, expected, location.path);
  }
}

}  // namespace

Program open_model(const std::string& path, const OpenOptions& options) {
  Program program = read_program(find_model_file(path));
  if (options.require_outputs) require_outputs(program);
  if (options.load_parameters) load_parameters(program, options.params_path);
  return program;
}

}  // namespace fluid2onnx
