# Emscripten as Debian packages it: 3.1.6, with LLVM 14. scripts/wasm sets $FLUID2ONNX_HEADERS: a folder with headers of
# this machine that work on every other (nlohmann/json).
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
list(APPEND CMAKE_FIND_ROOT_PATH $ENV{FLUID2ONNX_HEADERS})
set(nlohmann_json_DIR $ENV{FLUID2ONNX_HEADERS}/share/cmake/nlohmann_json CACHE PATH "")
# Exceptions are WebAssembly's own. Emscripten's other ones, by JavaScript, are larger and slower.
set(CMAKE_CXX_FLAGS_INIT -fwasm-exceptions)
