# SPDX-License-Identifier: Apache-2.0
#
# Script of cmake/Version.cmake: writes OUTPUT from TEMPLATE with VERSION and the commit of SOURCE_DIR.
set(COMMIT "unknown")
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM)
  execute_process(
    COMMAND "${GIT_PROGRAM}" -C "${SOURCE_DIR}" rev-parse --short HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE result)
  if(result EQUAL 0)
    set(COMMIT "${commit}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
