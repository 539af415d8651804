# Settings of our own code. f2o_target(name) applies them; ONNX is built without them.
option(FLUID2ONNX_WERROR "Warnings are errors (the presets switch this on)" OFF)
option(FLUID2ONNX_STATIC "Link programs with static protobuf and C++ runtime libraries" OFF)
option(FLUID2ONNX_UNITY "Compile the files of a folder together, several at a time" ON)
# Builds from generated/ are for those who change nothing: few large groups take the least time in sum, because the
# compiler instantiates a template once for each group. Folders share a group with the folders in them.
set(F2O_UNITY_BYTES 100000)
if(FLUID2ONNX_USE_MIRROR)
  set(F2O_UNITY_BYTES 700000)
endif()
set(FLUID2ONNX_SANITIZE "" CACHE STRING "For -fsanitize=, such as address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug ..." FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# All programs in one known place, whatever folder they are from.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

if(FLUID2ONNX_STATIC)
  set(Protobuf_USE_STATIC_LIBS ON)
endif()

if(EMSCRIPTEN)
  set(CMAKE_CXX_COMPILE_OPTIONS_PIC "") # one module, at fixed addresses
endif()

# Not part of CMAKE_CXX_FLAGS, which ONNX is built with: sanitized code calling a
# plain library is fine as long as both agree on the layout of std:: containers, and
# neither libstdc++ here annotates containers (that takes _GLIBCXX_SANITIZE_VECTOR).
if(FLUID2ONNX_SANITIZE)
  add_compile_options(-fsanitize=${FLUID2ONNX_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FLUID2ONNX_SANITIZE})
endif()

option(FLUID2ONNX_COVERAGE "Count executed lines and branches, with Clang (the preset coverage)" OFF)
if(FLUID2ONNX_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Attacks on a fault of memory get harder. Addresses that are resolved at the start cost nothing that can be measured;
# checks in the code are for what is published.
option(FLUID2ONNX_HARDEN "Check stacks and buffers at run time (published wheels do)" ${FLUID2ONNX_SMALL})
# Emscripten's libraries have no __stack_chk_guard; WebAssembly keeps return addresses out of its memory.
if(FLUID2ONNX_HARDEN AND NOT FLUID2ONNX_SANITIZE AND NOT EMSCRIPTEN)
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()

# f2o_seldom_run(): the folder's code takes a small part of any run. -Og compiles in three quarters of the time of -O1; with
# sanitizers, -O0 in a fifth. Not for what programs link first: the linker keeps the first copy of an inline function that it sees.
macro(f2o_seldom_run)
  if(FLUID2ONNX_SANITIZE)
    add_compile_options(-O0)
  else()
    add_compile_options($<IF:$<BOOL:${FLUID2ONNX_SMALL}>,-Os,$<$<CONFIG:Release>:-Og>>)
  endif()
endmacro()

# f2o_unity(name [file size]...): compiles the sources of a target in groups: files of one folder, some 100 kB of text
# together. The compiler reads a group as one file, so that it parses the headers once. Only sources that exist are
# grouped; generated ones are named, with the size that they will have. scripts/lint compiles each file alone.
function(f2o_unity name)
  if(NOT FLUID2ONNX_UNITY)
    return()
  endif()
  set(files ${ARGN})
  if(NOT files)
    get_target_property(sources ${name} SOURCES)
    get_target_property(folder ${name} SOURCE_DIR)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} OUTPUT_VARIABLE path)
      if(path MATCHES "\\.cc$" AND EXISTS ${path})
        file(SIZE ${path} size)
        list(APPEND files ${path} ${size})
      endif()
    endforeach()
  endif()
  while(files)
    list(POP_FRONT files path size)
    cmake_path(GET path PARENT_PATH folder)
    # Without the checkout's path: a group's name becomes that of an object in a static library.
    foreach(base IN ITEMS ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
      cmake_path(IS_PREFIX base ${folder} is_inside)
      if(is_inside)
        cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${base})
      endif()
    endforeach()
    if(FLUID2ONNX_USE_MIRROR)
      string(REGEX REPLACE "^(generator|[^/]+/[^/]+)/.*$" "\\1" folder ${folder})
    endif()
    string(MAKE_C_IDENTIFIER ${folder} group)
    math(EXPR sum_${group} "0${sum_${group}} + ${size}")
    if(sum_${group} GREATER F2O_UNITY_BYTES)
      math(EXPR number_${group} "0${number_${group}} + 1")
      set(sum_${group} ${size})
    endif()
    set_source_files_properties(${path} TARGET_DIRECTORY ${name} PROPERTIES UNITY_GROUP ${group}${number_${group}})
  endwhile()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# f2o_manifest(name): on Windows, the program's narrow names are UTF-8, and paths may be long.
function(f2o_manifest name)
  set(resource ${PROJECT_BINARY_DIR}/program.res)
  if(NOT TARGET f2o_program_manifest)
    add_custom_command(
      OUTPUT ${resource}
      COMMAND ${CMAKE_RC_COMPILER} /fo ${resource} program.rc
      DEPENDS ${PROJECT_SOURCE_DIR}/cmake/windows/program.rc ${PROJECT_SOURCE_DIR}/cmake/windows/program.manifest
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/windows)
    add_custom_target(f2o_program_manifest DEPENDS ${resource})
  endif()
  add_dependencies(${name} f2o_program_manifest)
  target_link_libraries(${name} PRIVATE ${resource})
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${resource})
endfunction()

# f2o_target(name): a library or program of ours. Includes are written from the
# repository's root: #include "runtime/support/value.h".
function(f2o_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/fluid2onnx>)

  # -Wconversion is left out: shapes are int64_t and containers count in size_t,
  # so it would buy a cast on every other line.
  target_compile_options(${name} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
  if(FLUID2ONNX_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 warns about its own std::string operator+ (GCC bug 105651).
    target_compile_options(${name} PRIVATE -Wno-restrict)
    # Variants mislead its flow analysis, and so do the checks that sanitizers insert, and arrays of vectors (evaluate/).
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized -Wno-free-nonheap-object)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # What the interpreter knows is a string longer than a standard compiler must take.
    target_compile_options(${name} PRIVATE -Wno-overlength-strings)
  endif()

  f2o_unity(${name})

  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${name} PRIVATE LINKER:--gc-sections)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
      target_link_options(${name} PRIVATE -Wl,--as-needed) # zig does not know it behind -Xlinker
    endif()
    if(FLUID2ONNX_STATIC AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
      target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    if(F2O_ZIG AND WIN32)
      f2o_manifest(${name})
    endif()
  else()
    target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  endif()
endfunction()
