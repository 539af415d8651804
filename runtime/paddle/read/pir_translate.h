#pragma once

#include <string>

#include "runtime/paddle/program/pir_program.h"

namespace fluid2onnx {

/// A program of Paddle 3 in Fluid's terms (pir_operators.h), without its parameters' data.
///
/// Each value becomes a variable. A result that overwrites an operand (`relu_`) is the operand's variable, so that both
/// ids mean the new value from there on, as they do in Paddle. Constants become attributes where Fluid has these, lists
/// become slots, and control flow becomes Fluid's: variables of the outer block carry what PIR passes into and out of
/// blocks. An operator that Fluid cannot express is no error; the reason is in Op::refusal. Error E_BAD_PROGRAM, with
/// block and op: values that are not defined, operators of the wrong form.
Program translate_pir(const PirBlock& main, const std::string& model_path);

}  // namespace fluid2onnx
