// Custom operators: compares the spec's signature with the operator in the model.
#pragma once

#include <string>

#include "runtime/convert/added_converters.h"
#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Throws E_USAGE where the spec would pass over something that the operator has, or would read something that it
/// lacks. `read_later`: the operator's results that matter.
void check_signature(const Op& op, const AddedConverter& added, const SortedNames& read_later);

/// Gives the operators whose operands and results Paddle 3 saved without names those of their specs, in order.
void take_names(const AddedConverters& specs, Program* program);

/// What to do where the signature is at fault: it shows the operator, "my_op(X, Y) -> Out {alpha=0.5}".
std::string signature_hint(const Op& op, const OwnSignature& signature);

}  // namespace fluid2onnx
