#include "runtime/paddle/read/find_files.h"

#include <filesystem>

#include "runtime/paddle/read/open_model.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using test::error_of;
using test::read_file;
using test::sample;
using test::TemporaryFolder;

OpenOptions params(const std::string& path) {
  OpenOptions options;
  options.params_path = path;
  return options;
}

TEST_CASE("a model is found by file, folder or prefix") {
  const std::string file = sample("jit/model.pdmodel");
  CHECK(find_model_file(file) == file);
  CHECK(find_model_file(sample("jit")) == file);
  CHECK(find_model_file(sample("jit/model")) == file);
  CHECK(find_model_file(sample("model_separate")) == sample("model_separate/__model__"));
  CHECK(find_model_file(sample("multi_function/model.score")) == sample("multi_function/model.score.pdmodel"));
}

TEST_CASE("a path that means nothing, or too much") {
  const Error many = error_of([] { find_model_file(sample("multi_function")); });
  CHECK(many.code() == E_MANY_MODELS);
  CHECK(many.message() == "the folder holds 2 models: 'model.pdmodel', 'model.score.pdmodel'");

  const Error near = error_of([] { find_model_file(sample("jit/modle.pdmodel")); });
  CHECK(near.code() == E_NOT_FOUND);
  CHECK(near.hint() == "did you mean '" + sample("jit/model.pdmodel") + "'?");
  CHECK(error_of([] { find_model_file("/no/such/folder/model"); }).hint() == "folder '/no/such/folder' does not exist");
  CHECK(near.message() == "no such file");
  CHECK(error_of([] { find_model_file("nowhere"); }).message() ==
        "no such file or folder; also tried 'nowhere.pdmodel' and 'nowhere.json'");
  CHECK(error_of([] { find_model_file("nowhere/"); }).message() == "no such folder");
  CHECK(error_of([] { find_model_file(""); }).code() == E_NOT_FOUND);
  CHECK(error_of([] { find_model_file(std::string("a\0b", 3)); }).code() == E_NOT_FOUND);

  const TemporaryFolder scratch;
  scratch.write("a/x.pdparams", "\x80\x02}q\x01.");
  const Error pickle = error_of([&] { find_model_file(scratch.path("a")); });
  CHECK(pickle.code() == E_NO_MODEL);
  CHECK(pickle.hint() ==
        "'x.pdparams' is a pickle (paddle.save) with weights but no network; export with "
        "paddle.jit.save or paddle.static.save_inference_model");
  scratch.write("b/x.txt", "x");
  CHECK(error_of([&] { find_model_file(scratch.path("b")); }).code() == E_NO_MODEL);

  scratch.write("c/m.pdmodel", read_file(sample("jit/model.pdmodel")));
  scratch.write("c/m.json", "{}");
  CHECK(error_of([&] { find_model_file(scratch.path("c/m")); }).code() == E_MANY_MODELS);
}

TEST_CASE("files that explain why a folder has no model") {
  const TemporaryFolder scratch;
  const auto hint = [&](const std::string& folder) {
    const Error error = error_of([&] { find_model_file(scratch.path(folder)); });
    CHECK(error.code() == E_NO_MODEL);
    return error.hint();
  };
  scratch.write("lfs/m.pdmodel", "version https://git-lfs.github.com/spec/v1");
  CHECK(hint("lfs") == "'m.pdmodel' is a Git LFS pointer, not the file itself; fetch the file with 'git lfs pull'");
  scratch.write("onnx/m.onnx", "\x08\x07\x12\x05");
  CHECK(hint("onnx") == "'m.onnx' is an ONNX model already");
  scratch.write("message/m.pb", "\n\x03junk");
  CHECK(hint("message").starts_with("'m.pb' is a protobuf message; "));
  scratch.write("old/__model__", "junk");
  scratch.write("old/m.pdparams", "\x80\x02}q\x01.");
  CHECK(hint("old").starts_with("'__model__' is not a file that Paddle writes; "));
}

TEST_CASE("a folder and a model of the same name") {
  const TemporaryFolder scratch;
  scratch.write("m/x.txt", "x");
  const std::string model = scratch.write("m.pdmodel", read_file(sample("jit/model.pdmodel")));
  CHECK(find_model_file(scratch.path("m")) == model);
  CHECK(error_of([&] { find_model_file(scratch.path("m/")); }).code() == E_NO_MODEL);
  scratch.write("m/a.pdmodel", read_file(model));
  scratch.write("m/b.pdmodel", read_file(model));
  CHECK(error_of([&] { find_model_file(scratch.path("m")); }).code() == E_MANY_MODELS);
  std::filesystem::remove(scratch.path("m/b.pdmodel"));
  CHECK(find_model_file(scratch.path("m/")) == scratch.path("m/a.pdmodel"));
}

TEST_CASE("a model is not its own parameter file") {
  const TemporaryFolder scratch;
  for (const char* name : {"params", "__params__"}) {
    CAPTURE(name);
    const std::string folder = std::string(name) + "_folder/";
    scratch.write(folder + name, read_file(sample("model_separate/__model__")));
    for (const char* file : {"fc_1.b_0", "fc_1.w_0"}) {
      scratch.write(folder + file, read_file(sample(std::string("model_separate/") + file)));
    }
    CHECK(open_model(scratch.path(folder + name)).parameters.size() == 2);
  }
}

TEST_CASE("parameters are found beside the model, or in the given place") {
  const TemporaryFolder scratch;
  const std::string program = read_file(sample("model_combined/__model__"));
  const std::string weights = read_file(sample("model_combined/__params__"));
  const std::string separate = read_file(sample("model_separate/__model__"));

  const std::string odd = scratch.write("odd/net.bin", program);
  scratch.write("odd/weights.bin", weights);
  CHECK(open_model(odd, params(scratch.path("odd/weights.bin"))).parameters.size() == 2);
  const std::string single = scratch.write("odd/single.bin", separate);
  CHECK(open_model(single, params(sample("model_separate"))).parameters.size() == 2);
  const Error missing = error_of([&] { open_model(odd); });
  CHECK(missing.code() == E_NO_PARAMS);
  CHECK(missing.message() == "the model has 2 parameters, but their file is missing: 'net.bin.pdiparams'");
  CHECK(error_of([&] { open_model(odd, params(scratch.path("none"))); }).code() == E_NOT_FOUND);

  scratch.write("old/model", program);
  scratch.write("old/params", weights);
  CHECK(open_model(scratch.path("old")).parameters.size() == 2);
  CHECK(open_model(scratch.path("old/model")).params_path == scratch.path("old/params"));

  scratch.write("part/__model__", separate);
  scratch.write("part/fc_1.b_0", read_file(sample("model_separate/fc_1.b_0")));
  CHECK(error_of([&] { open_model(scratch.path("part")); }).message() ==
        "1 of 2 parameter files are missing: 'fc_1.w_0'");

  scratch.write("pickled/m.pdmodel", program);
  scratch.write("pickled/m.pdparams", "\x80\x02.");
  CHECK(error_of([&] { open_model(scratch.path("pickled")); }).hint().find("'m.pdparams'") == 0);
}

TEST_CASE("a model in the current folder") {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(sample("model_separate"));
  const std::size_t separate = open_model("__model__").parameters.size();
  std::filesystem::current_path(sample("jit"));
  const std::size_t combined = open_model("model").parameters.size();
  std::filesystem::current_path(before);
  CHECK(separate == 2);
  CHECK(combined == 11);
}

TEST_CASE("names of parameters can't lead out of the folder") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("../secret", {2}, true);
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  scratch.write("secret", test::tensor_bytes(5, {2}, 8));
  scratch.write("m/__model__", builder.bytes());
  CHECK(error_of([&] { open_model(scratch.path("m")); }).code() == E_BAD_PROGRAM);
}

}  // namespace
}  // namespace fluid2onnx
