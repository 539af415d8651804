# Lists the makers of ONNX's operator schemas as C++.
#
#   cmake -DINPUT=.../onnx/defs/operator_sets.h -DOUTPUT=schema_table.cc -P schema_table.cmake
file(STRINGS ${INPUT} lines REGEX "^class ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME\\(Onnx, [0-9]+, [A-Za-z0-9]+\\);")
list(REMOVE_DUPLICATES lines)
set(rows "")
foreach(line ${lines})
  string(REGEX MATCH "\\(Onnx, ([0-9]+), ([A-Za-z0-9]+)\\)" name "${line}")
  string(APPEND rows "      {\"${CMAKE_MATCH_2}\", ${CMAKE_MATCH_1}, "
                     "onnx::GetOpSchema<onnx::ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME${name}>},\n")
endforeach()
if(rows STREQUAL "")
  message(FATAL_ERROR "${INPUT} does not declare its schemas as expected")
endif()
file(WRITE ${OUTPUT} "// From onnx/defs/operator_sets.h, by schema_table.cmake.
#include <onnx/defs/operator_sets.h>

#include \"runtime/onnx/graph/schema_registry.h\"

namespace fluid2onnx {

const std::vector<SchemaMaker>& schema_makers() {
  static const auto* table = new std::vector<SchemaMaker>{
${rows}  };
  return *table;
}

}  // namespace fluid2onnx
")
