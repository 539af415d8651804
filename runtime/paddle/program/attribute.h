#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/support/dtype.h"
#include "runtime/support/error.h"
#include "runtime/support/shared_list.h"

namespace fluid2onnx {

/// One number of unknown kind (Paddle's SCALAR, elements of mixed PIR arrays).
using Number = std::variant<bool, int64_t, double, std::complex<double>>;

/// Sub-blocks (Paddle's BLOCK and BLOCKS): indices into Program::blocks, checked by the reader.
struct BlockRefs {
  std::vector<int32_t> blocks;
  bool operator==(const BlockRefs&) const = default;
};

/// Variables that supply the attribute's value at run time (Paddle's VAR and VARS). They are data
/// dependencies that appear in no input slot; see uses.h.
struct VariableRefs {
  std::vector<std::string> names;
  bool is_list = false;  ///< VARS: one variable per element; VAR: one variable for the whole value
  bool operator==(const VariableRefs&) const = default;
};

/// 32-bit integers are widened to int64 and floats to double (0.1f is 0.10000000149011612).
/// An empty list of INTS is an empty vector<int64_t>, and so on.
using AttributeValue = std::variant<bool, int64_t, double, std::complex<double>, std::string, Dtype, std::vector<bool>,
                                    std::vector<int64_t>, std::vector<double>, std::vector<std::string>,
                                    std::vector<Number>, BlockRefs, VariableRefs>;

/// Attributes are read by value, not by kind: which kind a file uses for one attribute drifts
/// between versions of Paddle (INT or BOOLEAN, INTS or LONGS, FLOAT or FLOATS of one element). Each
/// as_...() is empty if the value can't be read that way without loss.
struct Attribute {
  std::string name;
  AttributeValue value;

  /// bool, or an integer (nonzero is true).
  std::optional<bool> as_bool() const;
  /// Integer, bool, a double that is an integer, or a list of exactly one of these.
  std::optional<int64_t> as_int() const;
  /// Any number without an imaginary part, or a list of exactly one. Integers beyond 2^53 are rounded.
  std::optional<double> as_float() const;
  std::optional<std::string> as_string() const;
  /// A dtype, Paddle's number of one (-1: Dtype::undefined, "same as the input") or its name.
  std::optional<Dtype> as_dtype() const;
  /// Lists; a single value is a list of one.
  std::optional<std::vector<int64_t>> as_ints() const;
  std::optional<std::vector<double>> as_floats() const;
  std::optional<std::vector<std::string>> as_strings() const;
  /// Any number or list of numbers, each with its own kind.
  std::optional<std::vector<Number>> as_scalars() const;

  /// Null if the attribute is of another kind.
  const BlockRefs* as_blocks() const { return std::get_if<BlockRefs>(&value); }
  const VariableRefs* as_variables() const { return std::get_if<VariableRefs>(&value); }

  /// "an integer", "a list of strings", "a variable" ...: for messages.
  const char* kind_name() const;
  // E_ATTR_KIND: the attribute is not `wanted` ("a list of integers").
  Error wrong_kind(std::string_view wanted) const;
};

/// The attributes of an op, in the order of the file. Most ops of a type have the same: they are a third of what a
/// program takes in memory.
using AttributeList = SharedList<Attribute>;

}  // namespace fluid2onnx
