# SPDX-License-Identifier: Apache-2.0
#
# flarestack_options: the warnings of our own targets. Sanitizers are set for all targets, because a program
# must be sanitized as a whole.
add_library(flarestack_options INTERFACE)
target_compile_options(flarestack_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Werror
  # A designated initializer that leaves fields at their default does so on purpose.
  -Wno-missing-field-initializers)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # g++ leaves sign conversions out of -Wconversion; clang shall agree. The thread-safety annotations are clang's alone.
  target_compile_options(flarestack_options INTERFACE -Wno-sign-conversion -Wthread-safety)
else()
  # g++ 12 reports std::string concatenation as overlapping copies (GCC bug 105651), and copies of long constants as
  # out of bounds where the library's header is precompiled: false alarms.
  target_compile_options(flarestack_options INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
  if(FLARESTACK_SANITIZE)
    # The sanitizers' own branches make g++ see uninitialized values where there are none.
    target_compile_options(flarestack_options INTERFACE -Wno-maybe-uninitialized)
    if(FLARESTACK_SANITIZE MATCHES "thread")
      # Asio has fences, which g++'s thread sanitizer does not see; its mutexes order the same memory.
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

# Debian's mold links five times as fast as the linker of binutils: there are 50 programs to link for the tests. The
# program as it is shipped is linked by the default.
find_program(FLARESTACK_MOLD mold)
if(FLARESTACK_MOLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=mold)
endif()
