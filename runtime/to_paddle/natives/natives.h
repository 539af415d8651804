// Converters of ONNX operators in C++. A spec names each by `native:`, with a `why`.
#pragma once

#include "runtime/convert/op_context.h"

namespace fluid2onnx::natives {

void onnx_if(OpContext& op);
void onnx_loop(OpContext& op);
void onnx_scan(OpContext& op);
void onnx_scan_of_batch(OpContext& op);

void sequence_construct(OpContext& op);
void sequence_empty(OpContext& op);
void sequence_insert(OpContext& op);
void sequence_erase(OpContext& op);
void sequence_at(OpContext& op);
void sequence_length(OpContext& op);
void split_to_sequence(OpContext& op);
void concat_from_sequence(OpContext& op);

}  // namespace fluid2onnx::natives
