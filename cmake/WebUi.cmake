# SPDX-License-Identifier: Apache-2.0
#
# The pages of the server, embedded in the program: ui/dist, which `npm run build` makes in ui/ (or ./dev build, where
# npm is installed), becomes one generated source file. C++ developers need no Node: without ui/dist the program is built
# all the same, and serves a page that says so.
set(FLARESTACK_UI_DIST "${CMAKE_SOURCE_DIR}/ui/dist" CACHE PATH "Built pages to embed; a folder that is not there for none")

# Adds the generated file to flarestack_server. Names of built files change with their content, hence the glob.
function(flarestack_embed_ui)
  if(NOT TARGET flarestack_server)
    return()
  endif()
  file(GLOB_RECURSE built CONFIGURE_DEPENDS "${FLARESTACK_UI_DIST}/*.gz")
  set(output "${FLARESTACK_GENERATED_DIR}/server/ui_assets_embedded.cc")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DDIST=${FLARESTACK_UI_DIST}" "-DOUTPUT=${output}" -P "${CMAKE_SOURCE_DIR}/cmake/EmbedUi.cmake"
    DEPENDS ${built} "${CMAKE_SOURCE_DIR}/cmake/EmbedUi.cmake"
    COMMENT "Embedding the pages"
    VERBATIM)
  target_sources(flarestack_server PRIVATE "${output}")
  set_source_files_properties("${output}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  list(LENGTH built count)
  if(count EQUAL 0)
    message(STATUS "No built pages in ${FLARESTACK_UI_DIST}: the server will have its API alone")
  endif()
endfunction()
