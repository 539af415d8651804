// If and while of Paddle 3's IR as Fluid has them.
#include <unordered_set>

#include "runtime/paddle/read/pir_translator.h"

namespace fluid2onnx {
namespace {

constexpr std::string_view kYield = "cf.yield";

PirType scalar_of(Dtype dtype) {
  PirType type;
  type.dtype = dtype;
  type.dims = Shape{};
  return type;
}

}  // namespace

int32_t PirTranslator::open_block() {
  const int32_t outer = block_;
  Block block;
  block.index = static_cast<int32_t>(program_.blocks.size());
  block.parent = outer;
  block_ = block.index;
  program_.blocks.push_back(std::move(block));
  open_.push_back(true);
  return outer;
}

void PirTranslator::close_block(int32_t outer) {
  open_[static_cast<size_t>(block_)] = false;
  block_ = outer;
}

void PirTranslator::check_results(const PirOp& op) const {
  for (const PirValue& result : op.results) {
    if (result.type.is_list) throw bad(op, "the result is a list, expected single values");
  }
}

const PirOp& PirTranslator::terminator(const PirOp& op, size_t region, size_t values) const {
  const PirBlock& block = op.regions[region];
  if (block.ops.empty() || block.ops.back().name != kYield || block.ops.back().operands.size() != values) {
    throw bad(op,
              "region " + std::to_string(region) + " does not end in a yield of " + std::to_string(values) + " values");
  }
  return block.ops.back();
}

std::vector<std::string> PirTranslator::translate_region(const PirOp& op, size_t region, size_t values) {
  const PirOp& yield = terminator(op, region, values);
  const PirOp* const outer = op_;
  for (const PirOp& inner : op.regions[region].ops) {
    if (&inner != &yield) translate(inner);
  }
  op_ = &yield;
  std::vector<std::string> names;
  for (size_t i = 0; i < values; ++i) names.push_back(single(yield, i).variable);
  op_ = outer;
  return names;
}

std::vector<std::string> PirTranslator::branch(const PirOp& op, size_t region, const std::string& condition) {
  std::vector<std::string> results;
  for (const PirValue& result : op.results) {
    const std::string base = "if_" + std::to_string(result.id) + (region == 0 ? ".true" : ".false");
    results.push_back(declare(base, result.type, block_));
  }
  const int32_t outer = open_block();
  const int32_t block = block_;
  const std::vector<std::string> yields = translate_region(op, region, results.size());
  for (size_t i = 0; i < results.size(); ++i) emit_assign(yields[i], results[i]);
  close_block(outer);

  emit(make("conditional_block", {{"Cond", {condition}}}, {{"Out", results}},
            {{"sub_block", BlockRefs{{block}}}, {"is_scalar_condition", true}}));
  return results;
}

/// A block that runs if the condition holds, one that runs if not, and a choice for each result.
void PirTranslator::if_else(const PirOp& op) {
  if (op.regions.size() != 2) throw bad(op, "expected two regions");
  check_results(op);
  const std::string condition = single(op, 0).variable;
  const std::string negated = declare(condition + ".not", scalar_of(Dtype::bool_), block_);
  emit(make("logical_not", {{"X", {condition}}}, {{"Out", {negated}}}));
  const std::string mask = declare(condition + ".mask", scalar_of(Dtype::int32), block_);
  emit(cast(condition, Dtype::int32, mask));
  const std::vector<std::string> then = branch(op, 0, condition);
  const std::vector<std::string> otherwise = branch(op, 1, negated);
  for (size_t i = 0; i < op.results.size(); ++i) {
    const std::string result = declare(op, i).variable;
    emit(make("select_input", {{"X", {otherwise[i], then[i]}}, {"Mask", {mask}}}, {{"Out", {result}}}));
  }
}

/// Of programs that Paddle translated from the older format: the mask comes first.
void PirTranslator::select_input(const PirOp& op) {
  if (op.operands.size() < 2 || op.results.size() != 1) throw bad(op, "expected a mask, operands and one result");
  const std::string mask = single(op, 0).variable;
  std::vector<std::string> choices;
  for (size_t i = 1; i < op.operands.size(); ++i) choices.push_back(single(op, i).variable);
  emit(make("select_input", {{"X", choices}, {"Mask", {mask}}}, {{"Out", {declare(op, 0).variable}}}));
}

/// Loop variables are variables of the outer block, which the body writes at its end. PIR assigns all loop variables at
/// once: variables that are also sources are copied first.
void PirTranslator::while_loop(const PirOp& op) {
  const size_t count = op.results.size();
  if (op.regions.size() != 1 || op.operands.size() != count + 1 || op.regions.front().args.size() != count) {
    throw bad(op, "expected one region with an argument for each of " + std::to_string(count) + " results");
  }
  check_results(op);
  const std::string condition =
      declare("while_" + std::to_string(op.index) + ".condition", scalar_of(Dtype::bool_), block_);
  emit_assign(single(op, 0).variable, condition);
  std::vector<std::string> carried;
  for (size_t i = 0; i < count; ++i) {
    const PirBinding& start = single(op, i + 1);
    if (start.type.kind == VariableKind::tensor_array) {
      // Arrays are written in place.
      carried.push_back(start.variable);
      bind(op, op.results[i].id, PirBinding(start));
    } else {
      const std::string from = start.variable;
      carried.push_back(declare(op, i).variable);
      emit_assign(from, carried.back());
    }
  }

  const int32_t outer = open_block();
  const int32_t body = block_;
  for (size_t i = 0; i < count; ++i) {
    const PirValue& arg = op.regions.front().args[i];
    bind(op, arg.id, {carried[i], arg.type, {}, {}, body});
  }
  std::vector<std::string> next = translate_region(op, 0, count + 1);
  emit_assign(next.front(), condition);
  next.erase(next.begin());
  write_at_once(next, carried);
  close_block(outer);

  carried.push_back(condition);
  emit(make("while", {{"X", {}}, {"Condition", {condition}}}, {{"Out", carried}}, {{"sub_block", BlockRefs{{body}}}}));
}

void PirTranslator::write_at_once(std::vector<std::string> from, const std::vector<std::string>& to) {
  const std::unordered_set<std::string> written(to.begin(), to.end());
  for (size_t i = 0; i < to.size(); ++i) {
    if (from[i] == to[i] || !written.count(from[i])) continue;
    const Variable* variable = program_.find_variable(block_, from[i]);
    PirType type;
    type.dtype = variable->dtype;
    type.dims = variable->dims;
    const std::string kept = declare(from[i] + ".before", type, block_);
    emit_assign(from[i], kept);
    from[i] = kept;
  }
  for (size_t i = 0; i < to.size(); ++i) emit_assign(from[i], to[i]);
}

}  // namespace fluid2onnx
