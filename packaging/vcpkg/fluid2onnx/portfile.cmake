vcpkg_download_distfile(ARCHIVE URLS "RELEASES/fluid2onnx-${VERSION}.tar.gz" FILENAME "fluid2onnx-${VERSION}.tar.gz" SHA512 SHA512)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DFLUID2ONNX_USE_MIRROR=ON -DFLUID2ONNX_RUN_TIME_SPECS=OFF -DFLUID2ONNX_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/fluid2onnx)
vcpkg_copy_tools(TOOL_NAMES fluid2onnx AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/python/THIRD_PARTY.md")
