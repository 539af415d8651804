#include "generator/print/print_operations.h"

#include <cctype>
#include <sstream>

#include "generator/print/cpp_text.h"
#include "generator/print/tables.h"

namespace opgen::cpp {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word.back() == ',') word.pop_back();
    list.push_back(word);
  }
  return list;
}

bool is_open(const std::string& parameter) { return parameter == "any" || parameter == "list"; }

/// The types that an open operand of the operation may have.
std::vector<std::string> candidates(const Operation& o) {
  const std::string name = o.name;
  const std::string first = words(o.parameters)[0];
  if (name == "==" || name == "!=") return words("bool int float string dtype bools ints floats strings dtypes");
  if (name == "in" || name == "not_in") return words("bool int float string dtype");
  if (name == "constant" || name == "constant_data") return words("bool int float bools ints floats");
  if (name == "convert") return words("tensor bool int float dim scalar bools ints floats dims scalars");
  if (name == "show") return words("string bool int float dtype dim bools ints floats strings dtypes dims");
  if (first == "any") return words("int float");  // what has an order
  if (name == "product") return words("ints floats");
  std::vector<std::string> lists = words("bools ints floats strings dtypes scalars tensors operands");
  if (name == "*" || name == "reversed") lists.emplace_back("dims");
  return lists;
}

class Row {
 public:
  Row(const Operation& o, const std::string& open) : operation_(o), parameters_(words(o.parameters)), open_(open) {}

  std::string text() const {
    return row({cpp::text(operation_.name), cpp::text(operation_.parameters), cpp::text(operation_.result),
                cpp::text(open_),
                "[](const Call& c) { return give<" + result() + ">([&] { return " + body() + "; }); }"});
  }

 private:
  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; }

  /// `any` and `list` after the first one are what it is: the same, or the list of it.
  std::string type_of(size_t i) const {
    const std::string& p = parameters_[i];
    if (p == "slot") return "std::string";
    if (!is_open(p)) return type(parse_type(p));
    const Type t = parse_type(open_);
    return type(p == "list" && parameters_[0] == "any" ? list_of(t.base) : t);
  }
  std::string result() const {
    const std::string r = operation_.result;
    if (operation_.name == std::string("constant_data")) return "Constant";
    if (r == "same") return type_of(0);
    if (r == "element") return type(one(parse_type(open_.empty() ? parameters_[0] : open_).base));
    return type(parse_type(r));
  }
  std::string body() const {
    std::string text = operation_.cpp, out;
    if (text[0] == '~') text.erase(0, 1);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text.compare(i, 5, "$what") == 0) {
        out += "c.subject";
        i += 4;
      } else if (text[i] == '$') {
        const auto index = static_cast<size_t>(text[++i] - '1');
        out += "c.get<" + type_of(index) + ">(" + std::to_string(index) + ")";
      } else if (text.compare(i, 2, "op") == 0 && (i == 0 || !in_word(text[i - 1])) && !in_word(text[i + 2])) {
        out += "c.op";
        ++i;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  const Operation& operation_;
  std::vector<std::string> parameters_;
  std::string open_;
};

void add(const Operation& o, std::string* rows) {
  if (o.cpp[0] == '\0') return;  // lowering says it in others
  const std::vector<std::string> parameters = words(o.parameters);
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
