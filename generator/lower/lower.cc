#include "generator/lower/lower.h"

#include "generator/lower/operator.h"
#include "generator/lower/recipes.h"
#include "generator/lower/share.h"

namespace opgen::lowered {

Program lower(const CheckedProgram& program, const OnnxModel& onnx) {
  Program out;
  Library library{onnx, {}, {}};
  for (const CheckedFunction& f : program.functions) library.heads[f.head.name] = &f;
  for (const CheckedFunction& f : program.functions) {
    const RoutinePtr routine = lower_head(f);
    library.routines[f.head.name] = routine;
    lower_function(f, library, routine.get());
    out.functions.push_back(routine);
    if (!f.spec->replaces.text.empty()) out.replacements.push_back({&f, routine});
  }
  for (const CheckedOp& op : program.ops)
    out.converters.push_back({&op, op.spec->native.text.empty() ? lower_operator(op, library) : nullptr});
  for (const CheckedOp& op : program.onnx)
    out.onnx.push_back({&op, op.spec->native.text.empty() ? lower_operator(op, library) : nullptr});
  share_rows(&out);
  for (const std::vector<RoutinePtr>* list : {&out.functions, &out.families})
    for (const RoutinePtr& r : *list) join_texts(*r);
  for (const std::vector<Converter>* list : {&out.converters, &out.onnx})
    for (const Converter& c : *list)
      if (c.routine) join_texts(*c.routine);
  return out;
}

}  // namespace opgen::lowered
