# SPDX-License-Identifier: Apache-2.0
#
# oracle_proto: tests/oracle/*.proto compiled by protoc. An independent reader and writer of the wire format for tests
# and benchmarks; the product never links it. Include its headers as "oracle/<name>.pb.h".
file(GLOB oracle_protos CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/oracle/*.proto")
if(NOT oracle_protos)
  return()
endif()

find_package(Protobuf REQUIRED)
set(oracle_dir "${CMAKE_BINARY_DIR}/generated_proto")
file(MAKE_DIRECTORY "${oracle_dir}")
set(oracle_sources)
foreach(proto IN LISTS oracle_protos)
  cmake_path(GET proto STEM name)
  set(outputs "${oracle_dir}/oracle/${name}.pb.cc" "${oracle_dir}/oracle/${name}.pb.h")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND protobuf::protoc "--proto_path=${CMAKE_SOURCE_DIR}/tests" "--cpp_out=${oracle_dir}" "${proto}"
    DEPENDS ${oracle_protos}
    COMMENT "Compiling oracle/${name}.proto"
    VERBATIM)
  list(APPEND oracle_sources ${outputs})
endforeach()
add_library(oracle_proto STATIC EXCLUDE_FROM_ALL ${oracle_sources})
target_include_directories(oracle_proto SYSTEM PUBLIC "${oracle_dir}")
target_link_libraries(oracle_proto PUBLIC protobuf::libprotobuf)
