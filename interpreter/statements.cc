#include <algorithm>

#include "interpreter/codes.h"
#include "interpreter/run.h"

namespace fluid2onnx::interpreter {

using S = opgen::lowered::Statement::Kind;

std::vector<Any> Run::routine(const opgen::lowered::Routine& routine, std::vector<Any> arguments) {
  for (size_t i = 0; i < routine.parameters.size(); ++i) set(routine.parameters[i], std::move(arguments[i]));
  try {
    execute(routine.body);
  } catch (...) {
    note_line(routine);
    throw;
  }
  for (size_t i = 0; i < results_.size(); ++i) results_[i] = as(kind_of(routine.results[i]), std::move(results_[i]));
  return std::move(results_);
}

void Run::note_line(const opgen::lowered::Routine& routine) {
  if (line_ == 0 && !lines_.empty()) return;  // a row of a table, of what rows share
  const std::string line = routine.spec + ":" + std::to_string(line_ != 0 ? line_ : routine.line);
  lines_ = lines_.empty() ? line : line + ", " + lines_;
}

bool Run::execute(const Block& block) {
  return std::any_of(block.begin(), block.end(), [this](const Statement& s) { return execute(s); });
}

bool Run::execute(const Statement& s) {
  if (s.line != 0) line_ = s.line;
  switch (s.kind) {
    case S::note: return false;
    case S::declare: set(s.variables[0], nothing(kind_of(s.variables[0]->type))); return false;
    case S::define:
    case S::assign: set(s.variables[0], evaluate(*s.value)); return false;
    case S::unpack: unpack(s); return false;
    case S::output:
      if (s.value->type.list) op_.set_outputs(s.text, get<Values>(*s.value));
      else op_.set_output(s.text, get<Operand>(*s.value));
      return false;
    case S::give: results_ = in_order(s.values); return true;
    case S::done: return true;
    case S::refuse: refuse(s); return true;
    case S::need_opset: need_opset(op_, s.number); return false;
    case S::run: evaluate(*s.value); return false;
    case S::if_: return execute(get<bool>(*s.value) ? s.body : s.otherwise);
    case S::for_: return repeat(s);
    case S::loop: loop(s); return false;
    case S::branch: branch(s); return false;
  }
  return false;
}

void Run::set(const VariablePtr& variable, Any value) {
  if (variable) variables_[variable.get()] = as(kind_of(variable->type), std::move(value));
}

void Run::unpack(const Statement& s) {
  std::vector<Any> results = call(*s.value);
  for (size_t i = 0; i < s.variables.size(); ++i) set(s.variables[i], std::move(results[i]));
}

void Run::refuse(const Statement& s) {
  std::string message;
  for (const ExprPtr& part : s.values) message += get<std::string>(*part);
  op_.refuse(find_code(s.text).value_or(E_REQUIRE), message);
}

bool Run::repeat(const Statement& s) {
  bool left = false;
  for_each(s.variables, backwards(s.values), [&] {
    left = execute(s.body);
    return !left;
  });
  return left;
}

void Run::loop(const Statement& s) {
  const Values first = values(s.values[2]->args);
  const auto again = get<Operand>(*s.values[1]);
  const auto times = get<Operand>(*s.values[0]);
  set(s.variables[0], op_.loop(times, again, first, [&](Value number, const Values& state) {
    set(s.iteration.number, number);
    for (size_t i = 0; i < s.iteration.state.size(); ++i) set(s.iteration.state[i], state[i]);
    execute(s.body);
    LoopIteration iteration;
    iteration.cond = get<Operand>(*s.iteration.cond);
    iteration.carried = values(s.iteration.carried);
    iteration.scan_outputs = values(s.iteration.scan_outputs);
    return iteration;
  }));
}

void Run::branch(const Statement& s) {
  const auto side = [this](const Block& body, const Iteration& gives) {
    return [this, &body, &gives] {
      execute(body);
      return values(gives.carried);
    };
  };
  const auto condition = get<Operand>(*s.value);
  set(s.variables[0], op_.if_else(condition, side(s.body, s.iteration), side(s.otherwise, s.other)));
}

}  // namespace fluid2onnx::interpreter
