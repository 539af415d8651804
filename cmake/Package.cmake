# cmake --install, and what find_package(fluid2onnx) needs afterwards:
#
#   find_package(fluid2onnx REQUIRED)
#   target_link_libraries(app PRIVATE fluid2onnx::fluid2onnx)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET fluid2onnx_cli)
  install(TARGETS fluid2onnx_cli RUNTIME COMPONENT program)
endif()
if(TARGET opgen)
  install(TARGETS opgen RUNTIME COMPONENT opgen)
endif()

if(NOT TARGET fluid2onnx)
  return()
endif()
set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fluid2onnx)

# The library is static and made of smaller ones: all that it links come along.
function(_f2o_own_libraries target out)
  set(found ${${out}} ${target})
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link ${links})
    string(REGEX REPLACE "^\\$<(LINK_ONLY|BUILD_INTERFACE):(.*)>$" "\\2" link "${link}")
    if(TARGET ${link})
      get_target_property(real ${link} ALIASED_TARGET)
      if(real)
        set(link ${real})
      endif()
      get_target_property(imported ${link} IMPORTED)
      if(NOT imported AND NOT link IN_LIST found)
        _f2o_own_libraries(${link} found)
      endif()
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
set(_libraries "")
_f2o_own_libraries(fluid2onnx _libraries)
install(TARGETS ${_libraries} EXPORT fluid2onnx COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/fluid2onnx)

# The headers that the guide names, and what they include; the rest of runtime/ is internal.
set(_headers
  runtime/convert/op_context.h
  runtime/api/convert_file.h
  runtime/to_onnx/convert_model.h
  runtime/to_onnx/opset_search.h
  runtime/report/problems_text.h
  runtime/report/report_json.h
  runtime/paddle/read/open_model.h
  runtime/onnx/write/onnx_writer.h)
set(_installed "")
while(_headers)
  list(POP_FRONT _headers _header)
  if(_header IN_LIST _installed)
    continue()
  endif()
  list(APPEND _installed ${_header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${_header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${_header} _includes REGEX "^#include \"runtime/")
  foreach(_include IN LISTS _includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" _include "${_include}")
    list(APPEND _headers ${_include})
  endforeach()
endwhile()
foreach(_header IN LISTS _installed)
  get_filename_component(_folder ${_header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${_header} DESTINATION include/fluid2onnx/${_folder} COMPONENT library)
endforeach()
install(EXPORT fluid2onnx NAMESPACE fluid2onnx:: DESTINATION ${_package_dir}
        FILE fluid2onnxTargets.cmake COMPONENT library)

# Other packages must not find the ONNX and protobuf that we built: they go where only our config looks.
if(FLUID2ONNX_ONNX_BUNDLED)
  install(FILES ${FLUID2ONNX_ONNX_BUNDLED} DESTINATION ${CMAKE_INSTALL_LIBDIR}/fluid2onnx
          COMPONENT library)
  set(_onnx_installed OFF)
else()
  set(_onnx_installed ON)
endif()
set(_protobuf_installed ON)
if(FLUID2ONNX_PROTOBUF_BUNDLED)
  install(FILES ${FLUID2ONNX_PROTOBUF_BUNDLED} DESTINATION ${CMAKE_INSTALL_LIBDIR}/fluid2onnx COMPONENT library)
  set(_protobuf_installed OFF)
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/fluid2onnxConfig.cmake.in fluid2onnxConfig.cmake
  INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(fluid2onnxConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fluid2onnxConfig.cmake
              ${PROJECT_BINARY_DIR}/fluid2onnxConfigVersion.cmake
        DESTINATION ${_package_dir} COMPONENT library)

# For pkg-config, which knows neither ONNX nor the order of libraries.
set(_pc_libraries ${_libraries} onnx)
if(NOT FLUID2ONNX_ONNX_BUNDLED)
  list(APPEND _pc_libraries onnx_proto)
endif()
set(_pc_requires "Requires: protobuf = ${Protobuf_VERSION}\n")
if(FLUID2ONNX_PROTOBUF_BUNDLED)
  list(APPEND _pc_libraries protobuf)
  set(_pc_requires "")
endif()
list(TRANSFORM _pc_libraries PREPEND -l)
list(JOIN _pc_libraries " " _pc_libraries)
if(NOT APPLE)  # its linker needs no groups
  string(PREPEND _pc_libraries "-Wl,--start-group ")
  string(APPEND _pc_libraries " -Wl,--end-group")
endif()
set(_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH _pc_to_prefix /prefix/${_pc_dir} /prefix)
configure_file(cmake/fluid2onnx.pc.in fluid2onnx.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fluid2onnx.pc DESTINATION ${_pc_dir} COMPONENT library)
