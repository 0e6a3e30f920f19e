# SPDX-License-Identifier: Apache-2.0
#
# The in-process profiler, src/sdk: code that runs inside other programs. It is compiled on its own terms, without exceptions,
# Abseil and precompiled headers, and links the C++ library statically, so that nothing of it meets the program's own.
#
#   flarestack_sdk        static, without the functions that stand in for those of libc: for unit tests
#   flarestack_profiler   libflarestack_profiler.so and .a, which programs link
#   flarestack_preload    libflarestack_preload.so, for LD_PRELOAD: starts by itself
function(flarestack_sdk_options target)
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
  target_compile_definitions(${target} PRIVATE "FLARESTACK_SDK_VERSION=\"${PROJECT_VERSION}\"")
  target_link_libraries(${target} PRIVATE flarestack_options)
  target_compile_options(${target} PRIVATE -fno-exceptions -fvisibility=hidden -fvisibility-inlines-hidden
    -fasynchronous-unwind-tables)
  # The sanitizer for undefined behaviour compares types of objects that tests and the library share.
  if(NOT FLARESTACK_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Descriptors for the thread context, as OTEP 4947 asks for; the only dialect of arm64.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(${target} PRIVATE -mtls-dialect=gnu2)
  endif()
endfunction()

function(flarestack_add_sdk_library target)
  add_library(${target} SHARED ${ARGN})
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-z,now -Wl,-z,defs
    "-Wl,--version-script=${CMAKE_SOURCE_DIR}/src/sdk/exports.map")
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS} m)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}"
    LINK_DEPENDS "${CMAKE_SOURCE_DIR}/src/sdk/exports.map")
endfunction()

function(flarestack_add_sdk)
  set(directory "${CMAKE_SOURCE_DIR}/src/sdk")
  flarestack_glob(core "${directory}" *.cc)
  list(FILTER core EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$|/testing/|/sdk/(hooks|preload)/")
  flarestack_glob(hooks "${directory}/hooks" *.cc)
  flarestack_glob(preload "${directory}/preload" *.cc)
  flarestack_glob(tests "${directory}" *_test.cc)
  flarestack_glob(fuzzers "${directory}" *_fuzz.cc)

  add_library(flarestack_sdk_core OBJECT ${core})
  flarestack_sdk_options(flarestack_sdk_core)
  add_library(flarestack_sdk STATIC $<TARGET_OBJECTS:flarestack_sdk_core>)
  target_include_directories(flarestack_sdk PUBLIC "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
  target_link_libraries(flarestack_sdk PUBLIC ${CMAKE_DL_LIBS} m)

  if(NOT FLARESTACK_SANITIZE AND NOT FLARESTACK_FUZZ)
    add_library(flarestack_sdk_hooks OBJECT ${hooks})
    flarestack_sdk_options(flarestack_sdk_hooks)
    add_library(flarestack_sdk_preload OBJECT ${preload})
    flarestack_sdk_options(flarestack_sdk_preload)
    set(objects $<TARGET_OBJECTS:flarestack_sdk_core> $<TARGET_OBJECTS:flarestack_sdk_hooks>)
    flarestack_add_sdk_library(flarestack_profiler ${objects})
    set_target_properties(flarestack_profiler PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME profiler)
    target_include_directories(flarestack_profiler INTERFACE $<INSTALL_INTERFACE:include>)
    add_library(flarestack_profiler_static STATIC ${objects})
    target_include_directories(flarestack_profiler_static INTERFACE $<INSTALL_INTERFACE:include>)
    target_link_libraries(flarestack_profiler_static INTERFACE stdc++ pthread ${CMAKE_DL_LIBS} m)
    set_target_properties(flarestack_profiler_static PROPERTIES OUTPUT_NAME flarestack_profiler EXPORT_NAME profiler_static
      ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    flarestack_add_sdk_library(flarestack_preload ${objects} $<TARGET_OBJECTS:flarestack_sdk_preload>)
  endif()

  if(tests AND FLARESTACK_TESTS)
    # The precompiled header of tests includes what these two libraries define.
    flarestack_add_tests(sdk_test SOURCES ${tests} LIBRARIES flarestack_sdk fmt::fmt absl::status)
  endif()
  if(fuzzers AND FLARESTACK_FUZZ)
    flarestack_add_fuzz_targets("flarestack_sdk" ${fuzzers})
  endif()
endfunction()
