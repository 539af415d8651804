#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/paddle/program/program.h"

// A program of Paddle 3's IR (PIR) as its file has it: values are numbered, and each is defined once.

namespace fluid2onnx {

struct PirType {
  VariableKind kind = VariableKind::tensor;
  Dtype dtype = Dtype::undefined;
  std::optional<Shape> dims;
  bool is_list = false;           ///< of `elements`
  std::vector<PirType> elements;  ///< only of lists
};

/// The definition of a value: positive ids are results, negative ones arguments of blocks.
struct PirValue {
  int64_t id = 0;
  PirType type;
};

struct PirBlock;

struct PirOp {
  std::string name;               ///< "pd_op.conv2d", "builtin.combine"
  std::vector<int64_t> operands;  ///< 0: absent
  std::vector<PirValue> results;
  std::vector<Attribute> attrs;     ///< dtypes as Dtype; without places, which say where and not what
  std::vector<std::string> unread;  ///< names of attributes whose kind is unknown; their values are lost
  std::vector<PirBlock> regions;    ///< of one block each
  SourceLine source;
  int32_t index = 0;  ///< in its block

  const Attribute* attr(std::string_view name) const;
};

struct PirBlock {
  std::vector<PirValue> args;
  std::vector<PirOp> ops;
};

/// Names of parameters, which PIR has as an operator, and of its attributes.
inline constexpr std::string_view kPirParameter = "builtin.parameter";
inline constexpr std::string_view kPirParameterName = "parameter_name";
inline constexpr std::string_view kPirPersistable = "persistable";  // whether the file of parameters has it

}  // namespace fluid2onnx
