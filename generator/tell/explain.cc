#include "generator/tell/explain.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace opgen {
namespace {

using Kind = Statement::Kind;

class Explainer {
 public:
  Explainer(const CheckedProgram& program, const OnnxModel& onnx, int opset) : onnx_(onnx), opset_(opset) {
    for (const CheckedFunction& f : program.functions) functions_[f.head.name] = &f;
  }

  std::string op(const CheckedOp& o) {
    text_ =
        o.spec->op.text + " at opset " + std::to_string(opset_) + ": " + o.spec->doc.text + " (" + o.spec->file + ")\n";
    if (!o.spec->native.text.empty())
      return text_ + "  C++ function '" + o.spec->native.text + "': " + o.spec->why.text + "\n";
    for (const CheckedBinding& b : o.let) line(1, "let " + b.name + " = " + b.value->source);
    for (const CheckedRequire& r : o.require) line(1, "require " + r.that->source);
    variants(o.variants, 1);
    while (!pending_.empty()) {
      const CheckedFunction* f = pending_.front();
      pending_.erase(pending_.begin());
      text_ += "\n" + f->head.name + ": " + f->spec->doc.text + " (" + f->spec->file + ")\n";
      for (const CheckedBinding& b : f->let) line(1, "let " + b.name + " = " + b.value->source);
      variants(f->variants, 1);
    }
    if (!notes_.empty()) {
      text_ += "\nat opset " + std::to_string(opset_) + "\n";
      for (const std::string& n : notes_) line(1, n);
    }
    return text_;
  }

 private:
  void line(int indent, const std::string& what) {
    text_ += std::string(static_cast<size_t>(indent) * 2, ' ') + what + "\n";
  }

  void variants(const std::vector<CheckedVariant>& list, int indent) {
    int number = 0;
    bool closed = false;
    for (const CheckedVariant& v : list) {
      ++number;
      if (closed) break;
      const std::string name =
          list.size() > 1 ? "form " + std::to_string(number) + " of " + std::to_string(list.size()) : "nodes";
      const std::string when = v.when ? ", when " + v.when->source : number > 1 ? ", otherwise" : "";
      if (opset_ < v.range.first || opset_ > v.range.last) {
        line(indent, name + when + ": only at opset " + std::to_string(v.range.first) +
                         (v.range.last < 28 ? " to " + std::to_string(v.range.last) : " and later"));
        continue;
      }
      line(indent, name + when + ":");
      for (const CheckedBinding& b : v.let) line(indent + 1, "let " + b.name + " = " + b.value->source);
      statements(v.nodes, indent + 1);
      closed = !v.when;
    }
    if (!closed && !list.empty()) line(indent, "else refused");
  }

  void statements(const std::vector<CheckedStatement>& list, int indent) {
    for (const CheckedStatement& s : list) {
      std::string targets;
      for (const Target& t : s.targets) targets += (targets.empty() ? "" : ", ") + t.name;
      if (s.expr) nodes(*s.expr);
      switch (s.kind) {
        case Kind::assign:
          if (s.expr) line(indent, targets + " = " + s.expr->source);
          break;
        case Kind::require: line(indent, "require " + s.require.that->source); break;
        case Kind::if_:
          line(indent, "if " + s.expr->source);
          statements(s.body, indent + 1);
          if (!s.otherwise.empty()) line(indent, "else");
          statements(s.otherwise, indent + 1);
          break;
        case Kind::for_:
          line(indent, "for " + targets + " in " + s.expr->source);
          statements(s.body, indent + 1);
          break;
        case Kind::loop:
          line(indent, "Loop over " + targets + (s.again ? " while " + s.again->source : ""));
          statements(s.body, indent + 1);
          break;
        case Kind::branch:
          line(indent, "If " + s.expr->source + " gives " + targets);
          statements(s.body, indent + 1);
          line(indent, "else");
          statements(s.otherwise, indent + 1);
          break;
      }
    }
  }

  /// Notes what the nodes of an expression look like at this opset, and the functions it calls.
  void nodes(const Expr& e) {
    for (const ExprPtr& a : e.args)
      if (a) nodes(*a);
    for (const Keyword& k : e.keywords) nodes(*k.value);
    if (e.kind != Expr::Kind::call) return;
    const auto f = functions_.find(e.text);
    if (f != functions_.end()) {
      if (told_.insert(e.text).second) pending_.push_back(f->second);
      return;
    }
    if (std::isupper(static_cast<unsigned char>(e.text[0])) == 0) return;
    const OnnxGroup* group = onnx_.find(e.text, e.version);
    if (group == nullptr || !told_.insert(group->builder).second) return;
    for (const Adaptation& a : group->adaptations) {
      if (opset_ >= a.since) continue;
      using A = Adaptation::Kind;
      const std::string since = " (from " + std::to_string(a.since) + " on)";
      if (a.kind == A::input_was_attr)
        notes_.push_back(e.text + ": '" + a.old_name + "' is an attribute, not an operand" + since);
      if (a.kind == A::input_added) notes_.push_back(e.text + ": operand '" + a.name + "' cannot be given" + since);
      if (a.kind == A::input_required)
        notes_.push_back(e.text + ": operand '" + a.name + "' is an empty tensor when left out");
      if (a.kind == A::attr_added)
        notes_.push_back(e.text + ": attribute '" + a.name + "' only with its default" + since);
      if (a.kind == A::value_added)
        notes_.push_back(e.text + ": " + a.name + " \"" + a.value + "\" cannot be said" + since);
    }
  }

  const OnnxModel& onnx_;
  int opset_;
  std::map<std::string, const CheckedFunction*> functions_;
  std::vector<const CheckedFunction*> pending_;
  std::set<std::string> told_;
  std::vector<std::string> notes_;
  std::string text_;
};

}  // namespace

std::string explain(const CheckedProgram& program, const OnnxModel& onnx, const CheckedOp& op, int opset) {
  return Explainer(program, onnx, opset).op(op);
}

}  // namespace opgen
