# SPDX-License-Identifier: Apache-2.0
#
# A CMake toolchain that builds for another architecture with Debian's cross compiler. Headers and libraries come from a
# Debian root of that architecture; programs that the build runs come from this machine. `./dev arm64` sets
#
#   FLARESTACK_CROSS_PROCESSOR   aarch64 or x86_64
#   FLARESTACK_CROSS_ROOT        the root
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FLARESTACK_CROSS_PROCESSOR FLARESTACK_CROSS_ROOT)
set(triplet ${FLARESTACK_CROSS_PROCESSOR}-linux-gnu)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${FLARESTACK_CROSS_PROCESSOR})
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})

set(CMAKE_SYSROOT "${FLARESTACK_CROSS_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
