// What converters compute with: tensors of the ONNX graph and values known while converting.
//
// Two worlds meet here. A `Value` is a tensor that exists when the ONNX model runs. Everything else
// (bool, int64_t, double, strings, `Ints`, `Floats`) is known now, while converting. Between the two stand
// `Dim` and `Scalar`, single numbers that may be known now or only at run time, and their lists `Dims`
// and `Scalars`: with them one recipe serves static and dynamic shapes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
using Bools = std::vector<bool>;
using Strings = std::vector<std::string>;
using Dtypes = std::vector<Dtype>;

/// A tensor of the ONNX graph, or nothing (an operand left out). A handle: cheap to copy, meaningful only
/// together with the OpContext that made it.
struct Value {
  int32_t id = -1;
  explicit operator bool() const { return id >= 0; }
  friend bool operator==(Value a, Value b) { return a.id == b.id; }
};
using Values = std::vector<Value>;

/// How the rows of a tensor (its axis 0) are divided into sequences: for each level, outermost first, an int64 tensor
/// [sequences] of how many sequences of the next level (of the last level: rows) each one has. An absent Value denotes
/// a single sequence. Empty: a plain tensor.
using Lod = Values;

/// An integer that is known now, or else an element of an int tensor that exists at run time. The node that fetches the
/// element is emitted only when the number is used on its own, so that whole shapes pass on as one tensor.
struct Dim {
  enum class Source : uint8_t {
    known,     ///< `known_value`
    shape_of,  ///< dim `index` of the shape of `tensor`
    element,   ///< element `index` of the 1-D int tensor `tensor`
    scalar,    ///< the only element of `tensor` (0-D, or 1-D with one element)
  };
  Dim() = default;
  Dim(int64_t value) : known_value(value) {}  // NOLINT: a number is a Dim
  bool known() const { return source == Source::known; }

  Source source = Source::known;
  int64_t known_value = 0;
  Value tensor;
  int64_t index = 0;
};

/// A list of Dims, or (when even the length is unknown) just the 1-D int tensor that holds them.
struct Dims {
  Dims() = default;
  Dims(std::vector<Dim> list) : items(std::move(list)) {}  // NOLINT
  Dims(std::initializer_list<Dim> list) : items(list) {}   // NOLINT
  /// E_TOO_LARGE above limits::kListItems.
  Dims(const Ints& list);  // NOLINT
  bool sized() const { return !unsized; }

  std::vector<Dim> items;
  Value unsized;  ///< set when the length is unknown; `items` is then empty
};

/// A floating-point number known now, or a tensor of one element.
struct Scalar {
  Scalar() = default;
  Scalar(double value) : known_value(value) {}  // NOLINT
  Scalar(Value value) : tensor(value) {}        // NOLINT
  bool known() const { return !tensor; }

  double known_value = 0;
  Value tensor;
};
using Scalars = std::vector<Scalar>;

/// A constant tensor. Without `dtype` it takes the dtype of the operands that share its type variable in
/// the ONNX schema. `shape` empty: 0-D.
struct Constant {
  std::variant<Ints, Floats, Bools> data;
  Ints shape;
  std::optional<Dtype> dtype;
  friend bool operator==(const Constant&, const Constant&) = default;
};

/// What an ONNX node is given: a tensor, a number or list to become a constant, or nothing.
class Operand {
 public:
  Operand() = default;  ///< left out
  Operand(Value v) {
    if (v) rep_ = v;
  }                                                                                      // NOLINT
  Operand(Constant c) : rep_(std::move(c)) {}                                            // NOLINT
  Operand(bool v) : rep_(Constant{Bools{v}, {}, Dtype::bool_}) {}                        // NOLINT
  Operand(int v) : rep_(Constant{Ints{v}, {}, {}}) {}                                    // NOLINT
  Operand(int64_t v) : rep_(Constant{Ints{v}, {}, {}}) {}                                // NOLINT
  Operand(double v) : rep_(Constant{Floats{v}, {}, {}}) {}                               // NOLINT
  Operand(const Ints& v) : rep_(Constant{v, {static_cast<int64_t>(v.size())}, {}}) {}    // NOLINT
  Operand(const Floats& v) : rep_(Constant{v, {static_cast<int64_t>(v.size())}, {}}) {}  // NOLINT
  Operand(const Bools& v)                                                                // NOLINT
      : rep_(Constant{v, {static_cast<int64_t>(v.size())}, Dtype::bool_}) {}
  Operand(Dim v) : rep_(v) {}                 // NOLINT
  Operand(Dims v) : rep_(std::move(v)) {}     // NOLINT
  Operand(Scalar v) : rep_(v) {}              // NOLINT
  Operand(Scalars v) : rep_(std::move(v)) {}  // NOLINT

  using Rep = std::variant<std::monostate, Value, Constant, Dim, Dims, Scalar, Scalars>;
  const Rep& rep() const { return rep_; }
  bool omitted() const { return std::holds_alternative<std::monostate>(rep_); }

 private:
  Rep rep_;
};
using Operands = std::vector<Operand>;

/// Operands of an operator of Paddle by slot; numbers that may be known only at run time stand by their attribute.
struct FluidOperand {
  FluidOperand(const char* name, Operand one) : slot(name), operands{std::move(one)} {}
  FluidOperand(const char* name, Operands list) : slot(name), operands(std::move(list)) {}
  const char* slot;
  Operands operands;
};
using FluidOperands = std::vector<FluidOperand>;

/// The value of an ONNX attribute.
using AttrValue = std::variant<int64_t, double, std::string, Ints, Floats, Strings, Constant>;
struct Attr {
  std::string name;
  AttrValue value;
  Attr(std::string n, bool v) : name(std::move(n)), value(int64_t{v}) {}
  Attr(std::string n, int v) : name(std::move(n)), value(int64_t{v}) {}
  Attr(std::string n, int64_t v) : name(std::move(n)), value(v) {}
  Attr(std::string n, double v) : name(std::move(n)), value(v) {}
  Attr(std::string n, const char* v) : name(std::move(n)), value(std::string(v)) {}
  Attr(std::string n, std::string v) : name(std::move(n)), value(std::move(v)) {}
  Attr(std::string n, Ints v) : name(std::move(n)), value(std::move(v)) {}
  Attr(std::string n, Floats v) : name(std::move(n)), value(std::move(v)) {}
  Attr(std::string n, Strings v) : name(std::move(n)), value(std::move(v)) {}
  Attr(std::string n, Dtype v) : name(std::move(n)), value(static_cast<int64_t>(v)) {}
  Attr(std::string n, Constant v) : name(std::move(n)), value(std::move(v)) {}
};
using Attrs = std::vector<Attr>;

}  // namespace fluid2onnx
