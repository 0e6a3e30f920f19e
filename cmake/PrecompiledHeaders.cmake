# SPDX-License-Identifier: Apache-2.0
#
# The standard library, Abseil, fmt and GoogleTest are most of the code that the compiler reads for each file, so they are
# precompiled. Our own headers are not included: editing one must not rebuild the tree. The preset `clang` does not
# precompile headers, to detect missing includes.
option(FLARESTACK_PCH "Precompile the headers of the standard library, Abseil, fmt and GoogleTest" ON)

set(FLARESTACK_PCH_HEADERS
  <algorithm> <array> <bit> <charconv> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <tuple> <utility> <variant> <vector>
  <absl/container/flat_hash_map.h> <absl/functional/function_ref.h> <absl/status/status.h> <absl/status/statusor.h>
  <fmt/format.h>)

# flarestack_precompile(TARGET [TESTS]): the first target of a kind creates the precompiled header, the others share it.
function(flarestack_precompile target)
  if(NOT FLARESTACK_PCH)
    return()
  endif()
  cmake_parse_arguments(arg "TESTS" "" "" ${ARGN})
  set(pch flarestack_pch)
  set(headers ${FLARESTACK_PCH_HEADERS})
  if(arg_TESTS)
    set(pch flarestack_test_pch)
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  if(NOT TARGET ${pch})
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${pch}.cc" CONTENT "")
    add_library(${pch} OBJECT "${CMAKE_BINARY_DIR}/generated/${pch}.cc")
    target_link_libraries(${pch} PRIVATE flarestack_options absl::status fmt::fmt)
    if(arg_TESTS)
      target_link_libraries(${pch} PRIVATE GTest::gmock GTest::gtest)
      flarestack_compile_quickly(${pch})
    endif()
    target_precompile_headers(${pch} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()

# Options that make ccache work with precompiled headers.
if(FLARESTACK_PCH)
  if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${CCACHE_PROGRAM}")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
