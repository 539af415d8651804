# With FLUID2ONNX_BUNDLED_PROTOBUF: lets find_package(Protobuf) find a libprotobuf that is compiled for the target, where
# the target's system has none. protoc is the host's; what it generates fits one release of the library.
option(FLUID2ONNX_BUNDLED_PROTOBUF "Compile libprotobuf for the target, instead of finding an installed one" OFF)
set(FLUID2ONNX_PROTOBUF_VERSION 3.21.12)
set(FLUID2ONNX_PROTOBUF_SDIST "" CACHE FILEPATH "The package in cmake/protobuf/requirements.txt, at hand (else pip fetches it)")
set(FLUID2ONNX_PROTOBUF_BUNDLED "")
if(NOT FLUID2ONNX_BUNDLED_PROTOBUF)
  return()
endif()

find_program(Protobuf_PROTOC_EXECUTABLE protoc NO_CMAKE_FIND_ROOT_PATH REQUIRED)
execute_process(COMMAND ${Protobuf_PROTOC_EXECUTABLE} --version OUTPUT_VARIABLE _protoc COMMAND_ERROR_IS_FATAL ANY)
if(NOT _protoc MATCHES "^libprotoc (3\\.)?21\\.")
  string(STRIP "${_protoc}" _protoc)
  message(FATAL_ERROR "FLUID2ONNX_BUNDLED_PROTOBUF needs protoc 3.21 on this machine, not ${_protoc}")
endif()

f2o_bundle(protobuf VERSION ${FLUID2ONNX_PROTOBUF_VERSION} CONTENT grpcio-tools-1.53.2/third_party/protobuf/src
           FILE FLUID2ONNX_PROTOBUF_SDIST)
set(FLUID2ONNX_PROTOBUF_BUNDLED ${PROTOBUF_PREFIX}/lib/libprotobuf.a)
set(Protobuf_INCLUDE_DIR ${PROTOBUF_PREFIX}/include CACHE PATH "" FORCE)
set(Protobuf_LIBRARY ${FLUID2ONNX_PROTOBUF_BUNDLED} CACHE FILEPATH "" FORCE)
