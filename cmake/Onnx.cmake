# Gives the target ONNX::onnx, exactly the pinned version: another version is
# another schema registry, and so another set of rendered converters.
#
#  1. an installed ONNX of this version (find_package), else
#  2. the library built earlier on this machine, from the cache directory, else
#  3. the C++ source that the pinned wheel carries, fetched by pip and checked
#     against its hash, built now into that cache (about a CPU minute).
#
# Python is needed only for 3, and not there with FLUID2ONNX_ONNX_WHEEL.
# Sanitizer and debug builds link the same library as release builds do.
# Sets FLUID2ONNX_ONNX_BUNDLED: the file libonnx.a is ours to install.
set(FLUID2ONNX_ONNX_VERSION 1.23.2)

option(FLUID2ONNX_SYSTEM_ONNX "Use an installed ONNX ${FLUID2ONNX_ONNX_VERSION} if there is one" ON)
set(FLUID2ONNX_ONNX_WHEEL "" CACHE FILEPATH
    "An ONNX ${FLUID2ONNX_ONNX_VERSION} wheel at hand, of any platform (else pip fetches one)")

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(_user_cache "$ENV{XDG_CACHE_HOME}/fluid2onnx")
elseif(DEFINED ENV{HOME})
  set(_user_cache "$ENV{HOME}/.cache/fluid2onnx")
else()
  set(_user_cache "")
endif()
set(FLUID2ONNX_CACHE_DIR "${_user_cache}" CACHE PATH
    "Where the built ONNX library is kept for other build trees; empty: only in this one")

# Generated code fits one protobuf release only, so its version is in the key below.
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

# GCC and Clang link each other's code, as long as it is for one standard library and no intermediate language.
file(WRITE ${CMAKE_BINARY_DIR}/standard_library.cc "#include <version>\n_GLIBCXX_RELEASE _LIBCPP_VERSION\n")
separate_arguments(_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
if(CMAKE_CXX_COMPILER_TARGET)
  list(APPEND _flags --target=${CMAKE_CXX_COMPILER_TARGET})
endif()
if(CMAKE_SYSROOT)
  list(APPEND _flags --sysroot=${CMAKE_SYSROOT})
endif()
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${_flags} -E -P ${CMAKE_BINARY_DIR}/standard_library.cc
                OUTPUT_VARIABLE _standard_library ERROR_QUIET)
if(NOT CMAKE_CXX_FLAGS MATCHES "-flto" AND
   _standard_library MATCHES "([0-9]+ _LIBCPP_VERSION|_GLIBCXX_RELEASE [0-9]+)[ \n]*$")
  set(_standard_library ${CMAKE_MATCH_1}) # the other name is the macro that is not defined
else()
  set(_standard_library "${CMAKE_CXX_COMPILER_ID};${CMAKE_CXX_COMPILER_VERSION}")
endif()

# What makes two builds of the library differ. Our own sanitizer and warning
# flags are not among CMAKE_CXX_FLAGS (see CompilerSettings.cmake).
file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/onnx/CMakeLists.txt _recipe)
file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/onnx/no_version_converter.cc _stub)
file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/onnx/requirements.txt _pin)
string(SHA256 _key "${_recipe};${_stub};${_pin};${_standard_library};\
${CMAKE_CXX_COMPILER_TARGET};${CMAKE_SYSTEM_NAME};${CMAKE_SYSTEM_PROCESSOR};${CMAKE_SIZEOF_VOID_P};\
${CMAKE_CXX_FLAGS};${Protobuf_VERSION}")
string(SUBSTRING ${_key} 0 12 _key)
set(_name onnx-${FLUID2ONNX_ONNX_VERSION}-${_key})

# Fetches and unpacks the wheel into `work`.
function(_f2o_onnx_source work)
  set(wheel "${FLUID2ONNX_ONNX_WHEEL}")
  if(NOT wheel)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    message(STATUS "ONNX ${FLUID2ONNX_ONNX_VERSION}: fetching the source")
    # One fixed file whatever this machine's Python and CPU are.
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip download --quiet --disable-pip-version-check
              --no-deps --require-hashes --only-binary=:all: --implementation cp
              --python-version 3.12 --abi abi3 --platform manylinux_2_28_x86_64
              --dest ${work}/wheel -r ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/onnx/requirements.txt
      RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR
        "pip could not fetch ONNX ${FLUID2ONNX_ONNX_VERSION}.\n"
        "Offline, give the wheel's file: -DFLUID2ONNX_ONNX_WHEEL=onnx-${FLUID2ONNX_ONNX_VERSION}-....whl")
    endif()
    file(GLOB wheel ${work}/wheel/onnx-*.whl)
  endif()
  file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${work}/src)
  if(NOT EXISTS ${work}/src/onnx-${FLUID2ONNX_ONNX_VERSION}.dist-info)
    message(FATAL_ERROR "${wheel} is not a wheel of ONNX ${FLUID2ONNX_ONNX_VERSION}")
  endif()
endfunction()

# Builds the library into `prefix`, which appears only when it is complete.
function(_f2o_onnx_build prefix)
  get_filename_component(parent ${prefix} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  # Two build trees configured at once: the second waits, then finds the result.
  file(LOCK ${prefix}.lock GUARD FUNCTION)
  if(EXISTS ${prefix}/lib/libonnx.a)
    return()
  endif()
  set(work ${prefix}.tmp)
  file(REMOVE_RECURSE ${work} ${prefix})
  file(MAKE_DIRECTORY ${work})
  _f2o_onnx_source(${work})

  set(args)
  foreach(var CMAKE_TOOLCHAIN_FILE CMAKE_CXX_COMPILER CMAKE_CXX_COMPILER_TARGET CMAKE_CXX_FLAGS
              CMAKE_CXX_COMPILER_LAUNCHER CMAKE_PREFIX_PATH CMAKE_MAKE_PROGRAM CMAKE_SYSROOT
              Protobuf_INCLUDE_DIR Protobuf_LIBRARY Protobuf_PROTOC_EXECUTABLE)
    if(${var})
      string(REPLACE ";" "\\;" value "${${var}}")
      list(APPEND args "-D${var}=${value}")
    endif()
  endforeach()

  set(jobs $ENV{CMAKE_BUILD_PARALLEL_LEVEL})
  if(NOT jobs)
    cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
  endif()
  message(STATUS "ONNX ${FLUID2ONNX_ONNX_VERSION}: building it once for this machine, "
                 "about a CPU minute, into ${prefix}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/onnx -B ${work}/build
            -G ${CMAKE_GENERATOR} -DONNX_SOURCE_DIR=${work}/src
            -DCMAKE_INSTALL_PREFIX=${work}/prefix -Wno-dev ${args}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env "NINJA_STATUS=ONNX [%f/%t] "
            ${CMAKE_COMMAND} --build ${work}/build --parallel ${jobs}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${work}/build
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${work}/prefix ${prefix})
  file(REMOVE_RECURSE ${work})
endfunction()

# A cache that cannot be written is no cache.
set(_root "${FLUID2ONNX_CACHE_DIR}")
if(_root AND NOT EXISTS ${_root}/${_name}/lib/libonnx.a)
  execute_process(COMMAND ${CMAKE_COMMAND} -E make_directory ${_root}
                  RESULT_VARIABLE _failed ERROR_QUIET)
  execute_process(COMMAND ${CMAKE_COMMAND} -E touch ${_root}/.writable
                  RESULT_VARIABLE _failed2 ERROR_QUIET)
  if(_failed OR _failed2)
    message(STATUS "ONNX: cannot write to ${_root}, building it in the build tree instead")
    set(_root "")
  endif()
endif()
if(_root)
  set(_prefix ${_root}/${_name})
else()
  set(_prefix ${CMAKE_BINARY_DIR}/${_name})
endif()

if(NOT EXISTS ${_prefix}/lib/libonnx.a)
  _f2o_onnx_build(${_prefix})
endif()
message(STATUS "ONNX ${FLUID2ONNX_ONNX_VERSION}: ${_prefix}")
set(FLUID2ONNX_ONNX_BUNDLED ${_prefix}/lib/libonnx.a)
# A cache that was emptied makes the next build configure again, and so refill it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FLUID2ONNX_ONNX_BUNDLED})

add_library(ONNX::onnx STATIC IMPORTED GLOBAL)
set_target_properties(ONNX::onnx PROPERTIES
  IMPORTED_LOCATION ${_prefix}/lib/libonnx.a
  INTERFACE_INCLUDE_DIRECTORIES ${_prefix}/include
  INTERFACE_COMPILE_DEFINITIONS "ONNX_NAMESPACE=onnx;ONNX_ML=1;__ONNX_NO_DOC_STRINGS"
  INTERFACE_LINK_LIBRARIES "protobuf::libprotobuf;Threads::Threads")
