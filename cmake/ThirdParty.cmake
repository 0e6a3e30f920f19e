# SPDX-License-Identifier: Apache-2.0
#
# The libraries we use, and the folder that uses each. docs/dependencies.md explains why each was chosen.
# All of them come from Debian packages; imported targets are SYSTEM, so their headers raise no warnings.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(CURL REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)

# Finds a library without a CMake package: a header and, optionally, a library.
function(flarestack_find_library target header)
  cmake_parse_arguments(arg "" "LIBRARY" "" ${ARGN})
  find_path(${target}_INCLUDE_DIR ${header} REQUIRED)
  mark_as_advanced(${target}_INCLUDE_DIR)
  add_library(third_party::${target} INTERFACE IMPORTED)
  target_include_directories(third_party::${target} SYSTEM INTERFACE "${${target}_INCLUDE_DIR}")
  if(arg_LIBRARY)
    find_library(${target}_LIBRARY ${arg_LIBRARY} REQUIRED)
    mark_as_advanced(${target}_LIBRARY)
    target_link_libraries(third_party::${target} INTERFACE "${${target}_LIBRARY}")
  endif()
endfunction()
flarestack_find_library(libdeflate libdeflate.h LIBRARY deflate)
flarestack_find_library(lz4 lz4frame.h LIBRARY lz4)
flarestack_find_library(snappy snappy.h LIBRARY snappy)
flarestack_find_library(xxhash xxhash.h LIBRARY xxhash)
flarestack_find_library(re2 re2/re2.h LIBRARY re2)
flarestack_find_library(rocksdb rocksdb/db.h LIBRARY rocksdb)
flarestack_find_library(libelf libelf.h LIBRARY elf)
flarestack_find_library(libdw elfutils/libdw.h LIBRARY dw)
flarestack_find_library(lzma lzma.h LIBRARY lzma)
flarestack_find_library(seccomp seccomp.h LIBRARY seccomp)
flarestack_find_library(protozero protozero/pbf_reader.hpp)
# Debian's CMake package of gRPC requires the code generators of ten languages; we use only three libraries.
flarestack_find_library(grpcpp grpcpp/grpcpp.h LIBRARY grpc++)
flarestack_find_library(grpc grpc/grpc.h LIBRARY grpc)
flarestack_find_library(gpr grpc/support/log.h LIBRARY gpr)

# Folder -> libraries. A folder can also use the libraries of the folders it may include.
set(FLARESTACK_LIBRARIES_base
  absl::status absl::statusor absl::strings absl::str_format absl::flat_hash_map absl::flat_hash_set absl::inlined_vector
  absl::span absl::time
  ZLIB::ZLIB third_party::libdeflate zstd::libzstd_shared third_party::lz4 third_party::snappy third_party::xxhash
  third_party::re2 simdjson::simdjson fmt::fmt Threads::Threads)
set(FLARESTACK_LIBRARIES_net
  Boost::headers third_party::grpcpp third_party::grpc third_party::gpr absl::synchronization OpenSSL::SSL OpenSSL::Crypto
  CURL::libcurl)
set(FLARESTACK_LIBRARIES_elf third_party::libelf third_party::libdw third_party::lzma OpenSSL::Crypto)
set(FLARESTACK_LIBRARIES_symbol third_party::seccomp)
set(FLARESTACK_LIBRARIES_record third_party::libbpf)
set(FLARESTACK_LIBRARIES_codec third_party::protozero nlohmann_json::nlohmann_json)
set(FLARESTACK_LIBRARIES_store third_party::rocksdb)
set(FLARESTACK_LIBRARIES_query Boost::headers)
set(FLARESTACK_LIBRARIES_cli CLI11::CLI11 yaml-cpp)
