#include "interpreter/natives.h"

#include <map>

#include "runtime/convert/natives.h"

namespace fluid2onnx::interpreter {
namespace {

const std::map<std::string, Converter>& table() {
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

}  // namespace

Converter find_native(const std::string& name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::string> native_names() {
  std::vector<std::string> names;
  for (const auto& [name, converter] : table()) names.push_back(name);
  return names;
}

}  // namespace fluid2onnx::interpreter
