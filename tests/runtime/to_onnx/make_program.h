// Programs written down in tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

struct MakeProgram {
  Program program;

  MakeProgram() {
    program.model_path = "test";
    program.blocks.resize(1);
  }

  void variable(const std::string& name, Dtype dtype = Dtype::float32, Shape dims = {2, 3}, int32_t block = 0) {
    Variable v;
    v.dtype = dtype;
    v.dims = std::move(dims);
    program.blocks[static_cast<size_t>(block)].variables[name] = v;
  }
  void input(const std::string& name, Dtype dtype = Dtype::float32, Shape dims = {2, 3}) {
    variable(name, dtype, std::move(dims));
    program.inputs.push_back({name});
  }
  void output(const std::string& name) { program.outputs.push_back({name, name}); }

  int32_t block(int32_t parent) {
    Block block;
    block.index = static_cast<int32_t>(program.blocks.size());
    block.parent = parent;
    program.blocks.push_back(std::move(block));
    return program.blocks.back().index;
  }

  using Slots = std::vector<Slot>;
  Op& op(const std::string& type, Slots inputs, Slots outputs, std::vector<Attribute> attrs = {}, int32_t block = 0) {
    auto& ops = program.blocks[static_cast<size_t>(block)].ops;
    Op op;
    op.type = type;
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    op.attrs = std::move(attrs);
    op.block = block;
    op.index = static_cast<int32_t>(ops.size());
    ops.push_back(std::move(op));
    return ops.back();
  }
  /// An operator of one operand.
  Op& unary(const std::string& type, const std::string& x, const std::string& y, int32_t block = 0) {
    return op(type, {{"X", {x}}}, {{"Out", {y}}}, {}, block);
  }
};

inline Attribute sub_block(int32_t block) { return {"sub_block", BlockRefs{{block}}}; }

}  // namespace fluid2onnx
