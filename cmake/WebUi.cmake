# SPDX-License-Identifier: Apache-2.0
#
# Embeds the UI in the program: ui/dist, built by `npm run build` in ui/ (or by ./dev build, if npm is installed), becomes one
# generated source file. C++ developers do not need Node: without ui/dist the build still works, and the server shows a page
# that explains it.
set(FLARESTACK_UI_DIST "${CMAKE_SOURCE_DIR}/ui/dist" CACHE PATH "Built UI to embed; a missing folder embeds none")

# Adds the generated file to flarestack_server. Uses a glob, because names of built files change with their content.
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
    COMMENT "Embedding the UI"
    VERBATIM)
  target_sources(flarestack_server PRIVATE "${output}")
  set_source_files_properties("${output}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  list(LENGTH built count)
  if(count EQUAL 0)
    message(STATUS "No built UI in ${FLARESTACK_UI_DIST}: building the server without it")
  endif()
endfunction()
