# Compares what opgen rendered with its committed mirror; with UPDATE, refreshes it.
#
# In: RENDERED, MIRROR (the folders that hold generated/ and docs/), HINT.
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE rendered RELATIVE ${RENDERED} ${RENDERED}/generated/* ${RENDERED}/docs/*)
list(FILTER rendered EXCLUDE REGEX "\\.html$") # HTML is for the site; older build folders have it in docs/
# In docs/ only what is rendered is compared: people write there, too.
file(GLOB_RECURSE mirrored RELATIVE ${MIRROR} ${MIRROR}/generated/*)
list(FILTER mirrored EXCLUDE REGEX "/README\\.md$")
set(files ${rendered} ${mirrored})
list(REMOVE_DUPLICATES files)

set(stale "")
foreach(file ${files})
  if(NOT file IN_LIST rendered)
    set(same 1)
  else()
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${RENDERED}/${file} ${MIRROR}/${file}
                    RESULT_VARIABLE same OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(same EQUAL 0)
    continue()
  endif()
  list(APPEND stale ${file})
  if(UPDATE AND file IN_LIST rendered)
    get_filename_component(folder ${MIRROR}/${file} DIRECTORY)
    file(COPY ${RENDERED}/${file} DESTINATION ${folder})
  elseif(UPDATE)
    file(REMOVE ${MIRROR}/${file})
  endif()
endforeach()

list(JOIN stale "\n  " lines)
if(UPDATE)
  message(STATUS "Refreshed:\n  ${lines}")
elseif(stale)
  message(FATAL_ERROR "Not what opgen renders:\n  ${lines}\nRefresh with\n  ${HINT}\n")
endif()
