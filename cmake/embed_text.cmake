# Writes a C++ file that defines a text constant.
#   cmake -DINPUT=facts.json -DOUTPUT=facts.cc -DNAME=kFacts -P embed_text.cmake
file(READ ${INPUT} text)
# Compilers limit the length of one literal: adjacent ones are joined.
string(REGEX REPLACE "\n" "\n)f2o\"\n  R\"f2o(" text "${text}")
file(WRITE ${OUTPUT}.tmp
  "// From ${INPUT_NAME}.\n"
  "namespace fluid2onnx {\nextern const char* const ${NAME};\nconst char* const ${NAME} =\n  R\"f2o(${text})f2o\";\n}\n")
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
