// A program of libFuzzer for all targets of a list: the first argument names the target, or FUZZ_TARGET, which its
// child processes inherit.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <google/protobuf/stubs/logging.h>

#include "runtime/paddle/proto/framework.pb.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/onnx_model.pb.h"
#include "tests/fuzz/target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);  // NOLINT: libFuzzer's names

namespace {

using namespace fluid2onnx::fuzz;  // NOLINT: the targets

const Target* chosen = nullptr;

template <class Message>
bool parse(Bytes input, Message* message) {
  return input.size() >= kOptionBytes &&
         message->ParsePartialFromArray(input.data() + kOptionBytes, static_cast<int>(input.size() - kOptionBytes));
}

/// The size of the message behind the options at `data`, or `old` if it is too large.
size_t store(const google::protobuf::Message& message, uint8_t* data, size_t old, size_t most) {
  const size_t size = message.ByteSizeLong();
  if (size + kOptionBytes > most) return old;
  message.SerializePartialToArray(data + kOptionBytes, static_cast<int>(size));
  return size + kOptionBytes;
}

template <class Message>
size_t mutate_message(uint8_t* data, size_t size, size_t most, unsigned seed) {
  Message message;
  Random random(seed + 1);
  // Some damaged files as well.
  if (one_in(random, 50) || !parse({data, size}, &message)) return LLVMFuzzerMutate(data, size, most);
  if (one_in(random, 8)) data[below(random, kOptionBytes)] = static_cast<uint8_t>(random());
  mutate(&message, random);
  return store(message, data, size, most);
}

template <class Message>
size_t cross_messages(Bytes first, Bytes second, uint8_t* out, size_t most, unsigned seed) {
  Message one, other;
  if (!parse(first, &one) || !parse(second, &other)) return 0;
  Random random(seed + 1);
  cross(other, &one, random);
  std::memcpy(out, first.data(), kOptionBytes);
  return store(one, out, 0, most);
}

Json parse_tree(Bytes input) {
  if (input.size() < kOptionBytes) return Json(Json::value_t::discarded);
  return parse_json({reinterpret_cast<const char*>(input.data()) + kOptionBytes, input.size() - kOptionBytes});
}

size_t store(const Json& tree, uint8_t* data, size_t old, size_t most) {
  const std::string text = json_text(tree);
  if (text.size() + kOptionBytes > most) return old;
  std::copy(text.begin(), text.end(), data + kOptionBytes);
  return text.size() + kOptionBytes;
}

size_t mutate_json(uint8_t* data, size_t size, size_t most, unsigned seed) {
  Random random(seed + 1);
  Json tree = parse_tree({data, size});
  if (tree.is_discarded() || one_in(random, 50)) return LLVMFuzzerMutate(data, size, most);
  if (one_in(random, 8)) data[below(random, kOptionBytes)] = static_cast<uint8_t>(random());
  mutate(&tree, random);
  return store(tree, data, size, most);
}

size_t cross_json(Bytes first, Bytes second, uint8_t* out, size_t most, unsigned seed) {
  Json one = parse_tree(first);
  const Json other = parse_tree(second);
  if (one.is_discarded() || other.is_discarded()) return 0;
  Random random(seed + 1);
  cross(other, &one, random);
  std::memcpy(out, first.data(), kOptionBytes);
  return store(one, out, 0, most);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {  // NOLINT: libFuzzer's names
  const char* inherited = std::getenv("FUZZ_TARGET");
  const char* wanted = inherited != nullptr ? inherited : *argc > 1 ? (*argv)[1] : "";
  for (const Target& target : FUZZ_TARGETS()) {
    if (std::strcmp(target.name, wanted) == 0) chosen = &target;
  }
  if (chosen == nullptr) {
    std::fputs("usage: PROGRAM TARGET [OPTION OF libFuzzer]... [FOLDER]...\ntargets:", stderr);
    for (const Target& target : FUZZ_TARGETS()) std::fprintf(stderr, " %s", target.name);
    std::fputs("\n", stderr);
    std::exit(2);
  }
  if (inherited == nullptr) {
    setenv("FUZZ_TARGET", chosen->name, 1);
    for (int i = 1; i < *argc; ++i) (*argv)[i] = (*argv)[i + 1];
    --*argc;
  }
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {  // NOLINT: libFuzzer's names
  try {
    chosen->run({data, size});
  } catch (const std::exception& e) {
    std::cerr << "FINDING " << chosen->name << ": " << e.what() << std::endl;
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {  // NOLINT
  switch (chosen->form) {
    case Form::program: return mutate_message<fluid2onnx::framework::ProgramDesc>(data, size, most, seed);
    case Form::model: return mutate_message<fluid2onnx::fuzz::onnx::Model>(data, size, most, seed);
    case Form::json: return mutate_json(data, size, most, seed);
    case Form::bytes: break;
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size, const uint8_t* second,  // NOLINT
                                            size_t second_size, uint8_t* out, size_t most, unsigned seed) {
  switch (chosen->form) {
    case Form::program:
      return cross_messages<fluid2onnx::framework::ProgramDesc>({first, first_size}, {second, second_size}, out, most,
                                                                seed);
    case Form::model:
      return cross_messages<fluid2onnx::fuzz::onnx::Model>({first, first_size}, {second, second_size}, out, most, seed);
    case Form::json: return cross_json({first, first_size}, {second, second_size}, out, most, seed);
    case Form::bytes: break;
  }
  return 0;
}
