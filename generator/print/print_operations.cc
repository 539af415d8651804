#include "generator/print/print_operations.h"

#include <cctype>

#include "generator/diagnostics/text.h"
#include "generator/print/cpp_text.h"
#include "generator/print/tables.h"

namespace opgen::cpp {
namespace {

bool is_open(const std::string& parameter) { return parameter == "any" || parameter == "list"; }

/// The types that an open operand of the operation may have.
std::vector<std::string> candidates(const Operation& o) {
  const std::string_view name = o.name;
  const std::string first = split(o.parameters)[0];
  if (name == "==" || name == "!=")
    return split("bool, int, float, string, dtype, bools, ints, floats, strings, dtypes");
  if (name == "in" || name == "not_in") return split("bool, int, float, string, dtype");
  if (name == "constant" || name == "constant_data") return split("bool, int, float, bools, ints, floats");
  if (name == "convert") return split("tensor, bool, int, float, dim, scalar, bools, ints, floats, dims, scalars");
  if (name == "show") return split("string, bool, int, float, dtype, dim, bools, ints, floats, strings, dtypes, dims");
  if (first == "any") return split("int, float");  // what has an order
  if (name == "product") return split("ints, floats");
  return split(std::string("bools, ints, floats, strings, dtypes, scalars, tensors, operands") +
               (name == "*" ? ", dims" : ""));
}

class Row {
 public:
  Row(const Operation& o, const std::string& open) : operation_(o), parameters_(split(o.parameters)), open_(open) {}

  std::string text() const {
    const bool gives = operation_.effect != Effect::emits || !operation_.name.starts_with("set_");
    Piece function = Piece::block(head() + (gives ? ") -> " + result() + " {" : ") {"),
                                  {(gives ? "return " : "") + body() + ";"}, "}");
    return row({cpp::text(std::string(operation_.name)), cpp::text(operation_.parameters), cpp::text(operation_.result),
                cpp::text(open_), Piece::list("run(", {std::move(function)}, ")")});
  }

 private:
  /// `any` and `list` after the first one are what it is: the same, or the list of it.
  Type argument(size_t i) const {
    const std::string& p = parameters_[i];
    if (p == "slot") return one(Base::string);
    if (!is_open(p)) return parse_type(p);
    const Type t = parse_type(open_);
    return p == "list" && parameters_[0] == "any" ? list_of(t.base) : t;
  }
  std::string result() const {
    const std::string r = operation_.result;
    if (operation_.name == "constant_data") return "Constant";
    if (r == "same") return type(argument(0));
    if (r == "element") return type(one(parse_type(open_.empty() ? parameters_[0] : open_).base));
    return type(parse_type(r));
  }
  static std::string name_of(size_t i) { return {static_cast<char>('a' + i)}; }

  /// "[](OpContext& op, int64_t a, const char* what": what the text has.
  std::string head() const {
    const std::string text = operation_.cpp;
    std::string list;
    const auto add = [&](const std::string& parameter) { list += (list.empty() ? "" : ", ") + parameter; };
    if (asks_context(operation_)) add("OpContext& op");
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const bool read = text.find("$" + std::to_string(i + 1)) != std::string::npos;
      add(argument_type(argument(i)) + (read ? " " + name_of(i) : ""));
    }
    if (text.find("$what") != std::string::npos) add("const char* what");
    return "[](" + list;
  }

  std::string body() const {
    std::string text = operation_.cpp, out;
    if (text[0] == '~') text.erase(0, 1);
    for (size_t i = 0; i < text.size(); ++i) {
      const bool digit = i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
      if (text[i] != '$') out += text[i];
      else if (digit) out += name_of(static_cast<size_t>(text[++i] - '1'));
    }
    return out;
  }

  const Operation& operation_;
  std::vector<std::string> parameters_;
  std::string open_;
};

void add(const Operation& o, std::string* rows) {
  if (o.cpp[0] == '\0') return;  // lowering replaces it
  const std::vector<std::string> parameters = split(o.parameters);
  if (parameters.empty() || !is_open(parameters[0])) {
    *rows += Row(o, "").text();
    return;
  }
  for (const std::string& open : candidates(o)) *rows += Row(o, open).text();
}

}  // namespace

nlohmann::json operations_data() {
  std::string rows;
  for (const Operation& o : operations()) add(o, &rows);
  for (const Builtin& b : builtins())
    for (const Operation& o : b.forms) add(o, &rows);
  return {{"rows", chomp(rows)}};
}

}  // namespace opgen::cpp
