# Clang, libc++ and the C libraries of other systems, from the Python package ziglang: see scripts/release.
#
#   $FLUID2ONNX_ZIG      a folder with the commands cc, c++, ar, ranlib and rc
#   $FLUID2ONNX_TARGET   such as x86_64-linux-gnu.2.17
set(F2O_ZIG $ENV{FLUID2ONNX_ZIG} CACHE INTERNAL "")
set(F2O_ZIG_TARGET $ENV{FLUID2ONNX_TARGET} CACHE INTERNAL "")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES F2O_ZIG F2O_ZIG_TARGET)

if(F2O_ZIG_TARGET MATCHES "-windows-")
  set(CMAKE_SYSTEM_NAME Windows)
  set(CMAKE_RC_COMPILER ${F2O_ZIG}/rc)
elseif(F2O_ZIG_TARGET MATCHES "-macos")
  set(CMAKE_SYSTEM_NAME Darwin)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${F2O_ZIG_TARGET})
set(CMAKE_C_COMPILER ${F2O_ZIG}/cc)
set(CMAKE_CXX_COMPILER ${F2O_ZIG}/c++)
set(CMAKE_C_COMPILER_TARGET ${F2O_ZIG_TARGET})
set(CMAKE_CXX_COMPILER_TARGET ${F2O_ZIG_TARGET})
set(CMAKE_AR ${F2O_ZIG}/ar)
set(CMAKE_RANLIB ${F2O_ZIG}/ranlib)
# Without debug information, which zig adds by itself.
set(CMAKE_C_FLAGS_INIT -g0)
set(CMAKE_CXX_FLAGS_INIT -g0)
# zig adds a sanitizer to what is not optimised. Not in CMAKE_CXX_FLAGS, which are part of the key of the cached libraries.
add_compile_options(-fno-sanitize=undefined)
# Nothing of this machine but its programs, and what CMAKE_PREFIX_PATH names.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH ON)
