# SPDX-License-Identifier: Apache-2.0
#
# Turns the folders of src/, tests/ and bench/ into targets. CMakeLists.txt lists the naming rules.

# Finds the files below `directory` that match a pattern such as *_test.cc.
function(flarestack_glob result directory pattern)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${directory}/${pattern}")
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

# Joining files speeds up a clean build, because the same headers are read less often: in the release build, `query` takes 84 s of
# CPU time instead of 207 s, even with precompiled headers. All presets except `release` compile
# each file separately, which is faster after an edit; `./dev test` joins files if nothing was built before.
option(FLARESTACK_JOIN "Compile files together that have no conflicting names" OFF)
set(FLARESTACK_JOIN_SIZE 24)
if(FLARESTACK_JOIN)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-g1>) # only lines for stacks: full debug information takes g++ as long as the code
  # Linked after the other options, so that it overrides them. g++: a private class in an included file looks like one in a
  # header. clang: a name in a class or function may shadow a private name of another file.
  add_library(flarestack_joined INTERFACE)
  target_compile_options(flarestack_joined INTERFACE
    $<IF:$<CXX_COMPILER_ID:GNU>,-Wno-subobject-linkage,-Wno-shadow>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Above 128 MB, g++ spends a tenth of its time on garbage collection. A joined file needs half a gigabyte.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=600000>")
  endif()
endif()
find_program(FLARESTACK_PYTHON python3)

function(flarestack_join target)
  if(NOT FLARESTACK_JOIN OR NOT FLARESTACK_PYTHON)
    return()
  endif()
  execute_process(COMMAND "${FLARESTACK_PYTHON}" "${CMAKE_SOURCE_DIR}/tools/join_groups.py" ${FLARESTACK_JOIN_SIZE} ${ARGN}
    OUTPUT_VARIABLE rows OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" rows "${rows}")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^([0-9]+) (.*)$" _ "${row}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${target}_${CMAKE_MATCH_1}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE flarestack_joined)
endfunction()

# Test code itself need not be fast, only the code it tests. Optimizing it would take half of a clean build.
function(flarestack_compile_quickly target)
  if(FLARESTACK_JOIN)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# Returns the existing libraries of the given folders; `suffix` is empty or `_testing`.
function(flarestack_libraries_of result suffix)
  set(libraries)
  foreach(folder IN LISTS ARGN)
    if(TARGET flarestack_${folder}${suffix})
      list(APPEND libraries flarestack_${folder}${suffix})
    endif()
  endforeach()
  set(${result} "${libraries}" PARENT_SCOPE)
endfunction()

# Adds a static library, or an interface library if the folder has only headers.
function(flarestack_add_library target)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE flarestack_options)
    flarestack_precompile(${target})
    flarestack_join(${target} ${arg_SOURCES})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(${target} ${scope} ${arg_LIBRARIES})
endfunction()

# Debian's mold links five times as fast as the linker of binutils, and there are 50 test programs to link. The tests of the
# recorder walk their own stacks and expect the linkage stubs of the default linker.
find_program(FLARESTACK_MOLD mold)
function(flarestack_link_quickly target)
  if(FLARESTACK_MOLD AND NOT CMAKE_CROSSCOMPILING AND NOT target MATCHES "^(record|e2e)_test$")
    target_link_options(${target} PRIVATE -fuse-ld=mold)
  endif()
endfunction()

function(flarestack_add_tests target)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_compile_definitions(${target} PRIVATE "FLARESTACK_TESTDATA=\"${CMAKE_SOURCE_DIR}/testdata\"")
  target_link_libraries(${target} PRIVATE flarestack_options ${arg_LIBRARIES} GTest::gmock_main GTest::gmock GTest::gtest)
  flarestack_precompile(${target} TESTS)
  flarestack_join(${target} ${arg_SOURCES})
  flarestack_compile_quickly(${target})
  flarestack_link_quickly(${target})
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()

# Adds one libFuzzer program per file, named after the file.
function(flarestack_add_fuzz_targets libraries)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    add_executable(${name} "${source}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
    target_link_libraries(${name} PRIVATE flarestack_options ${libraries})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    flarestack_link_quickly(${name})
    add_dependencies(fuzzers ${name})
  endforeach()
endfunction()

# Adds one program per *_bench.cc below `directory`. Each file has its own main or BENCHMARK_MAIN().
function(flarestack_add_benchmarks_of directory folders)
  if(NOT FLARESTACK_BENCH)
    return()
  endif()
  flarestack_glob(sources "${directory}" *_bench.cc)
  flarestack_libraries_of(libraries "" ${folders})
  flarestack_libraries_of(testing_libraries "_testing" ${folders})
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} EXCLUDE_FROM_ALL "${source}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench")
    target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/src")
    target_compile_definitions(${name} PRIVATE "FLARESTACK_TESTDATA=\"${CMAKE_SOURCE_DIR}/testdata\"")
    target_link_libraries(${name} PRIVATE flarestack_options ${libraries} ${testing_libraries} benchmark::benchmark
      $<TARGET_NAME_IF_EXISTS:oracle_proto>)
    add_dependencies(benches ${name})
  endforeach()
endfunction()

# Adds the library, test helpers, tests, fuzz targets and benchmarks of src/<folder>.
function(flarestack_add_folder folder)
  set(directory "${CMAKE_SOURCE_DIR}/src/${folder}")
  if(NOT IS_DIRECTORY "${directory}")
    return()
  endif()
  flarestack_glob(sources "${directory}" *.cc)
  flarestack_glob(tests "${directory}" *_test.cc)
  flarestack_glob(fuzzers "${directory}" *_fuzz.cc)
  set(helpers ${sources})
  list(FILTER helpers INCLUDE REGEX "/testing/")
  list(FILTER helpers EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/testing/|_(test|fuzz|bench)\\.cc$|/src/cli/main\\.cc$")

  set(may_use ${FLARESTACK_MAY_USE_${folder}})
  flarestack_libraries_of(used "" ${may_use})
  flarestack_add_library(flarestack_${folder} SOURCES ${sources} LIBRARIES ${used} ${FLARESTACK_LIBRARIES_${folder}})
  if(folder STREQUAL "base" AND sources)
    target_include_directories(flarestack_base PUBLIC "${FLARESTACK_GENERATED_DIR}")
    add_dependencies(flarestack_base flarestack_version)
  endif()
  if(folder STREQUAL "record")
    flarestack_add_bpf_programs(flarestack_record)
  endif()

  if(helpers AND (FLARESTACK_TESTS OR FLARESTACK_FUZZ OR FLARESTACK_BENCH))
    flarestack_libraries_of(used_testing "_testing" ${may_use})
    flarestack_add_library(flarestack_${folder}_testing
      SOURCES ${helpers} LIBRARIES flarestack_${folder} ${used_testing} GTest::gmock GTest::gtest)
    if(NOT FLARESTACK_TESTS)
      set_target_properties(flarestack_${folder}_testing PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endif()

  flarestack_libraries_of(all "" ${folder} ${may_use})
  flarestack_libraries_of(all_testing "_testing" ${folder} ${may_use})
  if(tests AND FLARESTACK_TESTS)
    flarestack_add_tests(${folder}_test SOURCES ${tests} LIBRARIES ${all} ${all_testing})
    if(TARGET oracle_proto AND folder STREQUAL "codec")
      target_link_libraries(${folder}_test PRIVATE oracle_proto)
    endif()
  endif()
  if(fuzzers AND FLARESTACK_FUZZ)
    flarestack_add_fuzz_targets("${all};${all_testing}" ${fuzzers})
  endif()
  flarestack_add_benchmarks_of("${directory}" "${folder};${may_use}")
endfunction()

# Adds the program: src/cli/main.cc with flarestack_cli, in the root of the build folder.
function(flarestack_add_program)
  if(NOT EXISTS "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
    return()
  endif()
  add_executable(flarestack "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
  set_target_properties(flarestack PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  target_link_libraries(flarestack PRIVATE flarestack_options flarestack_cli)
endfunction()

# Adds tools/corpus.cc, for `./dev corpus`. Built by default if tests are, so that it keeps compiling.
function(flarestack_add_corpus_program)
  add_executable(corpus "${CMAKE_SOURCE_DIR}/tools/corpus.cc")
  set_target_properties(corpus PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  target_link_libraries(corpus PRIVATE flarestack_options flarestack_codec)
  if(NOT FLARESTACK_TESTS)
    set_target_properties(corpus PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# Adds tools/broken_messages.cc, for `./dev interop`. Compiles the test helpers as sources, because the release preset has
# no library with them.
function(flarestack_add_broken_messages_program)
  flarestack_glob(helpers "${CMAKE_SOURCE_DIR}/src/check/testing" *.cc)
  add_executable(broken_messages EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/tools/broken_messages.cc" ${helpers})
  set_target_properties(broken_messages PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  target_link_libraries(broken_messages PRIVATE flarestack_options flarestack_check)
endfunction()

# Adds the tests that cross folders or start the program.
function(flarestack_add_end_to_end_tests)
  flarestack_glob(tests "${CMAKE_SOURCE_DIR}/tests" *.cc)
  if(NOT tests OR NOT FLARESTACK_TESTS OR NOT FLARESTACK_E2E OR NOT TARGET flarestack)
    return()
  endif()
  flarestack_libraries_of(libraries "" ${FLARESTACK_EXISTING_FOLDERS})
  flarestack_libraries_of(testing_libraries "_testing" ${FLARESTACK_EXISTING_FOLDERS})
  flarestack_add_tests(e2e_test SOURCES ${tests} LIBRARIES ${libraries} ${testing_libraries})
  target_compile_definitions(e2e_test PRIVATE
    "FLARESTACK_PROGRAM=\"$<TARGET_FILE:flarestack>\"" "FLARESTACK_CORPUS=\"$<TARGET_FILE:corpus>\""
    # The libraries of the in-process profiler, and its headers.
    "FLARESTACK_LIBRARIES=\"${CMAKE_BINARY_DIR}\"" "FLARESTACK_INCLUDE=\"${CMAKE_SOURCE_DIR}/include\"")
  target_include_directories(e2e_test PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  if(TARGET oracle_proto)
    target_link_libraries(e2e_test PRIVATE oracle_proto)
  endif()
  add_dependencies(e2e_test flarestack corpus)
  if(TARGET flarestack_preload)
    add_dependencies(e2e_test flarestack_preload flarestack_profiler flarestack_profiler_static)
  endif()
endfunction()

if(FLARESTACK_TESTS OR FLARESTACK_FUZZ OR FLARESTACK_BENCH)
  find_package(GTest CONFIG REQUIRED)
  include(GoogleTest)
endif()
if(FLARESTACK_FUZZ)
  add_custom_target(fuzzers)
endif()
if(FLARESTACK_BENCH)
  find_package(benchmark CONFIG REQUIRED)
  add_custom_target(benches)
endif()
