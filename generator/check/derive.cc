#include "generator/check/derive.h"

#include <algorithm>

namespace opgen {
namespace {

using K = Expr::Kind;

/// The only statement of a recipe that is one assignment, else null.
const CheckedStatement* only_statement(const CheckedOp& op) {
  if (!op.ok || op.variants.size() != 1 || !op.require.empty() || !op.let.empty()) return nullptr;
  if (!op.spec->native.text.empty() || !op.spec->layout.text.empty() || !op.spec->params.empty()) return nullptr;
  const CheckedVariant& v = op.variants[0];
  if (v.when || !v.let.empty() || !v.require.empty() || v.nodes.size() != 1) return nullptr;
  const CheckedStatement& s = v.nodes[0];
  return s.kind == Statement::Kind::assign && s.targets.size() == 1 && s.expr ? &s : nullptr;
}

class Reversal {
 public:
  Reversal(const CheckedOp& op, const CheckedStatement& s, const OnnxGroup& group) : op_(op), s_(s), group_(group) {}

  /// False when something of one side has no counterpart on the other.
  bool run(OpSpec* out) {
    const Expr& e = *s_.expr;
    const OnnxVersion& newest = group_.newest();
    if (op_.outputs.size() != 1 || newest.outputs.size() != 1 || op_.outputs[0].type.list) return false;
    if (s_.targets[0].name != op_.outputs[0].name || op_.fact.outputs[0].name != op_.outputs[0].name) return false;
    if (e.args.size() != op_.inputs.size() || e.args.size() > newest.inputs.size()) return false;
    std::string call;
    for (size_t i = 0; i < e.args.size(); ++i) {
      const CheckedInput* slot = input(*e.args[i]);
      if (slot == nullptr || slot->type.list != newest.inputs[i].variadic || slot->type.optional) return false;
      out->inputs.push_back(text(newest.inputs[i].name));
      call += (call.empty() ? "" : ", ") + slot->name + "=" + newest.inputs[i].name;
    }
    for (const auto& [name, attr] : newest.attrs) {
      const auto given =
          std::find_if(e.keywords.begin(), e.keywords.end(), [&, n = &name](const Keyword& k) { return k.name == *n; });
      if (given == e.keywords.end()) return false;
      const CheckedAttr* own = attribute(*given->value);
      // A flag is 0 or 1 in ONNX.
      if (own == nullptr || own->type.base == Base::dtype || own->type.list != attr.value_type().list ||
          own->type.base != attr.value_type().base)
        return false;
      out->attrs.push_back(text(name));
      call += ", " + own->fact.name + "=" + name;
    }
    if (e.keywords.size() != op_.attrs.size() || newest.attrs.size() != e.keywords.size()) return false;
    const std::string result = newest.outputs[0].name;
    out->op = text(group_.op);
    out->onnx = true;
    out->span = op_.spec->span;
    out->file = op_.spec->file;
    out->doc = op_.spec->doc;
    out->outputs.push_back(text(result));
    Variant variant;
    variant.span = op_.spec->span;
    Statement statement;
    statement.kind = Statement::Kind::assign;
    statement.text = text(result + " = fluid." + op_.spec->op.text + "(" + call + ")");
    variant.nodes.push_back(std::move(statement));
    out->variants.push_back(std::move(variant));
    return true;
  }

 private:
  Text text(const std::string& s) const { return Text{s, op_.spec->span}; }
  const CheckedInput* input(const Expr& e) const {
    for (const CheckedInput& i : op_.inputs)
      if (e.kind == K::name && e.text == i.name) return &i;
    return nullptr;
  }
  const CheckedAttr* attribute(const Expr& e) const {
    for (const CheckedAttr& a : op_.attrs)
      if (e.kind == K::name && e.text == a.fact.name) return &a;
    return nullptr;
  }

  const CheckedOp& op_;
  const CheckedStatement& s_;
  const OnnxGroup& group_;
};

}  // namespace

std::deque<OpSpec> derive_onnx(const CheckedProgram& program, const Facts& facts, const OnnxModel& onnx,
                               const std::set<std::string>& written) {
  std::deque<OpSpec> derived;
  std::set<std::string> done = written;
  for (const CheckedOp& op : program.ops) {
    const CheckedStatement* s = only_statement(op);
    if (facts.ops.count(op.spec->op.text) == 0) continue;
    if (s == nullptr || s->expr->kind != K::call || s->expr->version != 0) continue;
    const OnnxGroup* group = onnx.find(s->expr->text, 0);
    if (group == nullptr || done.count(group->op) > 0) continue;
    OpSpec spec;
    if (!Reversal(op, *s, *group).run(&spec)) continue;
    done.insert(group->op);
    derived.push_back(std::move(spec));
  }
  return derived;
}

}  // namespace opgen
