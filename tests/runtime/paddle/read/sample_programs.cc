#include "tests/runtime/paddle/read/sample_programs.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/paddle/read/open_model.h"

namespace fluid2onnx::test {
namespace {

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

OpenOptions without_parameters() {
  OpenOptions options;
  options.load_parameters = false;
  return options;
}

}  // namespace

std::string sample(const std::string& name) { return std::string(TEST_MODELS) + "/" + name; }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string tensor_bytes(int paddle_dtype, const std::vector<std::int64_t>& dims, std::size_t size) {
  framework::TensorDesc desc;
  desc.set_data_type(paddle_dtype);
  for (const std::int64_t dim : dims) desc.add_dims(dim);
  std::string bytes;
  append(bytes, std::uint32_t{0});
  append(bytes, std::uint64_t{0});
  append(bytes, std::uint32_t{0});
  append(bytes, static_cast<std::int32_t>(desc.ByteSizeLong()));
  return bytes + desc.SerializeAsString() + std::string(size, '\0');
}

int ProgramBuilder::block(int parent) {
  framework::BlockDesc& block = *desc_.add_blocks();
  block.set_idx(desc_.blocks_size() - 1);
  block.set_parent_idx(parent);
  return block.idx();
}

framework::VarDesc& ProgramBuilder::var(const std::string& name, const std::vector<std::int64_t>& dims,
                                        bool persistable, int block) {
  framework::VarDesc& var = *desc_.mutable_blocks(block)->add_vars();
  var.set_name(name);
  var.set_persistable(persistable);
  var.mutable_type()->set_type(framework::LOD_TENSOR);
  framework::TensorDesc& tensor = *var.mutable_type()->mutable_lod_tensor()->mutable_tensor();
  tensor.set_data_type(5);
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  return var;
}

framework::OpDesc& ProgramBuilder::op(const std::string& type, const std::vector<std::string>& x,
                                      const std::vector<std::string>& out, int block) {
  framework::OpDesc& op = *desc_.mutable_blocks(block)->add_ops();
  op.set_type(type);
  framework::OpDesc::Var& inputs = *op.add_inputs();
  inputs.set_parameter("X");
  for (const std::string& name : x) inputs.add_arguments(name);
  framework::OpDesc::Var& outputs = *op.add_outputs();
  outputs.set_parameter("Out");
  for (const std::string& name : out) outputs.add_arguments(name);
  return op;
}

void ProgramBuilder::feed(const std::string& name, int column) { add_int(op("feed", {"feed"}, {name}), "col", column); }

void ProgramBuilder::fetch(const std::string& name, int column) {
  add_int(op("fetch", {name}, {"fetch"}), "col", column);
}

Program ProgramBuilder::read() const {
  const TemporaryFolder scratch;
  return open_model(scratch.write("model.pdmodel", bytes()), without_parameters());
}

Error ProgramBuilder::read_error() const {
  return error_of([&] { read(); });
}

framework::OpDesc::Attr& add_attr(framework::OpDesc& op, const std::string& name, int kind) {
  framework::OpDesc::Attr& attr = *op.add_attrs();
  attr.set_name(name);
  attr.set_type(kind);
  return attr;
}

void add_int(framework::OpDesc& op, const std::string& name, int value) {
  add_attr(op, name, framework::INT).set_i(value);
}

void add_sub_block(framework::OpDesc& op, int block) {
  add_attr(op, "sub_block", framework::BLOCK).set_block_idx(block);
}

}  // namespace fluid2onnx::test
