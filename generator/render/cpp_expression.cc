#include "generator/render/cpp_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "generator/base/text.h"
#include "generator/check/builtins.h"

namespace opgen {
namespace {

using K = Expr::Kind;

std::string float_literal(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  // The shortest spelling that reads back the same.
  for (int digits = 1; digits < 17; ++digits) {
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, v);
    if (std::strtod(shorter, nullptr) == v) {
      std::snprintf(text, sizeof text, "%s", shorter);
      break;
    }
  }
  std::string s = text;
  if (s.find_first_of(".en") == std::string::npos) s += ".0";
  return s;
}

bool atomic(const Expr& e) { return e.kind != K::binary && e.kind != K::conditional && e.kind != K::unary; }

/// True if one pair of parentheses encloses the whole text.
bool enclosed(const std::string& text) {
  if (text.empty() || text.front() != '(') return false;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

bool runtime_number(const Type& t) { return t.base == Base::dim || t.base == Base::scalar; }

}  // namespace

std::string CppExpressions::identifier(const std::string& name) {
  // C++ keywords and the names that generated code uses itself.
  static const std::set<std::string> taken{
      "op",       "and",      "or",       "not",       "int",      "float",    "double", "bool",     "char",
      "long",     "short",    "signed",   "new",       "delete",   "this",     "auto",   "const",    "for",
      "if",       "else",     "while",    "do",        "switch",   "case",     "break",  "continue", "return",
      "class",    "struct",   "union",    "enum",      "default",  "private",  "public", "using",    "namespace",
      "template", "typename", "operator", "register",  "static",   "volatile", "try",    "catch",    "throw",
      "true",     "false",    "inline",   "extern",    "void",     "unsigned", "lib",    "min",      "max",
      "xor",      "range",    "slice",    "concat",    "at",       "item",     "add",    "sub",      "mul",
      "div",      "mod",      "neg",      "floor",     "ceil",     "known",    "length", "select",   "product",
      "list",     "pair",     "entry",    "results",   "state",    "constant", "items",  "convert",  "operands",
      "contains", "repeat",   "zip",      "enumerate", "reversed", "sorted",   "number", "Value",    "Values",
      "Dim",      "Dims",     "Ints",     "Floats",    "Bools",    "Strings",  "Scalar", "Scalars",  "Operand",
      "Operands", "Constant", "Dtype",    "Attr",      "Attrs"};
  return taken.count(name) > 0 ? name + "_" : name;
}

std::string CppExpressions::string_literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  return out + "\"";
}

std::string CppExpressions::render_as(const Expr& e, const Type& want) const {
  const Type& have = e.type;
  if (is_unknown(want)) return render(e);
  if (e.kind == K::omitted) return want.base == Base::tensor ? "Value()" : "Operand()";
  // Composite expressions convert inside.
  if (e.kind == K::conditional && !(have == want)) {
    return "(" + render(*e.args[1]) + " ? " + render_as(*e.args[0], want) + " : " + render_as(*e.args[2], want) + ")";
  }
  if (want.list && have.list) {
    if (e.kind == K::list) {
      std::vector<std::string> items;
      for (const ExprPtr& a : e.args) items.push_back(render_as(*a, one(want.base)));
      return cpp_type(want) + "{" + joined(items) + "}";
    }
    if (have.base == want.base) return render(e);
    if (want.base == Base::integer && have.base == Base::dim) return "known(op, " + render(e) + ", " + what(e) + ")";
    if (want.base == Base::floating && have.base == Base::scalar)
      return "known(op, " + render(e) + ", " + what(e) + ")";
    if (want.base == Base::operand) return "Operands(" + render(e) + ".begin(), " + render(e) + ".end())";
    if (want.base == Base::dim && have.base == Base::integer) return "Dims(" + render(e) + ")";
    return "convert<" + cpp_type(want) + ">(" + render(e) + ")";
  }
  if (want.base == Base::tensor && !want.list) {
    if (have.base == Base::tensor && !have.list) return render(e);
    return "op.tensor(" + render_as(e, one(Base::operand)) + ")";
  }
  if (want.base == Base::operand && !want.list) return operand(e);
  if (have.base == want.base) {
    if (e.kind == K::integer && want.base == Base::integer) return render(e);
    return render(e);
  }
  switch (want.base) {
    case Base::integer:
      if (have.base == Base::dim) return "known(op, " + render(e) + ", " + what(e) + ")";
      break;
    case Base::floating:
      if (e.kind == K::integer) return float_literal(static_cast<double>(e.integer_value));
      if (have.base == Base::integer) return "static_cast<double>(" + render(e) + ")";
      if (have.base == Base::scalar) return "known(op, " + render(e) + ", " + what(e) + ")";
      if (have.base == Base::dim) return "static_cast<double>(known(op, " + render(e) + ", " + what(e) + "))";
      break;
    case Base::dim:
      if (have.base == Base::integer) return "Dim(" + render(e) + ")";
      break;
    case Base::scalar:
      if (have.base == Base::dim) return "to_scalar(op, " + render(e) + ")";
      return "Scalar(" + render_as(e, one(Base::floating)) + ")";
    default: break;
  }
  return render(e);
}

std::string CppExpressions::operand(const Expr& e) const {
  if (e.kind == K::list) {
    if (e.type.base == Base::dim || e.type.base == Base::integer || e.type.base == Base::floating ||
        e.type.base == Base::boolean || e.type.base == Base::scalar)
      return render(e);
    return "Ints{}";
  }
  if (e.kind == K::conditional) {
    const auto side = [&](const Expr& x) {
      const std::string text = operand(x);
      return text.rfind("Operand(", 0) == 0 ? text : "Operand(" + text + ")";
    };
    if (e.type.base == Base::tensor || (e.args[0]->type == e.args[2]->type && e.type.base != Base::operand))
      return render(e);
    return "(" + render(*e.args[1]) + " ? " + side(*e.args[0]) + " : " + side(*e.args[2]) + ")";
  }
  return render(e);
}

std::string CppExpressions::operands(const std::vector<ExprPtr>& args) const {
  // A single list of tensors stands for all operands.
  std::vector<std::string> parts;
  bool spread = false;
  for (const ExprPtr& a : args)
    spread = spread || (a->type.list && (a->type.base == Base::tensor || a->type.base == Base::operand));
  if (spread && args.size() == 1)
    return args[0]->type.base == Base::operand ? render(*args[0]) : "operands(" + render(*args[0]) + ")";
  if (spread) {
    for (const ExprPtr& a : args)
      parts.push_back(a->type.list && a->type.base == Base::tensor ? "operands(" + render(*a) + ")"
                                                                   : "Operands{" + operand(*a) + "}");
    std::string out = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) out = "concat(" + out + ", " + parts[i] + ")";
    return out;
  }
  for (const ExprPtr& a : args) parts.push_back(operand(*a));
  return "{" + joined(parts) + "}";
}

std::string CppExpressions::constant(const Expr& e) const {
  static const std::map<std::string, std::string> special{{"pi", "3.14159265358979323846"},
                                                          {"inf", "std::numeric_limits<double>::infinity()"},
                                                          {"nan", "std::numeric_limits<double>::quiet_NaN()"},
                                                          {"opset", "int64_t{op.opset()}"},
                                                          {"to_end", "to_end"}};
  const auto it = special.find(e.text);
  if (it != special.end()) return it->second;
  return "Dtype::" + (e.text == "bool" ? std::string("bool_") : e.text);
}

std::string CppExpressions::render(const Expr& e) const {
  switch (e.kind) {
    case K::integer: return e.integer_value == INT64_MIN ? "INT64_MIN" : std::to_string(e.integer_value);
    case K::floating: return float_literal(e.floating_value);
    case K::string: return string_literal(e.text);
    case K::boolean: return e.text;
    case K::omitted: return "Operand()";
    case K::name: return e.constant ? constant(e) : identifier(e.text);
    case K::list: {
      std::vector<std::string> items;
      for (const ExprPtr& a : e.args) items.push_back(render_as(*a, one(e.type.base)));
      return cpp_type(e.type) + "{" + joined(items) + "}";
    }
    case K::unary: {
      const Expr& a = *e.args[0];
      const std::string inner = atomic(a) ? render(a) : "(" + render(a) + ")";
      if (e.text == "not") return "!" + inner;
      if (e.type.base == Base::tensor) return builder("Neg") + "(op, {" + operand(a) + "})";
      if (runtime_number(e.type)) return "neg(op, " + render(a) + ")";
      return "-" + inner;
    }
    case K::binary: return binary(e);
    case K::conditional: {
      if (e.type.base == Base::operand) return operand(e);
      const auto side = [&](const Expr& x) {
        if (e.type.base == Base::string) return "std::string(" + render(x) + ")";
        return render_as(x, e.type);
      };
      const Expr& c = *e.args[1];
      return "(" + (c.kind == K::conditional ? "(" + render(c) + ")" : render(c)) + " ? " + side(*e.args[0]) + " : " +
             side(*e.args[2]) + ")";
    }
    case K::call: return call(e);
    case K::index: {
      const Expr& list = *e.args[0];
      const std::string index = render_as(*e.args[1], one(Base::integer));
      if (list.type.base == Base::dim) return "item(op, " + render(list) + ", " + index + ", " + what(list) + ")";
      return "at(" + render(list) + ", " + index + ")";
    }
    case K::slice: {
      const std::string from = e.args[1] ? render_as(*e.args[1], one(Base::integer)) : "0";
      const std::string to = e.args[2] ? render_as(*e.args[2], one(Base::integer)) : "to_end";
      return std::string("slice(") + (e.args[0]->type.base == Base::dim ? "op, " : "") + render(*e.args[0]) + ", " +
             from + ", " + to + ")";
    }
    case K::comprehension: {
      std::string prologue;
      const std::string head = for_head(e.vars, *e.args[1], &prologue);
      std::string body = (e.type.base == Base::dim ? "list.items.push_back(" : "list.push_back(") +
                         render_as(*e.args[0], one(e.type.base)) + ");";
      if (e.args[2]) body = "if (" + render(*e.args[2]) + ") " + body;
      return "[&] { " + cpp_type(e.type) + " list; " + head + " { " + prologue + body + " } return list; }()";
    }
  }
  return "";
}

std::string CppExpressions::source_of(const Expr& e) const {
  return e.type.base == Base::dim ? "items(op, " + render(e) + ", " + what(e) + ")" : render(e);
}

std::string CppExpressions::for_head(const std::vector<std::string>& vars, const Expr& source,
                                     std::string* prologue) const {
  const auto declared = [&](size_t i) { return "[[maybe_unused]] const auto " + identifier(vars[i]); };
  if (source.kind == K::call && source.text == "enumerate") {
    *prologue =
        "[[maybe_unused]] const int64_t " + identifier(vars[0]) + " = entry.index; " + declared(1) + " = entry.value; ";
    return "for (const auto& entry : enumerate(" + source_of(*source.args[0]) + "))";
  }
  if (source.kind == K::call && source.text == "zip") {
    std::vector<std::string> lists;
    for (size_t i = 0; i < source.args.size(); ++i) {
      const std::string part = source.args.size() > 2 ? "std::get<" + std::to_string(i) + ">(entry)"
                               : i == 0               ? "pair.first"
                                                      : "pair.second";
      *prologue += declared(i) + " = " + part + "; ";
      lists.push_back(source_of(*source.args[i]));
    }
    return std::string("for (const auto& ") + (lists.size() > 2 ? "entry" : "pair") + " : zip(" + joined(lists) + "))";
  }
  return "for (" + declared(0) + " : " + source_of(source) + ")";
}

std::string CppExpressions::binary(const Expr& e) const {
  const Expr& a = *e.args[0];
  const Expr& b = *e.args[1];
  const std::string& o = e.text;
  const auto paren = [](const Expr& x, const std::string& text) {
    return atomic(x) || enclosed(text) ? text : "(" + text + ")";
  };
  if (o == "and" || o == "or") {
    const auto side = [&](const Expr& x) {
      const bool same = x.kind == K::binary && x.text == o;
      const bool compare = x.kind == K::binary && x.text != "and" && x.text != "or";
      return same || compare ? render(x) : paren(x, render(x));
    };
    return side(a) + (o == "and" ? " && " : " || ") + side(b);
  }
  if (o == "in" || o == "not_in") {
    const Type element = unify(a.type, one(b.type.base));
    const Type plain = one(element.base == Base::dim ? Base::integer : element.base);
    return std::string(o == "in" ? "" : "!") + "contains(" + render_as(b, {plain.base, true, false, false}) + ", " +
           render_as(a, plain) + ")";
  }
  if (o == "==" || o == "!=" || o == "<" || o == "<=" || o == ">" || o == ">=") {
    Type both = unify(a.type, b.type);
    if (both.base == Base::dim) both.base = Base::integer;
    if (both.base == Base::scalar) both.base = Base::floating;
    const bool literals = a.kind == K::string && b.kind == K::string;
    return paren(a, literals ? "std::string(" + render(a) + ")" : render_as(a, both)) + " " + o + " " +
           paren(b, render_as(b, both));
  }
  if (e.type.base == Base::tensor && !e.type.list) {
    return builder(operator_node(o)) + "(op, {" + operand(a) + ", " + operand(b) + "})";
  }
  if (e.type.list) {
    if (o == "*") return "repeat(" + render(a) + ", " + render_as(b, one(Base::integer)) + ")";
    return std::string("concat(") + (e.type.base == Base::dim ? "op, " : "") + render_as(a, e.type) + ", " +
           render_as(b, e.type) + ")";
  }
  if (e.type.base == Base::string) return "std::string(" + render(a) + ") + " + render(b);
  if (runtime_number(e.type)) {
    static const std::map<std::string, std::string> names{{"+", "add"}, {"-", "sub"},       {"*", "mul"},
                                                          {"/", "div"}, {"//", "floordiv"}, {"%", "mod"}};
    const auto it = names.find(o);
    return (it == names.end() ? "unsupported" : it->second) + "(op, " + render_as(a, e.type) + ", " +
           render_as(b, e.type) + ")";
  }
  if (o == "//") return "floordiv(" + render(a) + ", " + render(b) + ")";
  if (o == "%") return "mod(" + render(a) + ", " + render(b) + ")";
  if (o == "**") {
    if (e.type.base == Base::integer) return "ipow(" + render(a) + ", " + render(b) + ")";
    return "std::pow(" + render_as(a, e.type) + ", " + render_as(b, e.type) + ")";
  }
  return paren(a, render_as(a, e.type)) + " " + o + " " + paren(b, render_as(b, e.type));
}

std::string CppExpressions::call(const Expr& e) const {
  if (std::isupper(static_cast<unsigned char>(e.text[0])) != 0) return onnx_call(e, 1);
  if (functions_.count(e.text) == 0) return builtin(e);
  const CheckedFunction* f = heads != nullptr ? heads->at(e.text) : nullptr;
  std::vector<std::string> args{"op"};
  for (size_t i = 0; i < e.args.size(); ++i)
    args.push_back(f != nullptr && i < f->head.parameters.size() ? render_as(*e.args[i], f->head.parameters[i].type)
                                                                 : render(*e.args[i]));
  called_functions.insert(e.text);
  const std::string text = "lib::" + e.text + "(" + joined(args) + ")";
  return f != nullptr && f->head.results.size() > 1 ? "std::get<0>(" + text + ")" : text;
}

std::string CppExpressions::render_results(const Expr& e, size_t results) const {
  if (is_function(e)) {
    const std::string text = call(e);
    constexpr const char* prefix = "std::get<0>(";
    return text.rfind(prefix, 0) == 0 ? text.substr(12, text.size() - 13) : text;
  }
  return onnx_call(e, results);
}

std::string CppExpressions::onnx_call(const Expr& e, size_t results) const {
  const OnnxGroup* group = onnx_.find(e.text, e.version);
  std::vector<std::string> attrs;
  std::string count;
  for (const Keyword& k : e.keywords) {
    if (k.name == "results") {
      count = render_as(*k.value, one(Base::integer));
      continue;
    }
    const OnnxAttr& attr = group->newest().attrs.at(k.name);
    const Base given = k.value->type.base;
    const bool as_given = attr.type == OnnxAttr::Type::integer && (given == Base::boolean || given == Base::dtype);
    std::string value = render_as(*k.value, as_given ? k.value->type : attr.value_type());
    // An attribute that is a tensor holds the constant itself, not a tensor of the graph.
    constexpr std::string_view tensor_of = "constant(op, ";
    if (attr.type == OnnxAttr::Type::tensor && value.rfind(tensor_of, 0) == 0)
      value = "constant_data(" + value.substr(tensor_of.size());
    attrs.push_back("{" + string_literal(k.name) + ", " + value + "}");
  }
  const bool many = group->newest().outputs.size() > 1 || group->newest().outputs.back().variadic;
  std::string text = builder(group->builder) + "(op, " + operands(e.args);
  if (!attrs.empty() || many) text += ", {" + joined(attrs) + "}";
  if (!many) return text + ")";
  if (count.empty()) count = std::to_string(results);
  text += ", " + count + ")";
  return results == 1 && !e.type.list ? text + "[0]" : text;
}

std::string CppExpressions::builtin(const Expr& e) const {
  const std::string& n = e.text;
  const auto arg = [&](size_t i) { return render(*e.args[i]); };
  const auto as = [&](size_t i, Base base) { return render_as(*e.args[i], one(base)); };
  if (n == "used") return "op.used(" + string_literal(e.args[0]->text) + ")";
  if (n == "count") return "op.output_count(" + string_literal(e.args[0]->text) + ")";
  if (n == "lod_level") return "op.lod_level(" + string_literal(e.args[0]->text) + ")";
  if (n == "lod") return "lod_of(op, " + string_literal(e.args[0]->text) + ")";
  if (n == "lengths") {
    const std::string level = e.args.size() > 1 ? as(1, Base::integer) : "-1";
    const std::string call = "(op, " + string_literal(e.args[0]->text) + ", " + level + ")";
    return (e.args[0]->type.list ? "all_lengths" : "lengths_of") + call;
  }
  if (n == "is_complex") {
    const std::string slot = string_literal(e.args[0]->text);
    return "contains(std::vector{Dtype::complex64, Dtype::complex128}, op.declared_dtype(" + slot + "))";
  }
  if (n == "declared_dtype") return "op.declared_dtype(" + string_literal(e.args[0]->text) + ")";
  if (n == "has") {
    const Expr& slot = *e.args[0];
    if (slot.subject == NameKind::param) {
      const ParamFact& p = params.at(slot.text);
      return "op.has_param({" + string_literal(p.list_slot) + ", " + string_literal(p.tensor_slot) + ", " +
             string_literal(slot.text) + "})";
    }
    if (slot.subject == NameKind::attr) return "op.has_attr(" + string_literal(slot.text) + ")";
    if (slot.type.list) return "!" + identifier(slot.text) + ".empty()";
    return "bool(" + identifier(slot.text) + ")";
  }
  if (n == "approximation") return "op.approximation_allowed(" + arg(0) + ")";
  if (n == "rank" || n == "shape" || n == "dtype" || n == "dtype_before_cast" || n == "projection" || n == "is_const" || n == "rank_known" ||
      n == "is_sequence")
    return "op." + n + "(" + as(0, Base::tensor) + ")";
  if (n == "ints" || n == "floats") return "op.const_" + n + "(" + as(0, Base::tensor) + ")";
  if (n == "dim") return "op.dim(" + as(0, Base::tensor) + ", " + as(1, Base::integer) + ")";
  if (n == "dim_of" || n == "dims_of") return n + "(op, " + as(0, Base::tensor) + ")";
  if (n == "tensor")
    return "op.tensor(" + as(0, Base::operand) + (e.args.size() > 1 ? ", " + as(1, Base::dtype) : "") + ")";
  if (n == "constant") {
    std::string shape;
    const Expr& data = *e.args[0];
    if (e.args.size() > 2) shape = ", " + render_as(*e.args[2], list_of(Base::integer));
    return "constant(op, " + (data.type.list ? render(data) : render_as(data, one(data.type.base))) + ", " +
           as(1, Base::dtype) + shape + ")";
  }
  if (n == "known")
    return e.args[0]->type.list ? "is_known(" + arg(0) + ")"
                                : (atomic(*e.args[0]) ? arg(0) : "(" + arg(0) + ")") + ".known()";
  if (n == "len")
    return e.args[0]->type.base == Base::dim ? "length(op, " + arg(0) + ", " + what(*e.args[0]) + ")"
                                             : "length(" + arg(0) + ")";
  if (n == "min" || n == "max") {
    if (e.args.size() == 1 && e.args[0]->type.list) {
      if (e.type.base == Base::dim) return n + "_of(op, " + arg(0) + ")";
      return n + "_of(" + arg(0) + ")";
    }
    std::string out = render_as(*e.args[0], e.type);
    for (size_t i = 1; i < e.args.size(); ++i) {
      const std::string next = render_as(*e.args[i], e.type);
      out = e.type.base == Base::dim ? n + "(op, " + out + ", " + next + ")"
                                     : "std::" + n + "<" + cpp_type(e.type) + ">(" + out + ", " + next + ")";
    }
    return out;
  }
  if (n == "floor" || n == "ceil" || n == "int") {
    const std::string name = n == "int" ? "truncate" : n;
    if (e.args[0]->type.base == Base::integer) return arg(0);
    if (e.args[0]->type.base == Base::boolean) return "int64_t{" + arg(0) + "}";
    if (e.args[0]->type.base == Base::dim) return arg(0);
    if (e.args[0]->type.base == Base::scalar) return name + "(op, " + arg(0) + ")";
    return "static_cast<int64_t>(std::" + std::string(n == "int" ? "trunc" : n) + "(" + arg(0) + "))";
  }
  if (n == "float") return render_as(*e.args[0], e.type);
  if (n == "number") return "number(op, " + arg(0) + ")";
  if (n == "codes") return "[](const std::string& text) { return Ints(text.begin(), text.end()); }(" + arg(0) + ")";
  if (n == "round") return "static_cast<int64_t>(std::round(" + as(0, Base::floating) + "))";
  if (n == "abs") return "std::abs(" + arg(0) + ")";
  if (n == "sqrt" || n == "exp" || n == "log" || n == "sin" || n == "cos")
    return "std::" + n + "(" + as(0, Base::floating) + ")";
  if (n == "product") return e.type.base == Base::dim ? "product(op, " + arg(0) + ")" : "product_of(" + arg(0) + ")";
  if (n == "sum") return "sum_of(" + render_as(*e.args[0], list_of(e.type.base)) + ")";
  if (n == "reversed" || n == "sorted") return n + "(" + arg(0) + ")";
  if (n == "index")
    return "index_of(" + render_as(*e.args[0], list_of(Base::integer)) + ", " + as(1, Base::integer) + ")";
  if (n == "range") {
    std::vector<std::string> args;
    if (e.args.size() == 1) args.push_back("0");
    for (const ExprPtr& a : e.args) args.push_back(render_as(*a, one(Base::integer)));
    return "range(" + joined(args) + ")";
  }
  if (n == "all" || n == "any") return n + "_of(" + arg(0) + ")";
  if (n == "is_float" || n == "is_int" || n == "lowest" || n == "highest") return n + "(" + arg(0) + ")";
  return n;
}

}  // namespace opgen
