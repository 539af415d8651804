# Gives the target ONNX::onnx, exactly the pinned version: another version is
# another schema registry, and so another set of rendered converters.
#
#  1. an installed ONNX of this version (find_package), else
#  2. the library built earlier on this machine, from the cache directory, else
#  3. the C++ source that the pinned wheel carries, fetched by pip and checked
#     against its hash, built now into that cache (about a CPU minute).
#
# Python is needed only for 3, and not there with FLUID2ONNX_ONNX_WHEEL.
# Sets FLUID2ONNX_ONNX_BUNDLED: the file libonnx.a is ours to install.
set(FLUID2ONNX_ONNX_VERSION 1.23.2)

option(FLUID2ONNX_SYSTEM_ONNX "Use an installed ONNX ${FLUID2ONNX_ONNX_VERSION} if there is one" ON)
set(FLUID2ONNX_ONNX_WHEEL "" CACHE FILEPATH
    "An ONNX ${FLUID2ONNX_ONNX_VERSION} wheel at hand, of any platform (else pip fetches one)")

find_package(Protobuf 3.21 REQUIRED) # before ONNX: its targets file names protobuf::libprotobuf
find_package(Threads REQUIRED)

set(FLUID2ONNX_ONNX_BUNDLED "")
if(FLUID2ONNX_SYSTEM_ONNX)
  find_package(ONNX ${FLUID2ONNX_ONNX_VERSION} EXACT CONFIG QUIET)
  if(TARGET ONNX::onnx)
    message(STATUS "ONNX ${ONNX_VERSION}: ${ONNX_DIR}")
    return()
  endif()
endif()

# One fixed file whatever this machine's Python and CPU are. Generated code fits one protobuf release only.
f2o_bundle(onnx VERSION ${FLUID2ONNX_ONNX_VERSION} CONTENT onnx-${FLUID2ONNX_ONNX_VERSION}.dist-info
           FILE FLUID2ONNX_ONNX_WHEEL
           PIP --only-binary=:all: --implementation cp --python-version 3.12 --abi abi3 --platform manylinux_2_28_x86_64
           KEY ${Protobuf_VERSION})
set(FLUID2ONNX_ONNX_BUNDLED ${ONNX_PREFIX}/lib/libonnx.a)

add_library(ONNX::onnx STATIC IMPORTED GLOBAL)
set_target_properties(ONNX::onnx PROPERTIES
  IMPORTED_LOCATION ${FLUID2ONNX_ONNX_BUNDLED}
  INTERFACE_INCLUDE_DIRECTORIES ${ONNX_PREFIX}/include
  INTERFACE_COMPILE_DEFINITIONS "ONNX_NAMESPACE=onnx;ONNX_ML=1;__ONNX_NO_DOC_STRINGS"
  INTERFACE_LINK_LIBRARIES "protobuf::libprotobuf;Threads::Threads")
