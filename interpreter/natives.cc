#include "interpreter/natives.h"

#include "runtime/convert/natives.h"

namespace fluid2onnx::interpreter {

const std::map<std::string, Converter>& native_converters() {
  static const std::map<std::string, Converter> rows{
      {"conditional_block", natives::conditional_block},
      {"lod_array_length", natives::lod_array_length},
      {"read_from_array", natives::read_from_array},
      {"recurrent", natives::recurrent},
      {"select_input", natives::select_input},
      {"tensor_array_to_tensor", natives::tensor_array_to_tensor},
      {"while_loop", natives::while_loop},
      {"write_to_array", natives::write_to_array},
  };
  return rows;
}

}  // namespace fluid2onnx::interpreter
