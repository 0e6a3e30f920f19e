# SPDX-License-Identifier: Apache-2.0
#
# Reads the table of layers. Sets in the caller:
#   FLARESTACK_FOLDERS             all folders, in the order of the table
#   FLARESTACK_EXISTING_FOLDERS    those that exist below src/
#   FLARESTACK_MAY_USE_<folder>    the folders that <folder> may include
function(flarestack_read_layers table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
  file(STRINGS "${table}" rows REGEX "^[a-z]+:")
  set(folders)
  set(existing)
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^([a-z]+):(.*)$" ignored "${row}")
    set(folder "${CMAKE_MATCH_1}")
    separate_arguments(may_use UNIX_COMMAND "${CMAKE_MATCH_2}")
    foreach(used IN LISTS may_use)
      if(NOT used IN_LIST folders)
        message(FATAL_ERROR "${table}: '${folder}' may use '${used}', which has no row above it")
      endif()
    endforeach()
    list(APPEND folders ${folder})
    if(IS_DIRECTORY "${CMAKE_SOURCE_DIR}/src/${folder}")
      list(APPEND existing ${folder})
    endif()
    set(FLARESTACK_MAY_USE_${folder} "${may_use}" PARENT_SCOPE)
  endforeach()
  set(FLARESTACK_FOLDERS "${folders}" PARENT_SCOPE)
  set(FLARESTACK_EXISTING_FOLDERS "${existing}" PARENT_SCOPE)
endfunction()
