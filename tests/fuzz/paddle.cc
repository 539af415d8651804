// The readers of Paddle's files.
#include "runtime/paddle/read/open_model.h"
#include "runtime/paddle/read/parameter_file.h"
#include "runtime/paddle/read/pir_json.h"
#include "runtime/paddle/read/pir_translate.h"
#include "runtime/paddle/read/program_desc.h"
#include "runtime/paddle/read/sniff.h"
#include "tests/fuzz/target.h"

namespace fluid2onnx::fuzz {
namespace {

void read_legacy_program(Bytes input) {
  const std::string path = write_file("model.pdmodel", input);
  guarded([&] {
    const Program program = read_program_desc(MappedFile::open(path));
    walk(program);
    expected_parameters(program);
  });
}

/// The first byte chooses how many parameters the program has, and where they are.
void read_parameters(Bytes input) {
  if (input.empty()) return;
  const unsigned choice = input[0];
  input = input.subspan(1);
  constexpr Dtype kDtypes[] = {Dtype::float32, Dtype::int64, Dtype::undefined};
  ExpectedParameters expected;
  for (unsigned i = 0; i <= choice % 4; ++i) {
    ExpectedParameter& parameter = expected[std::string(1, static_cast<char>('a' + i))];
    parameter.dtype = kDtypes[(choice >> 2) % 3];
    if (choice & 16) parameter.dims = Shape{-1, 3};
    if (choice & 32) parameter.dims = Shape{2, 3};
  }
  guarded([&] {
    Program program;
    program.blocks.emplace_back();
    if (choice & 128) {
      for (const auto& [name, parameter] : expected) write_file(name, input);
      load_separate(program, expected, folder());
    } else {
      load_combined(program, expected, write_file("model.pdiparams", input));
    }
    walk(program);
    // Mapped bytes outside of the file are a crash.
    unsigned sum = 0;
    for (const auto& [name, parameter] : program.parameters) {
      for (const uint8_t byte : parameter.data.bytes()) sum += byte;
    }
    if (sum == 1u << 31) throw Finding("an impossible sum");
  });
}

void read_pir(Bytes input) {
  const std::string path = write_file("model.json", input);
  guarded([&] { walk(translate_pir(read_pir_json(*MappedFile::open(path)), path)); });
}

/// What kind of file it is, and the whole file as that.
void read_any(Bytes input) {
  const FileKind kind = sniff(input);
  if (std::string(describe(kind)).empty()) throw Finding("a kind without a description");
  advice(kind);
  const std::string path = write_file("model.pdmodel", input);
  OpenOptions options;
  options.load_parameters = false;
  options.require_outputs = false;
  guarded([&] { walk(open_model(path, options)); });
}

constexpr Target kTargets[] = {
    {"program", read_legacy_program},
    {"parameters", read_parameters},
    {"pir", read_pir},
    {"any", read_any},
};

}  // namespace

std::span<const Target> paddle_targets() { return kTargets; }

}  // namespace fluid2onnx::fuzz
