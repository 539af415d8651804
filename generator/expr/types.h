// The types of the language.
#pragma once

#include <cstdint>
#include <string>

namespace opgen {

enum class Base : uint8_t {
  unknown,  ///< after an error; fits everywhere
  boolean,
  integer,
  floating,
  string,
  dtype,
  dim,     ///< integer known now or at run time
  scalar,  ///< float known now or at run time
  tensor,
  operand,  ///< tensor, number or nothing: what an ONNX node can be given
  omitted,  ///< `_`
};

struct Type {
  Base base = Base::unknown;
  bool list = false;
  bool optional = false;        ///< tensor that may be absent
  bool may_be_dynamic = false;  ///< boolean that may be unknown while converting

  friend bool operator==(const Type& a, const Type& b) {
    return a.base == b.base && a.list == b.list && a.optional == b.optional && a.may_be_dynamic == b.may_be_dynamic;
  }
};

inline Type one(Base base) { return {base, false, false, false}; }
inline Type list_of(Base base) { return {base, true, false, false}; }
inline bool is_unknown(const Type& t) { return t.base == Base::unknown && !t.list; }
/// `[]`: fits every list.
inline bool is_empty_list(const Type& t) { return t.base == Base::unknown && t.list; }

/// A tensor, or an operand that can be one.
inline bool is_tensorish(const Type& t) { return !t.list && (t.base == Base::tensor || t.base == Base::operand); }

/// "int", "tensors", "tensor?": as the reference page and heads of functions spell them.
std::string type_name(const Type& type);
/// The inverse, for heads of functions: "ints", "tensor?", "dims"; base unknown if there is no such type.
Type parse_type(const std::string& name);
/// True if a value of type `from` may stand where `to` is wanted (possibly refused while converting, when a
/// Dim must be known).
bool converts(const Type& from, const Type& to);
/// The type that both convert to; unknown base if none.
Type unify(const Type& a, const Type& b);

}  // namespace opgen
