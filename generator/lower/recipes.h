// Bodies of operators and functions in lowered form.
#pragma once

#include <set>

#include "generator/lower/expressions.h"

namespace opgen::lowered {

/// How the results of a recipe leave it.
struct Results {
  bool function = false;
  std::vector<CheckedInput> list;
  std::set<std::string> channels_last;  ///< outputs that follow the layout attribute
  VariablePtr layout;                   ///< is it so in this program?
  const CheckedInput* find(const std::string& name) const {
    for (const CheckedInput& r : list)
      if (r.name == name) return &r;
    return nullptr;
  }
};

class RecipeLowering {
 public:
  /// `row`: the operator, if it is a row of a table: then numbers that the table gives are constants, too.
  RecipeLowering(ExpressionLowering& expressions, const Results& results, std::string row)
      : x_(expressions), results_(results), row_(std::move(row)) {}

  /// An operator or a function: what holds for all its variants, then these.
  template <typename Recipe>
  void recipe(const Recipe& checked) {
    bindings(checked.let);
    for (const CheckedRequire& r : checked.require) require(r);
    variants(checked.variants);
  }

 private:
  void bindings(const std::vector<CheckedBinding>& list);
  void require(const CheckedRequire& r);
  void lod(const CheckedStatement& s);
  void text(const std::string& piece, std::vector<ExprPtr>* parts) const;
  void variants(const std::vector<CheckedVariant>& list);
  ExprPtr condition(const CheckedVariant& v, const std::vector<const CheckedVariant*>& always);
  void variant(const CheckedVariant& v);
  void plan_results(const CheckedVariant& v);
  void leave_results(const CheckedVariant& v);
  void statements(const std::vector<CheckedStatement>& list, const std::vector<std::string>& pending);
  void declare_pending(const CheckedStatement& s, const std::vector<std::string>& pending);
  bool decided(const CheckedStatement& s, std::vector<std::string> pending);
  void statement(const CheckedStatement& s);
  void assign(const CheckedStatement& s);
  void unpack(const CheckedStatement& s);
  void choose(const CheckedStatement& s);
  void repeat(const CheckedStatement& s);
  void loop(const CheckedStatement& s);
  void branch(const CheckedStatement& s);
  void store(const CheckedStatement& s, size_t i, const ExprPtr& value);
  void store_results(const CheckedStatement& s, const VariablePtr& results);
  void leave(const CheckedInput& r, const ExprPtr& value);
  ExprPtr tensor_named(const std::string& name);
  Block inside(const std::vector<CheckedStatement>& list);
  void add(Statement s) { x_.add(std::move(s)); }
  void add(Statement::Kind kind, const VariablePtr& variable, const ExprPtr& value);

  ExpressionLowering& x_;
  const Results& results_;
  std::string row_;
  std::set<std::string> direct_;  ///< results that leave where they are assigned
};

/// Texts beside each other in messages become one.
void join_texts(Routine& routine);

}  // namespace opgen::lowered
