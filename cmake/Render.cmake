# What opgen renders, and who compiles it.
#
#   opgen render --root REPOSITORY --out DIR
#
# writes DIR/generated/ (the C++), DIR/docs/ (the support matrix ...) and
# DIR/opspecs/spec.schema.json (for editors), and touches only files that change,
# so that an edited spec recompiles one family.
# DIR is in the build tree; the repository holds a committed mirror of it.
#
#   target render   render into the build tree
#   target regen    render, then refresh the mirror
#   test generated_is_fresh   compares the two
set(F2O_RENDER_DIR ${PROJECT_BINARY_DIR}/rendered)

# The rendered files must be known while configuring: one for each family folder of opspecs/ and for each file of
# opspecs/lib/, besides these.
set(F2O_RENDERED_COMMON builders.cc lod_shares.cc onnx_registry.cc registry.cc replacements.cc)

# What other libraries than the converters' are made of.
set(F2O_RENDERED_ELSEWHERE operations.cc pir_operators.cc targets.cc)

# f2o_wrap_integers(target): integers of recipes wrap around, so that a damaged attribute causes no undefined behaviour.
function(f2o_wrap_integers target)
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE -fwrapv)
  endif()
endfunction()

# f2o_add_rendered_file(target file): compiles one of them into the library `target` of the calling folder.
function(f2o_add_rendered_file target name)
  set(file generated/${name})
  if(FLUID2ONNX_USE_MIRROR)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${file})
  else()
    target_sources(${target} PRIVATE ${F2O_RENDER_DIR}/${file})
    add_dependencies(${target} render)
  endif()
endfunction()

# Groups rendered sources by the size of their committed mirrors.
function(_f2o_rendered_unity target)
  set(sized "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source FILENAME name)
    set(size 1000)
    if(EXISTS ${PROJECT_SOURCE_DIR}/generated/${name})
      file(SIZE ${PROJECT_SOURCE_DIR}/generated/${name} size)
    endif()
    list(APPEND sized ${source} ${size})
  endforeach()
  f2o_unity(${target} ${sized})
endfunction()

# f2o_add_rendered(target): compiles the rendered C++ into the library `target`
# of the calling folder.
function(f2o_add_rendered target)
  # Converters spend their time in what they call; optimised, they take four times as long to compile. In a published
  # wheel, they should be small.
  target_compile_options(${target} PRIVATE $<IF:$<BOOL:${FLUID2ONNX_SMALL}>,-Os,-O0>)
  f2o_wrap_integers(${target})
  if(FLUID2ONNX_COVERAGE) # examples count these
    target_compile_options(${target} PRIVATE -fno-profile-instr-generate -fno-coverage-mapping)
  endif()
  if(FLUID2ONNX_USE_MIRROR)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/generated/*.cc)
    foreach(name ${F2O_RENDERED_ELSEWHERE})
      list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/generated/${name})
    endforeach()
    target_sources(${target} PRIVATE ${sources})
    _f2o_rendered_unity(${target} ${sources})
    return()
  endif()

  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/opspecs/*.yaml ${PROJECT_SOURCE_DIR}/opspecs/*.json
       ${PROJECT_SOURCE_DIR}/templates/* ${PROJECT_SOURCE_DIR}/docs/spec-reference.md)
  # If a spec is deleted, no spec is newer than the rendered files, but this list is.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/rendered-from.txt CONTENT "${inputs}")
  list(APPEND inputs ${PROJECT_BINARY_DIR}/rendered-from.txt)
  set(sources ${F2O_RENDERED_COMMON})
  file(GLOB_RECURSE specs RELATIVE ${PROJECT_SOURCE_DIR}/opspecs ${PROJECT_SOURCE_DIR}/opspecs/*.yaml)
  list(FILTER specs EXCLUDE REGEX "^facts/|^targets/|^lib/requirements.yaml$|^[^/]*$") # these are no functions
  list(TRANSFORM specs REPLACE "^(lib|onnx)/(.*)\\.yaml$" "\\1_\\2") # lib/math.yaml: lib_math.cc
  list(TRANSFORM specs REPLACE "/.*" "")                      # shape/pad.yaml: shape.cc
  foreach(unit ${specs})
    list(APPEND sources ${unit}.cc)
  endforeach()
  list(REMOVE_DUPLICATES sources)
  list(TRANSFORM sources PREPEND ${F2O_RENDER_DIR}/generated/)

  set(headers ${F2O_RENDER_DIR}/generated/builders.h)
  list(TRANSFORM F2O_RENDERED_ELSEWHERE PREPEND ${F2O_RENDER_DIR}/generated/ OUTPUT_VARIABLE elsewhere)
  add_custom_command(
    OUTPUT ${sources} ${headers} ${elsewhere}
    COMMAND opgen render --root ${PROJECT_SOURCE_DIR} --out ${F2O_RENDER_DIR}
    DEPENDS opgen ${inputs}
    COMMENT "Rendering opspecs/")
  add_custom_target(render DEPENDS ${sources} ${headers} ${elsewhere})
  target_sources(${target} PRIVATE ${sources})
  _f2o_rendered_unity(${target} ${sources})
  # Before the repository's root, which holds the mirror.
  target_include_directories(${target} BEFORE PRIVATE ${F2O_RENDER_DIR})
  add_dependencies(${target} render)

  set(mirror ${CMAKE_COMMAND} -DRENDERED=${F2O_RENDER_DIR} -DMIRROR=${PROJECT_SOURCE_DIR})
  set(script ${PROJECT_SOURCE_DIR}/cmake/Mirror.cmake)
  add_custom_target(regen
    COMMAND ${mirror} -DUPDATE=ON -P ${script}
    DEPENDS ${sources} ${headers}
    COMMENT "Refreshing generated/ and docs/")
  if(FLUID2ONNX_BUILD_TESTS)
    add_test(NAME generated_is_fresh
             COMMAND ${mirror} "-DHINT=cmake --build ${PROJECT_BINARY_DIR} --target regen" -P ${script})
  endif()
endfunction()
