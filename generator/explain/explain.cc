#include "generator/explain/explain.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "generator/check/builtins.h"
#include "generator/check/onnx_fact.h"
#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

using Kind = Statement::Kind;

class Explainer {
 public:
  Explainer(const CheckedProgram& program, const OnnxModel& onnx, const KernelFacts& kernels, int opset)
      : onnx_(onnx), kernels_(kernels), opset_(opset) {
    for (const CheckedFunction& f : program.functions) functions_[f.head.name] = &f;
  }

  std::string op(const CheckedOp& o) {
    const std::string where = o.spec->onnx ? " of ONNX, in Paddle" : " at opset " + std::to_string(opset_);
    text_ = o.spec->op.text + where + ": " + o.spec->doc.text + " (" + o.spec->file + ")\n";
    if (!o.spec->native.text.empty())
      return text_ + "  C++ function '" + o.spec->native.text + "': " + o.spec->why.text + "\n";
    for (const CheckedParam& p : o.params) {
      std::string sources = "attribute";
      if (!p.sources.tensor_slot.empty()) sources += ", or tensor " + p.sources.tensor_slot;
      if (!p.sources.list_slot.empty()) sources += ", or list of tensors " + p.sources.list_slot;
      line(1, p.name + ": " + sources);
    }
    if (!o.spec->layout.text.empty())
      line(1,
           "channels last by " + o.spec->layout.text + ": Transpose around " + joined(names_of(o.spec->layout_names)));
    head(o.let, o.require, 1);
    variants(o.variants, 1);
    while (!pending_.empty()) {
      const CheckedFunction* f = pending_.front();
      pending_.erase(pending_.begin());
      if (!f->ok) {
        text_ += "\n" + f->head.name + " has errors (" + f->spec->file + ")\n";
        continue;
      }
      text_ += "\n" + f->head.name + ": " + f->spec->doc.text + " (" + f->spec->file + ")\n";
      head(f->let, f->require, 1);
      variants(f->variants, 1);
    }
    if (!notes_.empty()) {
      text_ += "\nat opset " + std::to_string(opset_) + ":\n";
      for (const std::string& n : notes_) line(1, n);
    }
    return text_;
  }

 private:
  void line(int indent, const std::string& what) {
    text_ += std::string(static_cast<size_t>(indent) * 2, ' ') + what + "\n";
  }

  void head(const std::vector<CheckedBinding>& let, const std::vector<CheckedRequire>& require, int indent) {
    for (const CheckedBinding& b : let) line(indent, "let " + b.name + " = " + to_string(*b.value));
    for (const CheckedRequire& r : require) requirement(r, indent);
  }

  void requirement(const CheckedRequire& r, int indent) {
    if (truth(*r.that) == true) return;
    line(indent, "require " + to_string(*r.that) + ", else refused: " + r.message);
  }

  /// What a row of a table decides: comparisons of its texts.
  static std::optional<bool> truth(const Expr& e) {
    using K = Expr::Kind;
    if (e.kind == K::boolean) return e.text == "true";
    if (e.kind == K::unary && e.text == "not") {
      const std::optional<bool> inside = truth(*e.args[0]);
      return inside ? std::optional(!*inside) : std::nullopt;
    }
    if (e.kind != K::binary) return std::nullopt;
    const Expr& a = *e.args[0];
    const Expr& b = *e.args[1];
    if (e.text == "and" || e.text == "or") {
      const std::optional<bool> sides[2] = {truth(a), truth(b)};
      const bool decisive = e.text == "or";
      if (sides[0] == decisive || sides[1] == decisive) return decisive;
      return sides[0] && sides[1] ? std::optional(!decisive) : std::nullopt;
    }
    if ((e.text == "==" || e.text == "!=") && a.kind == K::string && b.kind == K::string)
      return (a.text == b.text) == (e.text == "==");
    return std::nullopt;
  }

  void variants(const std::vector<CheckedVariant>& list, int indent) {
    int number = 0;
    bool closed = false;
    for (const CheckedVariant& v : list) {
      ++number;
      if (closed) break;
      const std::string name =
          list.size() > 1 ? "variant " + std::to_string(number) + " of " + std::to_string(list.size()) : "nodes";
      const std::optional<bool> always = v.when ? truth(*v.when) : std::optional(true);
      if (always == false) continue;
      std::string when;
      if (v.when && always != true) when = ", when " + to_string(*v.when);
      else if (number > 1) when = ", otherwise";
      if (opset_ < v.range.first || opset_ > v.range.last) {
        line(indent,
             name + when + ": only at opset " + std::to_string(v.range.first) +
                 (v.range.last == v.range.first   ? ""
                  : v.range.last < newest_opset() ? " to " + std::to_string(v.range.last)
                                                  : " and later") +
                 (opset_ > v.range.last || v.range.why_first.empty() ? "" : ", because of " + v.range.why_first));
        continue;
      }
      line(indent, name + when + ":");
      head(v.let, v.require, indent + 1);
      statements(v.nodes, indent + 1);
      closed = always == true;
    }
    if (!closed && !list.empty()) line(indent, "else refused");
  }

  void choice(const CheckedStatement& s, int indent, const char* word) {
    if (const std::optional<bool> known = truth(*s.expr)) {
      statements(*known ? s.body : s.otherwise, indent);
      return;
    }
    line(indent, word + to_string(*s.expr) + ":");
    statements(s.body, indent + 1);
    const bool chain = s.otherwise.size() == 1 && s.otherwise[0].kind == Kind::if_ && !truth(*s.otherwise[0].expr);
    if (chain) return choice(s.otherwise[0], indent, "elif ");
    if (!s.otherwise.empty()) line(indent, "else:");
    statements(s.otherwise, indent + 1);
  }

  void statements(const std::vector<CheckedStatement>& list, int indent) {
    for (const CheckedStatement& s : list) {
      const std::string targets = joined(names_of(s.targets));
      const std::string what = s.expr ? to_string(*s.expr) : "";
      switch (s.kind) {
        case Kind::assign: line(indent, targets + " = " + what); break;
        case Kind::require: requirement(s.require, indent); break;
        case Kind::if_: choice(s, indent, "if "); break;
        case Kind::for_:
          line(indent, "for " + targets + " in " + what + ":");
          statements(s.body, indent + 1);
          break;
        case Kind::loop:
          line(indent, targets + " = Loop" + (s.trips ? ", " + to_string(*s.trips) + " times" : "") +
                           (s.cond ? ", while " + to_string(*s.cond) : "") + ":");
          statements(s.body, indent + 1);
          break;
        case Kind::lod: line(indent, "lod of " + s.slot + " = " + what); break;
        case Kind::branch:
          line(indent, targets + " = If(" + what + "):");
          statements(s.body, indent + 1);
          line(indent, "else:");
          statements(s.otherwise, indent + 1);
          break;
      }
    }
  }

  // -- expressions as they are at this opset --------------------------------------------------------------
  /// The nodes of `e`: operators of tensors by name, operands that were attributes once as attributes.
  std::string to_string(const Expr& e) {
    const auto list = [&] { return joined(e.args, [&](const ExprPtr& a) { return to_string(*a); }); };
    switch (e.kind) {
      case Expr::Kind::list: return "[" + list() + "]";
      case Expr::Kind::unary:
        if (is_tensor(e)) return "Neg(" + to_string(*e.args[0]) + ")";
        return (e.text == "not" ? "not " : e.text) + inner(*e.args[0]);
      case Expr::Kind::binary:
        if (is_tensor(e)) return std::string(operator_node(e.text)) + "(" + list() + ")";
        return inner(*e.args[0]) + " " + (e.text == "not_in" ? "not in" : e.text) + " " + inner(*e.args[1]);
      case Expr::Kind::conditional:
        if (const std::optional<bool> known = truth(*e.args[1])) return to_string(*e.args[*known ? 0 : 2]);
        return to_string(*e.args[0]) + " if " + to_string(*e.args[1]) + " else " + to_string(*e.args[2]);
      case Expr::Kind::index: return inner(*e.args[0]) + "[" + to_string(*e.args[1]) + "]";
      case Expr::Kind::slice:
        return inner(*e.args[0]) + "[" + (e.args[1] ? to_string(*e.args[1]) : "") + ":" +
               (e.args[2] ? to_string(*e.args[2]) : "") + "]";
      case Expr::Kind::comprehension: {
        const Expr* innermost = &e;
        std::string repetitions;
        for (;; innermost = innermost->args[0].get()) {
          repetitions += " for " + joined(innermost->vars) + " in " + to_string(*innermost->args[1]);
          if (!innermost->nested) break;
        }
        const ExprPtr& filter = innermost->args[2];
        return "[" + to_string(*innermost->args[0]) + repetitions + (filter ? " if " + to_string(*filter) : "") + "]";
      }
      case Expr::Kind::call: {
        if (is_onnx_name(e.text)) return node(e);
        const auto f = functions_.find(e.text);
        if (f != functions_.end() && explained_.insert(e.text).second) pending_.push_back(f->second);
        // Arguments of Paddle's operators and of functions may have names.
        std::string arguments = list();
        for (const Keyword& k : e.keywords) {
          arguments += (arguments.empty() ? "" : ", ") + k.name + "=" + to_string(*k.value);
        }
        return e.text + "(" + arguments + ")";
      }
      case Expr::Kind::string: return "\"" + e.text + "\"";
      case Expr::Kind::name: return e.text;
      case Expr::Kind::integer: return std::to_string(e.integer_value);
      case Expr::Kind::boolean: return e.text;
      default: return e.source;
    }
  }

  static bool is_tensor(const Expr& e) { return e.type.base == Base::tensor && !e.type.list; }
  std::string inner(const Expr& e) {
    const bool compound = e.kind == Expr::Kind::binary || e.kind == Expr::Kind::conditional;
    return compound && !is_tensor(e) ? "(" + to_string(e) + ")" : to_string(e);
  }

  std::string node(const Expr& e) {
    const OnnxGroup* group = onnx_.find(e.text, e.version);
    if (const std::string missing = kernels_.without_kernel(e.text, opset_); !missing.empty()) note(missing);
    std::vector<std::string> operands;
    std::vector<std::pair<std::string, std::string>> attrs;
    for (const ExprPtr& a : e.args) operands.push_back(a->kind == Expr::Kind::omitted ? "_" : to_string(*a));
    for (const Keyword& k : e.keywords) attrs.emplace_back(k.name, to_string(*k.value));
    for (const Adaptation& a : group->adaptations) {
      if (opset_ >= a.since) continue;
      using A = Adaptation::Kind;
      const std::string since = " below opset " + std::to_string(a.since);
      const auto attr = std::find_if(attrs.begin(), attrs.end(), [&](const auto& k) { return k.first == a.name; });
      const bool given = a.index < operands.size() && operands[a.index] != "_";
      switch (a.kind) {
        case A::input_was_attr:
          if (!given) break;
          attrs.emplace_back(a.old_name, operands[a.index]);
          operands[a.index] = "_";
          if (!is_literal(*e.args[a.index]))
            note("'" + a.old_name + "' of " + e.text + " is an attribute" + since +
                 ", so its value must be known while converting");
          break;
        case A::input_required:
          if (given) break;
          while (operands.size() <= a.index) operands.emplace_back("_");
          operands[a.index] = "empty";
          break;
        case A::input_added:
          if (given) note(e.text + " cannot be given '" + a.name + "'" + since);
          break;
        case A::attr_renamed:
          if (attr != attrs.end()) attr->first = a.old_name;
          break;
        case A::attr_added:
          if (attr == attrs.end()) break;
          note(e.text + " has no '" + a.name + "'" + since + ": only " + a.default_value.dump() + " is possible");
          attrs.erase(attr);
          break;
        case A::value_added:
          if (std::any_of(e.keywords.begin(), e.keywords.end(),
                          [&](const Keyword& k) { return k.name == a.name && k.value->kind != Expr::Kind::string; }))
            note("'" + a.name + "' of " + e.text + " cannot be \"" + a.value + "\"" + since);
          break;
      }
    }
    while (!operands.empty() && operands.back() == "_") operands.pop_back();
    for (const auto& [name, value] : attrs) operands.push_back(name + "=" + value);
    return e.text + "(" + joined(operands) + ")";
  }

  static bool is_literal(const Expr& e) {
    if (e.kind == Expr::Kind::list || e.kind == Expr::Kind::unary)
      return std::all_of(e.args.begin(), e.args.end(), [](const ExprPtr& a) { return is_literal(*a); });
    return e.kind == Expr::Kind::integer || e.kind == Expr::Kind::floating;
  }

  void note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }

  const OnnxModel& onnx_;
  const KernelFacts& kernels_;
  int opset_;
  std::map<std::string, const CheckedFunction*> functions_;
  std::vector<const CheckedFunction*> pending_;
  std::set<std::string> explained_;
  std::vector<std::string> notes_;
  std::string text_;
};

}  // namespace

std::string explain(const CheckedProgram& program, const OnnxModel& onnx, const KernelFacts& kernels,
                    const CheckedOp& op, int opset) {
  if (!op.spec->onnx) return Explainer(program, onnx, kernels, opset).op(op);
  // ONNX nodes in recipes of ONNX to Paddle are never written: only their newest form matters.
  const std::string text = Explainer(program, onnx, {}, newest_opset()).op(op);
  const OnnxGroup& group = *find_onnx_group(onnx, op.spec->op.text);
  std::string read = "reads " + group.op + " of opset " + std::to_string(group.versions.front().first) +
                     (group.last < newest_opset() ? " to " + std::to_string(group.last) : " and later");
  for (const Adaptation& a : group.adaptations) {
    if (a.kind != Adaptation::Kind::input_was_attr && a.kind != Adaptation::Kind::attr_renamed) continue;
    const char* was = a.kind == Adaptation::Kind::input_was_attr ? "attribute '" : "called '";
    read += ", below " + std::to_string(a.since) + " with " + a.name + " as " + was + a.old_name + "'";
  }
  if (program.is_derived(op)) read += "; derived from the spec of Paddle's operator, whose recipe is this node";
  return text + "\n" + read + "\n";
}

}  // namespace opgen
