# SPDX-License-Identifier: Apache-2.0
#
# Generates base/version.h with the version of the project and the commit. Each build looks them up, but writes the file
# only when they change, which rebuilds only the files that include it.
set(FLARESTACK_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
set(version_command
  "${CMAKE_COMMAND}"
  "-DTEMPLATE=${CMAKE_SOURCE_DIR}/cmake/version.h.in"
  "-DOUTPUT=${FLARESTACK_GENERATED_DIR}/base/version.h"
  "-DVERSION=${PROJECT_VERSION}"
  "-DSOURCE_DIR=${CMAKE_SOURCE_DIR}"
  -P "${CMAKE_SOURCE_DIR}/cmake/WriteVersion.cmake")
execute_process(COMMAND ${version_command} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(flarestack_version
  COMMAND ${version_command}
  BYPRODUCTS "${FLARESTACK_GENERATED_DIR}/base/version.h"
  COMMENT "Looking up the version"
  VERBATIM)
