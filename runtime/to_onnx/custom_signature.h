// Custom operators: compares the spec's signature with the operator in the model.
#pragma once

#include <string>

#include "runtime/convert/added_converters.h"
#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Throws E_USAGE if the operator has a part that the spec does not declare, or lacks a part that the spec reads.
/// `read_later`: the operator's results that are used.
void check_signature(const Op& op, const AddedConverter& added, const SortedNames& read_later);

/// Paddle 3 saves custom operators without the names of operands and results: takes the names from their specs, in
/// order.
void take_names(const AddedConverters& specs, Program* program);

/// The hint for a wrong signature: it shows the operator, "my_op(X, Y) -> Out {alpha=0.5}".
std::string signature_hint(const Op& op, const CustomSignature& signature);

}  // namespace fluid2onnx
