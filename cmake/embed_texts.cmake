# Writes a C++ file with the texts of several files.
#   cmake -DROOT=opspecs "-DFILES=facts/a.json,lib/b.yaml" -DOUTPUT=texts.cc -P embed_texts.cmake
string(REPLACE "," ";" files "${FILES}")
set(rows "")
foreach(file ${files})
  file(READ ${ROOT}/${file} text)
  # Compilers limit the length of one literal: adjacent ones are joined.
  string(REGEX REPLACE "\n" "\n)f2o\"\n  R\"f2o(" text "${text}")
  string(APPEND rows "    {\"${file}\",\n  R\"f2o(${text})f2o\"},\n")
endforeach()
file(WRITE ${OUTPUT}.tmp
  "// From opspecs/.\n"
  "#include \"interpreter/knowledge.h\"\n\n"
  "namespace fluid2onnx::interpreter {\n\n"
  "std::span<const KnownFile> known_files() {\n  static constexpr KnownFile table[] = {\n${rows}  };\n  return table;\n}\n\n"
  "}  // namespace fluid2onnx::interpreter\n")
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
