#include "generator/check/callers.h"

#include <map>
#include <tuple>

namespace opgen {
namespace {

/// The places that call each function; the rows of a template share theirs.
class Calls {
 public:
  explicit Calls(const CheckedProgram& program) {
    for (const auto* ops : {&program.ops, &program.onnx})
      for (const CheckedOp& op : *ops) {
        if (program.is_derived(op)) continue;
        recipe(op);
        for (const CheckedLod& lod : op.lod) add(lod.value);
      }
    for (const CheckedFunction& f : program.functions) recipe(f);
    for (const CheckedRequirement& r : program.requirements) add(r.body);
  }

  /// The only call of a function; nullptr if it has none or several.
  const Span* only(const std::string& function) const {
    const auto found = places_.find(function);
    return found != places_.end() && found->second.size() == 1 ? &found->second.begin()->second : nullptr;
  }

 private:
  template <typename Recipe>
  void recipe(const Recipe& r) {
    for (const CheckedBinding& b : r.let) add(b.value);
    for (const CheckedRequire& require : r.require) add(require);
    for (const CheckedVariant& v : r.variants) {
      add(v.when);
      for (const CheckedBinding& b : v.let) add(b.value);
      for (const CheckedRequire& require : v.require) add(require);
      add(v.nodes);
    }
  }
  void add(const CheckedRequire& r) {
    add(r.that);
    for (const ExprPtr& hole : r.holes) add(hole);
  }
  void add(const std::vector<CheckedStatement>& list) {
    for (const CheckedStatement& s : list) {
      for (const ExprPtr& e : {s.expr, s.trips, s.cond}) add(e);
      add(s.require);
      add(s.body);
      add(s.otherwise);
    }
  }
  void add(const ExprPtr& e) {
    if (!e) return;
    const Span& at = e->span;
    if (e->kind == Expr::Kind::call)
      places_[e->text].emplace(Place{at.file ? at.file->path : "", at.line, at.column}, at);
    for (const ExprPtr& a : e->args) add(a);
    for (const Keyword& k : e->keywords) add(k.value);
  }

  using Place = std::tuple<std::string, int, int>;
  std::map<std::string, std::map<Place, Span>> places_;
};

}  // namespace

std::vector<SingleCall> single_calls(const CheckedProgram& program) {
  const Calls calls(program);
  std::vector<SingleCall> list;
  for (const CheckedFunction& f : program.functions) {
    const bool straight = f.variants.size() == 1 && !f.variants[0].when && f.require.empty();
    const Span* const call = straight ? calls.only(f.head.name) : nullptr;
    if (call != nullptr) list.push_back({&f, *call});
  }
  return list;
}

}  // namespace opgen
