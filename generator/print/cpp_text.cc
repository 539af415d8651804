#include "generator/print/cpp_text.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace opgen::cpp {
namespace {

struct Spelling {
  Base base;
  const char* one;
  const char* list;
};

constexpr std::array<Spelling, 9> kSpellings{{
    {Base::boolean, "bool", "Bools"},
    {Base::integer, "int64_t", "Ints"},
    {Base::floating, "double", "Floats"},
    {Base::string, "std::string", "Strings"},
    {Base::dtype, "Dtype", "Dtypes"},
    {Base::dim, "Dim", "Dims"},
    {Base::scalar, "Scalar", "Scalars"},
    {Base::tensor, "Value", "Values"},
    {Base::operand, "Operand", "Operands"},
}};

/// Keywords of C++20, its other spellings of operators, and the macros of the headers that are included.
constexpr const char* kReservedWords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl "
    "concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default "
    "delete "
    "do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast "
    "requires return short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw "
    "true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "NULL assert errno linux unix";
/// What printed code calls beside the operations of the table.
constexpr const char* kVocabulary =
    "op lib generated std fluid2onnx cast need_opset no_variant each each_if each_of zip state Builder ListBuilder "
    "OpContext LoopIteration Attr "
    "Attrs "
    "Constant "
    "int64_t size_t to_end dtype_from_paddle";

void add_identifiers(const std::string& text, std::set<std::string>* names) {
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0) names->insert(word);
    word.clear();
  }
}

std::string number(double v) {
  if (std::isnan(v)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(v)) return std::string(v < 0 ? "-" : "") + "std::numeric_limits<double>::infinity()";
  char text[40];
  // The shortest spelling that reads back the same.
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    if (std::strtod(text, nullptr) == v) break;
  }
  std::string s = text;
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

}  // namespace

std::string type(const Type& type) {
  for (const Spelling& s : kSpellings)
    if (s.base == type.base) return type.list ? s.list : s.one;
  return type.list ? "ListBuilder" : "Builder";
}

bool is_plain(const Type& type) {
  return !type.list && (type.base == Base::boolean || type.base == Base::integer || type.base == Base::floating ||
                        type.base == Base::dtype || type.base == Base::tensor);
}

std::string argument_type(const Type& t) { return is_plain(t) ? type(t) : "const " + type(t) + "&"; }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + "\"";
}

std::string literal(const lowered::Literal& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* s = std::get_if<std::string>(&value)) return quoted(*s);
  if (const auto* d = std::get_if<lowered::DtypeName>(&value))
    return "Dtype::" + (d->name == "bool" ? std::string("bool_") : d->name);
  if (const auto* v = std::get_if<double>(&value)) return number(*v);
  const int64_t i = std::get<int64_t>(value);
  return i == INT64_MIN ? "INT64_MIN" : i == INT64_MAX ? "to_end" : std::to_string(i);
}

bool asks_context(const Operation& operation) {
  std::set<std::string> names;
  add_identifiers(operation.cpp, &names);
  return names.count("op") > 0;
}

std::set<std::string> reserved_names() {
  std::set<std::string> names;
  add_identifiers(kReservedWords, &names);
  add_identifiers(kVocabulary, &names);
  for (const Spelling& s : kSpellings) add_identifiers(std::string(s.one) + " " + s.list, &names);
  for (const Operation& o : operations()) add_identifiers(o.cpp, &names);
  for (const Builtin& b : builtins())
    for (const Operation& o : b.forms) add_identifiers(o.cpp, &names);
  return names;
}

}  // namespace opgen::cpp
