#include "generator/print/cpp_expressions.h"

#include <algorithm>
#include <set>

#include "generator/lower/walk.h"

namespace opgen::cpp {
namespace {

using K = lowered::Expr::Kind;
using lowered::Expr;
using lowered::ExprPtr;

Piece within(Piece piece, bool parentheses) { return parentheses ? Piece::list("(", {std::move(piece)}, ")") : piece; }

/// A `const char*`, not a std::string.
bool is_c_string(const ExprPtr& e) {
  return (e->kind == K::constant && e->type.base == Base::string) ||
         (e->kind == K::choice && is_c_string(e->args[1]) && is_c_string(e->args[2]));
}

/// What C++ converts by itself.
bool is_silent(const Expr& e) { return e.kind == K::operation && e.operation->cpp[0] == '~'; }

/// Where the bracket that opens at `from` closes.
size_t closing(const std::string& text, size_t from) {
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == '}') && --depth == 0) return i;
  }
  return text.size();
}

std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') i = closing(text, i);
    if (i < text.size() && text[i] == ',') {
      parts.push_back(text.substr(from, i - from));
      from = i + 2;
    }
  }
  if (from < text.size()) parts.push_back(text.substr(from));
  return parts;
}

Binding binding_of(const std::string& op) {
  if (op == "*" || op == "/" || op == "%") return kProduct;
  if (op == "+" || op == "-") return kSum;
  if (op == "==" || op == "!=") return kEqual;
  return kOrdered;
}

}  // namespace

Piece Expressions::commas(const std::string& open, const std::vector<ExprPtr>& items, const std::string& close,
                          bool typed) {
  std::vector<Piece> pieces;
  for (const ExprPtr& e : items) pieces.push_back(print(e, kLoose, typed));
  return Piece::list(open, std::move(pieces), close);
}

Piece Expressions::print(const ExprPtr& p, Binding around, bool typed) {
  const Expr& e = *p;
  switch (e.kind) {
    case K::constant:
      if (e.type.base == Base::string) return Piece::literal(literal(e.literal));
      return literal(e.literal);
    case K::omitted: return e.type.base == Base::tensor ? "Value()" : "Operand()";
    case K::variable: return names_.of(e.variable);
    case K::operation: return operation(e, around, typed);
    case K::node: return node(e);
    case K::fluid: return fluid(e);
    case K::call: return call(e);
    case K::result: return Piece::list("std::get<" + std::to_string(e.index) + ">(", {print(e.args[0])}, ")");
    case K::list: return commas(type(e.type) + "{", e.args, "}");
    case K::choice: return choice(e, around);
    case K::both:
    case K::either: return logic(e, around);
    case K::each: return each(e);
  }
  return {};
}

Piece Expressions::condition(const ExprPtr& e, Binding around) {
  const bool presence = e->kind == K::operation && e->operation->cpp == std::string("bool($1)");
  return print(presence ? e->args[0] : e, around);
}

Piece Expressions::logic(const Expr& e, Binding around) {
  const Binding own = e.kind == K::both ? kAnd : kOr;
  std::vector<Piece> items;
  // Chains of the same operator need no parentheses; `and` inside of `or` is clearer with them.
  const std::function<void(const Expr&)> collect = [&](const Expr& part) {
    for (const ExprPtr& a : part.args) {
      if (a->kind == part.kind) {
        collect(*a);
        continue;
      }
      const bool other = a->kind == K::both || a->kind == K::either;
      Piece side = within(condition(a, other ? kLoose : own), other);
      items.push_back(items.empty() ? std::move(side) : Piece::row({own == kAnd ? "&& " : "|| ", std::move(side)}));
    }
  };
  collect(e);
  return within(Piece::chain(std::move(items)), around > own);
}

Piece Expressions::choice(const Expr& e, Binding around) {
  // One side must say the type when C++ has to convert both.
  const bool silent = is_silent(*e.args[1]) && is_silent(*e.args[2]);
  std::vector<Piece> items{condition(e.args[0], kOr), Piece::row({"? ", print(e.args[1], kChoice, !silent)})};
  // Another choice on the other side goes on.
  ExprPtr other = e.args[2];
  for (; other->kind == K::choice; other = other->args[2]) {
    items.push_back(Piece::row({": ", condition(other->args[0], kOr)}));
    items.push_back(Piece::row({"? ", print(other->args[1], kChoice, true)}));
  }
  items.push_back(Piece::row({": ", print(other, kChoice, true)}));
  return within(Piece::chain(std::move(items)), around >= kChoice);
}

Piece Expressions::infix(const Expr& e, const std::string& op, Binding around) {
  const Binding own = binding_of(op);
  const bool texts = is_c_string(e.args[0]) && is_c_string(e.args[1]);
  Piece a = print(e.args[0], texts ? kLoose : own);
  if (texts) a = Piece::list("std::string(", {std::move(a)}, ")");
  const auto right = static_cast<Binding>(own + 1);
  // C++'s compilers warn of comparisons in comparisons, and readers stumble over a - b * c.
  return within(Piece::chain({std::move(a), Piece::row({op + " ", print(e.args[1], right)})}), around > own);
}

Piece Expressions::argument(const Expr& e, size_t i, Binding around) {
  if (i > e.args.size()) return {};
  const std::vector<Type> given = [&] {
    std::vector<Type> types;
    for (const ExprPtr& a : e.args) types.push_back(a->type);
    return types;
  }();
  const Type want = parameter_types(*e.operation, given)[i - 1];
  const auto has_type = [&](const ExprPtr& a) { return a->type.base == want.base && !is_silent(*a); };
  // Overloads differ by type: one of two numbers must have it.
  const bool number = want.base == Base::dim || want.base == Base::scalar;
  const bool known_by_other =
      number && std::any_of(e.args.begin(), e.args.end(), has_type) && e.args[i - 1]->kind != K::choice;
  const bool single = want.base == Base::operand && !want.list;
  if (e.operation->name == "show" && is_c_string(e.args[i - 1]))
    return Piece::list("std::string(", {print(e.args[i - 1])}, ")");
  return print(e.args[i - 1], around, known_by_other || single);
}

Piece Expressions::pattern(const std::string& text, const Expr& e, Binding around) {
  if (text == "$what") return Piece::literal(quoted("'" + e.subject + "'"));
  if (text[0] == '$' && text.size() == 2) return argument(e, static_cast<size_t>(text[1] - '0'), around);
  const size_t open = text.find_first_of("({");
  if (open != std::string::npos && closing(text, open) + 1 == text.size() &&
      text.substr(0, open).find('$') == std::string::npos) {
    std::vector<Piece> items;
    for (const std::string& part : split_arguments(text.substr(open + 1, text.size() - open - 2)))
      items.push_back(pattern(part, e, kLoose));
    return Piece::list(text.substr(0, open + 1), std::move(items), text.substr(text.size() - 1));
  }
  std::vector<Piece> row;
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      plain += text[i];
      continue;
    }
    if (!plain.empty()) row.emplace_back(plain);
    plain.clear();
    ++i;
    row.push_back(argument(e, static_cast<size_t>(text[i] - '0'), i + 1 < text.size() ? kTight : kPrefix));
  }
  if (!plain.empty()) row.emplace_back(plain);
  return Piece::row(std::move(row));
}

Piece Expressions::operation(const Expr& e, Binding around, bool typed) {
  const std::string text = e.operation->cpp;
  if (text[0] == '~') return typed ? print(e.args[0], around, true) : pattern(text.substr(1), e, around);
  if (text.size() > 5 && text.rfind("$1 ", 0) == 0 && text.substr(text.size() - 3) == " $2")
    return infix(e, text.substr(3, text.size() - 6), around);
  if (text == "!$1") return within(Piece::row({"!", condition(e.args[0], kPrefix)}), around > kPrefix);
  const bool prefix = text[0] == '!' || text[0] == '-';
  Piece piece = pattern(text, e, kLoose);
  return within(std::move(piece), prefix && around > kPrefix);
}

/// The contents of a slot; a single operand has no brackets.
Piece Expressions::slot(const ExprPtr& operands) {
  if (operands->kind != K::list || operands->args.empty()) return print(operands);
  if (operands->args.size() == 1) return print(operands->args[0], kLoose, true);
  return commas("{", operands->args, "}");
}

Piece Expressions::fluid(const Expr& e) {
  Piece type = e.variable ? names_.of(e.variable) : quoted(std::get<std::string>(e.literal));
  if (e.type.base == Base::string) return type;
  std::vector<Piece> operands, attributes;
  for (const auto& [name, value] : e.attributes) {
    const bool operand = value->type.list && value->type.base == Base::operand;
    if (operand) operands.push_back(Piece::list("{", {quoted(name), slot(value)}, "}"));
    else attributes.push_back(Piece::list("{", {quoted(name), print(value)}, "}"));
  }
  std::vector<Piece> items{std::move(type), Piece::list("{", std::move(operands), "}")};
  if (!attributes.empty() || e.count) items.push_back(Piece::list("{", std::move(attributes), "}"));
  if (e.count) items.push_back(print(e.count));
  return Piece::list("op.fluid(", std::move(items), ")");
}

Piece Expressions::node(const Expr& e) {
  const std::string builder = e.variable ? names_.of(e.variable) : e.group->builder;
  if (e.args.empty()) return builder;
  const Expr& operands = *e.args[0];
  const bool one_operand = operands.kind == K::list && operands.args.size() == 1;
  if (builder == "Cast" && !e.variable && one_operand && e.attributes.size() == 1 &&
      e.attributes[0].second->type.base == Base::dtype)
    return Piece::list("cast(", {"op", print(operands.args[0], kLoose, true), print(e.attributes[0].second)}, ")");
  std::vector<Piece> items{"op"};
  items.push_back(operands.kind == K::list ? commas("{", operands.args, "}") : print(e.args[0], kLoose, true));
  std::vector<Piece> attributes;
  for (const auto& [name, value] : e.attributes)
    attributes.push_back(Piece::list("{", {quoted(name), print(value)}, "}"));
  if (!attributes.empty() || e.count) items.push_back(Piece::list("{", std::move(attributes), "}"));
  if (e.count) items.push_back(print(e.count));
  return Piece::list(builder + "(", std::move(items), ")");
}

Piece Expressions::call(const Expr& e) {
  std::vector<Piece> items{"op"};
  for (const ExprPtr& a : e.args) items.push_back(print(a, kLoose, true));
  const bool library = !e.function->results.empty();
  return Piece::list((library ? "lib::" : "") + e.function->name + "(", std::move(items), ")");
}

Piece Expressions::lambda(const Expr& e, const lowered::Block& body, const ExprPtr& value) {
  names_.push();
  std::set<const lowered::Variable*> read;
  const auto note = [&](const Expr& part) { read.insert(part.variable.get()); };
  lowered::look(body, note);
  lowered::look(*value, note);
  std::string head = "[&](";
  for (const lowered::VariablePtr& v : e.variables) {
    if (head.back() != '(') head += ", ";
    head += argument_type(v->type) + (read.count(v.get()) > 0 ? " " + names_.declare(v) : "");
  }
  std::vector<Piece> lines = block_(body);
  lines.push_back(Piece::row({"return ", print(value, kLoose, true), ";"}));
  names_.pop();
  return Piece::block(head + ") {", std::move(lines), "}");
}

Piece Expressions::each(const Expr& e) {
  std::vector<Piece> items;
  if (e.filter) items.push_back(lambda(e, {}, e.filter));
  items.push_back(lambda(e, e.body, e.value));
  for (const ExprPtr& source : e.args) items.push_back(print(source));
  const char* name = e.filter ? "each_if<" : e.value->type.list ? "each_of<" : "each<";
  return Piece::list(name + type(e.type) + ">(", std::move(items), ")");
}

Piece Expressions::message(const std::vector<ExprPtr>& parts) {
  if (parts.size() == 1) return print(parts[0]);
  std::vector<Piece> items;
  for (const ExprPtr& part : parts)
    items.push_back(items.empty() ? print(part, kProduct) : Piece::row({"+ ", print(part, kProduct)}));
  if (is_c_string(parts[0]) && is_c_string(parts[1])) items[0] = Piece::list("std::string(", {items[0]}, ")");
  return Piece::chain(std::move(items));
}

}  // namespace opgen::cpp
