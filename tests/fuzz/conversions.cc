// Whole conversions, specs, and what users write.
#include <onnx/checker.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "generator/check/onnx_model.h"
#include "generator/check/program.h"
#include "generator/expr/ast.h"
#include "generator/lower/lower.h"
#include "generator/spec/example.h"
#include "generator/spec/facts.h"
#include "generator/spec/spec.h"
#include "interpreter/knowledge.h"
#include "runtime/api/request.h"
#include "runtime/cli/arguments.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/paddle/read/parameter_file.h"
#include "runtime/paddle/read/pir_json.h"
#include "runtime/paddle/read/pir_translate.h"
#include "runtime/paddle/read/placeholders.h"
#include "runtime/paddle/write/pir_writer.h"
#include "runtime/paddle/write/write_program.h"
#include "runtime/report/report_json.h"
#include "runtime/to_onnx/convert_model.h"
#include "runtime/to_paddle/conversion.h"
#include "tests/fuzz/target.h"
#include "tests/runtime/onnx_bytes.h"

namespace fluid2onnx::fuzz {
namespace {

constexpr uint64_t kMostBytes = 16 << 20;          // of a model that is written
constexpr uint64_t kMostParameterBytes = 1 << 16;  // of a parameter with values; larger ones are zeros

void append(std::string* out, const void* bytes, size_t size) { out->append(static_cast<const char*>(bytes), size); }

/// -1 for unknown and large ones.
int64_t bytes_of(const ExpectedParameter& parameter) {
  if (!parameter.dims || parameter.dtype == Dtype::undefined) return -1;
  int64_t bytes = static_cast<int64_t>(dtype_size(parameter.dtype));
  for (const int64_t dim : *parameter.dims) {
    if (dim < 0 || dim > static_cast<int64_t>(kMostParameterBytes)) return -1;
    bytes *= dim;
    if (bytes > static_cast<int64_t>(kMostParameterBytes)) return -1;
  }
  return bytes;
}

/// The bytes of a TensorDesc.
std::string descriptor(int dtype, const Shape& dims) {
  const auto varint = [](std::string* out, uint64_t value) {
    for (; value > 127; value >>= 7) *out += static_cast<char>(value | 128);
    *out += static_cast<char>(value);
  };
  std::string desc = "\x08";
  varint(&desc, static_cast<uint64_t>(dtype));
  for (const int64_t dim : dims) {
    desc += '\x10';
    varint(&desc, static_cast<uint64_t>(dim));
  }
  return desc;
}

/// Small values for each parameter that the program declares, or zeros.
void add_parameters(Program* program) {
  const ExpectedParameters expected = expected_parameters(*program);
  if (expected.empty()) return;
  std::string file;
  for (const auto& [name, parameter] : expected) {
    const int64_t bytes = bytes_of(parameter);
    if (bytes < 0 || file.size() > 8 * kMostParameterBytes) {
      if (!add_placeholders(*program)) throw Error(E_NO_PARAMS, "the sizes of parameters are unknown");
      return;
    }
    const std::string desc = descriptor(dtype_to_paddle(parameter.dtype), *parameter.dims);
    const uint32_t zero = 0, size = static_cast<uint32_t>(desc.size());
    const uint64_t levels = 0;
    append(&file, &zero, 4);
    append(&file, &levels, 8);
    append(&file, &zero, 4);
    append(&file, &size, 4);
    file += desc;
    const size_t element = dtype_size(parameter.dtype);
    for (int64_t i = 0; i < bytes; ++i) {
      // Bytes of small integers and of floats near 1.
      const bool is_float = parameter.dtype == Dtype::float32;
      const size_t at = static_cast<size_t>(i) % element;
      if (is_float) file += "\x00\x00\x80\x3f"[at];
      else file += at == 0 ? static_cast<char>((static_cast<size_t>(i) / element + name.size()) % 3) : '\0';
    }
  }
  const std::string path = write_file("model.pdiparams", {reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  load_combined(*program, expected, path);
}

struct Choice {
  explicit Choice(Bytes input) {
    if (input.size() > 0) first = input[0];
    if (input.size() > 1) second = input[1];
  }
  unsigned first = 0, second = 0;
};

/// The writer's result has to pass ONNX's checker as a whole, too. But the checker refuses outputs without a shape,
/// which tensors of unknown rank have, with a warning.
void check_onnx(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) throw Finding("the written model cannot be read");
  auto* outputs = model.mutable_graph()->mutable_output();
  outputs->erase(std::remove_if(outputs->begin(), outputs->end(),
                                [](const auto& output) {
                                  return output.type().has_tensor_type() && !output.type().tensor_type().has_shape();
                                }),
                 outputs->end());
  try {
    onnx::checker::check_model(model, /*full_check=*/true);
  } catch (const std::exception& e) {
    throw Finding(std::string("the checker refuses the written model: ") + e.what());
  }
}

void convert_and_check(const Program& program, const Choice& choice) {
  constexpr int kOpsets[] = {17, 13, 7, 11, 18, 21, 9, 28};
  ConvertOptions options;
  options.opset = std::min(kOpsets[choice.first % 8], newest_opset());
  options.find_working_opset = choice.first & 8;
  options.continue_on_error = choice.first & 16;
  if (choice.first & 32) options.precision.to = choice.first & 64 ? Dtype::bfloat16 : Dtype::float16;
  if (choice.second & 1) options.lod = LodMode::lengths;
  if (choice.second & 2) options.lod = LodMode::single;
  const ConvertResult result = convert_model(program, options);
  for (const Problem& problem : result.report.problems) check_problem(problem);
  if (report_json(result.report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty()) {
    throw Finding("an empty report");
  }
  if (!result.model) {
    if (result.report.problems.empty()) throw Finding("neither a model nor a problem");
    return;
  }
  WriteOptions write;
  write.most_inline_bytes = kMostBytes;
  const std::string bytes = test::onnx_bytes(*result.model, write);
  check_onnx(bytes);
  if (kept_models().empty() || !result.report.custom_nodes.empty()) return;
  const std::string name = std::to_string(std::hash<std::string>()(bytes)) + ".onnx";
  std::ofstream(kept_models() + "/" + name, std::ios::binary) << bytes;
}

Bytes without_options(Bytes input) { return input.subspan(std::min(input.size(), kOptionBytes)); }

void convert_program(Bytes input) {
  const std::string path = write_file("model.pdmodel", without_options(input));
  OpenOptions open;
  open.load_parameters = false;
  guarded([&] {
    Program program = open_model(path, open);
    add_parameters(&program);
    convert_and_check(program, Choice(input));
  });
}

void convert_pir(Bytes input) {
  const std::string path = write_file("model.json", without_options(input));
  guarded([&] {
    Program program = translate_pir(read_pir_json(*MappedFile::open(path)), path);
    add_parameters(&program);
    convert_and_check(program, Choice(input));
  });
}

/// What is written can be read again.
void convert_onnx_model(Bytes input) {
  const std::string path = write_file("model.onnx", without_options(input));
  const Choice choice(input);
  ConvertOptions options;
  options.continue_on_error = false;
  guarded([&] {
    OnnxConversion conversion(path, options, {});
    conversion.run();
    for (const Problem& problem : conversion.report.problems) check_problem(problem);
    if (!conversion.report.problems.empty()) return;
    const FluidModel& made = conversion.made();
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : made.weights) bytes += tensor.byte_size();
    if (bytes > kMostBytes) return;
    const std::string params = folder() + "/written.pdiparams";
    std::string program = folder() + "/written.pdmodel";
    if (choice.first & 1) {
      std::vector<Problem> problems;
      const std::string json = pir_json_of(made.program, &problems);
      for (const Problem& problem : problems) check_problem(problem);
      if (!problems.empty()) return;
      program = folder() + "/written.json";
      write_program_files(json, made.program, made.weights, program, params);
    } else {
      write_program(made.program, made.weights, program, params);
    }
    try {
      OpenOptions open;
      open.params_path = made.weights.empty() ? "" : params;
      walk(open_model(program, open));
    } catch (const Error& e) {
      throw Finding(std::string("the written program cannot be read: ") + e.what());
    }
  });
}

// Specs.

opgen::Source known_source(const std::string& path) {
  for (const interpreter::KnownFile& file : interpreter::known_files()) {
    if (path == file.path) return std::make_shared<const opgen::SourceFile>(path, file.text);
  }
  return nullptr;
}

struct Knowledge {
  Knowledge() {
    opgen::Diagnostics diagnostics;
    facts = opgen::read_signatures(
        [](const std::string& name, opgen::Diagnostics&) { return known_source("facts/" + name); }, diagnostics);
    onnx = opgen::OnnxModel::load(known_source("facts/onnx.yaml"), known_source("facts/onnxruntime-contrib.json"),
                                  diagnostics);
  }
  opgen::Facts facts;
  opgen::OnnxModel onnx;
};

opgen::Source source_of(Bytes input) {
  return std::make_shared<const opgen::SourceFile>(
      "spec.yaml", std::string(reinterpret_cast<const char*>(input.data()), input.size()));
}

/// Without the library, whose functions are then unknown.
void compile_spec(Bytes input) {
  static const Knowledge known;
  opgen::Diagnostics diagnostics;
  opgen::SpecSet specs;
  opgen::read_spec_file(source_of(input), specs, diagnostics);
  opgen::check_examples(specs, known.facts, diagnostics);
  const opgen::CheckedProgram program = opgen::check(specs, known.facts, known.onnx, diagnostics);
  if (!diagnostics.has_errors()) opgen::lowered::dump(opgen::lowered::lower(program, known.onnx));
  diagnostics.sort();
  if (!diagnostics.all().empty() && opgen::format_text(diagnostics).empty()) throw Finding("a diagnostic without text");
  opgen::format_json(diagnostics);
}

void parse_expression(Bytes input) {
  if (input.empty()) return;
  const unsigned choice = input[0];
  const opgen::Source source = source_of(input.subspan(1));
  opgen::Text text;
  text.text = source->text;
  text.span.file = source;
  text.span.line = text.span.column = 1;
  opgen::Diagnostics diagnostics;
  opgen::Assignment assignment;
  opgen::ForHead loop;
  opgen::FunctionHead head;
  opgen::OpsetRange range;
  switch (choice % 5) {
    case 0: opgen::parse_expression(text, {}, diagnostics); break;
    case 1: opgen::parse_assignment(text, {}, diagnostics, &assignment); break;
    case 2: opgen::parse_for(text, {}, diagnostics, &loop); break;
    case 3: opgen::parse_head(text, diagnostics, &head); break;
    default: opgen::parse_opsets(text, diagnostics, &range);
  }
  opgen::format_text(diagnostics);
}

// What users write.

/// Words of a line each.
void parse_command_line(Bytes input) {
  std::vector<std::string> words{"fluid2onnx"};
  std::istringstream lines(std::string(reinterpret_cast<const char*>(input.data()), input.size()));
  for (std::string line; std::getline(lines, line);) words.push_back(line.c_str());  // up to a zero byte
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::ostringstream out, errors;
  std::streambuf* const streams[] = {std::cout.rdbuf(out.rdbuf()), std::cerr.rdbuf(errors.rdbuf())};
  const auto restore = [&] {
    std::cout.rdbuf(streams[0]);
    std::cerr.rdbuf(streams[1]);
  };
  int code = -1;
  bool parsed = false;
  try {
    guarded([&] { parsed = cli::parse_arguments(static_cast<int>(words.size()), argv.data(), &code).has_value(); });
  } catch (...) {
    restore();
    throw;
  }
  restore();
  if (!parsed && code > cli::kBadFile) throw Finding("exit code " + std::to_string(code));
}

void parse_request(Bytes input) {
  const auto json = nlohmann::json::parse(input.begin(), input.end(), nullptr, false);
  guarded([&] { read_request(json); });
  const std::string text(reinterpret_cast<const char*>(input.data()), input.size());
  guarded([&] { parse_input_shape(text); });
  guarded([&] { parse_custom_op(text); });
}

constexpr Target kTargets[] = {
    {"to_onnx", convert_program, Form::program},
    {"pir_to_onnx", convert_pir, Form::json},
    {"to_paddle", convert_onnx_model, Form::model},
    {"spec", compile_spec},
    {"expression", parse_expression},
    {"arguments", parse_command_line},
    {"request", parse_request},
};

}  // namespace

std::span<const Target> conversion_targets() { return kTargets; }

}  // namespace fluid2onnx::fuzz
