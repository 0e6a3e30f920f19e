# SPDX-License-Identifier: Apache-2.0
#
# flarestack_options: the warnings of our own targets. Sanitizers are set for all targets, because a program
# must be sanitized as a whole.
add_library(flarestack_options INTERFACE)
target_compile_options(flarestack_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Werror
  # Designated initializers omit fields with defaults on purpose.
  -Wno-missing-field-initializers)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # In g++, -Wconversion excludes sign conversions; make clang match. Only clang supports thread-safety annotations.
  target_compile_options(flarestack_options INTERFACE -Wno-sign-conversion -Wthread-safety)
else()
  # g++ 12 reports std::string concatenation as overlapping copies (GCC bug 105651), and copies of long constants as
  # out of bounds if the library's header is precompiled: false positives.
  target_compile_options(flarestack_options INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
  if(FLARESTACK_SANITIZE)
    # The branches that sanitizers add cause false positives about uninitialized values in g++.
    target_compile_options(flarestack_options INTERFACE -Wno-maybe-uninitialized)
    if(FLARESTACK_SANITIZE MATCHES "thread")
      # g++'s thread sanitizer does not support the fences in Asio; Asio's mutexes order the same memory.
      target_compile_options(flarestack_options INTERFACE -Wno-tsan)
    endif()
  endif()
endif()

if(FLARESTACK_SANITIZE)
  add_compile_options(-fsanitize=${FLARESTACK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FLARESTACK_SANITIZE})
endif()

if(FLARESTACK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "FLARESTACK_FUZZ needs clang: use the preset `fuzz`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
