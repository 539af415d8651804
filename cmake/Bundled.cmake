# Third-party libraries that are built once per machine from the source in a Python package, and kept in a cache.
#
#   f2o_bundle(onnx VERSION 1.23.2 CONTENT FOLDER FILE VARIABLE [PIP OPTION...] [KEY VALUE...])
#
# cmake/NAME/ has the recipe: CMakeLists.txt, which reads NAME_SOURCE_DIR (upper case), and requirements.txt, the
# package with its hash. CONTENT is a folder in the package. VARIABLE may name a file at hand, for machines without a
# network. KEY is what the library depends on besides the toolchain. Sets NAME_PREFIX (upper case), a folder with
# lib/libNAME.a and include/. Sanitizer and debug builds link the same library as release builds do.
if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(_user_cache "$ENV{XDG_CACHE_HOME}/fluid2onnx")
elseif(DEFINED ENV{HOME})
  set(_user_cache "$ENV{HOME}/.cache/fluid2onnx")
else()
  set(_user_cache "")
endif()
set(FLUID2ONNX_CACHE_DIR "${_user_cache}" CACHE PATH
    "Where built third-party libraries are kept for other build trees; empty: only in this one")

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

# What makes two builds of a library differ. Our own sanitizer and warning
# flags are not among CMAKE_CXX_FLAGS (see CompilerSettings.cmake).
set(F2O_TOOLCHAIN_KEY "${_standard_library};${CMAKE_CXX_COMPILER_TARGET};${CMAKE_SYSTEM_NAME};\
${CMAKE_SYSTEM_PROCESSOR};${CMAKE_SIZEOF_VOID_P};${CMAKE_CXX_FLAGS}")

# Fetches the package, unless it is at hand, and unpacks it.
function(_f2o_fetch name work)
  set(source "${${arg_FILE}}")
  if(NOT source)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    message(STATUS "${name} ${arg_VERSION}: fetching the source")
    # Of a source distribution, pip runs setup.py to learn its name.
    set(constraints ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}/constraints.txt)
    set(environment "")
    if(EXISTS ${constraints})
      set(environment PIP_CONSTRAINT=${constraints} PIP_BUILD_CONSTRAINT=${constraints})
    endif()
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env ${environment} ${Python3_EXECUTABLE} -m pip download --quiet
              --disable-pip-version-check --no-deps --require-hashes ${arg_PIP} --dest ${work}/package
              -r ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}/requirements.txt
      RESULT_VARIABLE failed)
    if(failed)
      file(STRINGS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}/requirements.txt package REGEX "==")
      string(REGEX REPLACE " .*" "" package "${package}")
      message(FATAL_ERROR "pip could not fetch ${package}, the source of ${name} ${arg_VERSION}.\n"
                          "Offline, give the package's file: -D${arg_FILE}=FILE")
    endif()
    file(GLOB source ${work}/package/*)
  endif()
  file(ARCHIVE_EXTRACT INPUT ${source} DESTINATION ${work}/src)
  if(NOT EXISTS ${work}/src/${arg_CONTENT})
    message(FATAL_ERROR "${source} is not the source of ${name} ${arg_VERSION}: it has no ${arg_CONTENT}")
  endif()
endfunction()

# Builds the library into `prefix`, which appears only when it is complete.
function(_f2o_build name prefix)
  get_filename_component(parent ${prefix} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  # Two build trees configured at once: the second waits, then finds the result.
  file(LOCK ${prefix}.lock GUARD FUNCTION)
  if(EXISTS ${prefix}/lib/lib${name}.a)
    return()
  endif()
  set(work ${prefix}.tmp)
  file(REMOVE_RECURSE ${work} ${prefix})
  file(MAKE_DIRECTORY ${work})
  _f2o_fetch(${name} ${work})

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
  string(TOUPPER ${name} upper)
  message(STATUS "${name} ${arg_VERSION}: building it once for this machine, about a CPU minute, into ${prefix}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name} -B ${work}/build
            -G ${CMAKE_GENERATOR} -D${upper}_SOURCE_DIR=${work}/src
            -DCMAKE_INSTALL_PREFIX=${work}/prefix -Wno-dev --no-warn-unused-cli ${args}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env "NINJA_STATUS=${name} [%f/%t] "
            ${CMAKE_COMMAND} --build ${work}/build --parallel ${jobs}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${work}/build
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${work}/prefix ${prefix})
  file(REMOVE_RECURSE ${work})
endfunction()

function(f2o_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "VERSION;CONTENT;FILE" "PIP;KEY")
  set(key "")
  file(GLOB recipe ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}/*)
  foreach(file IN LISTS recipe)
    file(SHA256 ${file} hash)
    list(APPEND key ${hash})
  endforeach()
  list(APPEND key ${F2O_TOOLCHAIN_KEY} ${arg_KEY})
  string(SHA256 key "${key}")
  string(SUBSTRING ${key} 0 12 key)
  set(folder ${name}-${arg_VERSION}-${key})

  # A cache that cannot be written is no cache.
  set(root "${FLUID2ONNX_CACHE_DIR}")
  if(root AND NOT EXISTS ${root}/${folder}/lib/lib${name}.a)
    execute_process(COMMAND ${CMAKE_COMMAND} -E make_directory ${root}
                    RESULT_VARIABLE failed ERROR_QUIET)
    execute_process(COMMAND ${CMAKE_COMMAND} -E touch ${root}/.writable
                    RESULT_VARIABLE failed2 ERROR_QUIET)
    if(failed OR failed2)
      message(STATUS "${name}: cannot write to ${root}, building it in the build tree instead")
      set(root "")
    endif()
  endif()
  if(NOT root)
    set(root ${CMAKE_BINARY_DIR})
  endif()
  set(prefix ${root}/${folder})
  if(NOT EXISTS ${prefix}/lib/lib${name}.a)
    _f2o_build(${name} ${prefix})
  endif()
  message(STATUS "${name} ${arg_VERSION}: ${prefix}")
  # A cache that was emptied makes the next build configure again, and so refill it.
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${prefix}/lib/lib${name}.a)
  string(TOUPPER ${name} upper)
  set(${upper}_PREFIX ${prefix} PARENT_SCOPE)
endfunction()
