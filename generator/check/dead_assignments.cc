#include "generator/check/dead_assignments.h"

namespace opgen {
namespace {

using Names = std::set<std::string>;

/// Live variable analysis, from the last statement to the first.
class DeadAssignments {
 public:
  explicit DeadAssignments(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The names whose values are read in front of the statements, given those behind them.
  Names before(const std::vector<CheckedStatement>& list, Names live) {
    for (auto s = list.rbegin(); s != list.rend(); ++s) live = before(*s, std::move(live));
    return live;
  }

 private:
  Names before(const CheckedStatement& s, Names live) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::assign: assign(s, live); break;
      case Kind::require:
        for (const ExprPtr& hole : s.require.holes) read(hole, live);
        read(s.require.that, live);
        break;
      case Kind::lod: break;
      case Kind::if_: {
        Names both = before(s.body, live);
        both.merge(before(s.otherwise, live));
        live = std::move(both);
        break;
      }
      case Kind::branch: {
        Names results;
        for (const Target& t : s.targets) results.insert(t.name), live.erase(t.name);
        // A side may read what the other names of the recipe have.
        for (const auto* side : {&s.body, &s.otherwise}) {
          Names inside = before(*side, results);
          live.merge(inside);
        }
        break;
      }
      case Kind::for_: {
        // The next iteration reads what this one assigns.
        Names again = live;
        const bool quiet = quiet_;
        quiet_ = true;
        again.merge(before(s.body, live));
        quiet_ = quiet;
        live.merge(before(s.body, again));
        break;
      }
      case Kind::loop: {
        Names end;
        read(s.cond, end);
        for (const Target& t : s.state) end.insert(t.name);
        for (const Target& t : s.scan_outputs) end.insert(t.name);
        for (const Target& t : s.targets) live.erase(t.name);
        live.merge(before(s.body, end));
        for (const Target& t : s.state) live.insert(t.name);
        read(s.cond, live);
        break;
      }
    }
    read(s.trips, live);
    read(s.expr, live);
    return live;
  }

  void assign(const CheckedStatement& s, Names& live) {
    for (const Target& t : s.targets) {
      if (t.name == "_") continue;
      if (live.count(t.name) == 0 && !quiet_)
        diagnostics_.error("dead-assignment", t.span, "nothing reads this value of '" + t.name + "'",
                           s.targets.size() > 1 ? "write _ in its place" : "leave the statement out");
    }
    for (const Target& t : s.targets) live.erase(t.name);
  }

  /// Also names that a repetition hides: too many live names hide a mistake, too few make one up.
  static void read(const ExprPtr& e, Names& live) {
    if (!e) return;
    for_each_part(*e, [&](const Expr& part) {
      if (part.kind == Expr::Kind::name) live.insert(part.text);
    });
  }

  Diagnostics& diagnostics_;
  bool quiet_ = false;
};

}  // namespace

void check_dead_assignments(const CheckedVariant& variant, const std::vector<CheckedInput>& results,
                            Diagnostics& diagnostics) {
  Names live;
  for (const CheckedInput& r : results) live.insert(r.name);
  DeadAssignments(diagnostics).before(variant.nodes, std::move(live));
}

}  // namespace opgen
