#pragma once

#include <doctest/doctest.h>

#include <string>

#include "runtime/paddle/program/program.h"
#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/support/error.h"
#include "tests/runtime/error_of.h"
#include "tests/runtime/temporary_folder.h"

namespace fluid2onnx::test {

// The folder of a sample model, see tests/data/models/README.md.
std::string sample(const std::string& name);

std::string read_file(const std::string& path);

// The bytes of one tensor as parameter files hold it; the data are `size` zeros.
std::string tensor_bytes(int paddle_dtype, const std::vector<std::int64_t>& dims, std::size_t size);

// Hand-made programs. The main block is there from the start.
class ProgramBuilder {
 public:
  ProgramBuilder() { block(-1); }

  framework::ProgramDesc& desc() { return desc_; }
  framework::BlockDesc& main() { return *desc_.mutable_blocks(0); }

  int block(int parent);
  // A float32 LoD tensor.
  framework::VarDesc& var(const std::string& name, const std::vector<std::int64_t>& dims = {2},
                          bool persistable = false, int block = 0);
  framework::OpDesc& op(const std::string& type, const std::vector<std::string>& x, const std::vector<std::string>& out,
                        int block = 0);
  void feed(const std::string& name, int column = 0);
  void fetch(const std::string& name, int column = 0);
  std::string bytes() const { return desc_.SerializeAsString(); }

  // Writes the program into a scratch folder and reads it, without parameters.
  Program read() const;
  Error read_error() const;

 private:
  framework::ProgramDesc desc_;
};

framework::OpDesc::Attr& add_attr(framework::OpDesc& op, const std::string& name, int kind);
void add_int(framework::OpDesc& op, const std::string& name, int value);
void add_sub_block(framework::OpDesc& op, int block);

}  // namespace fluid2onnx::test
