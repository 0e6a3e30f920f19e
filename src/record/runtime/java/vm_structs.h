// SPDX-License-Identifier: Apache-2.0
//
// HotSpot's description of itself for debuggers: where the fields of its types are, how large the
// types are, and values of constants. The same in all versions since JDK 6; only names change.
//
//   FLARE_ASSIGN(const VmStructs structs, VmStructs::Read(read, tables, bias));
//   std::optional<uint64_t> at = structs.Offset("Method", "_constMethod");
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/foreign_reader.h"

namespace flarestack::record::runtime {

// Virtual addresses, in the file, of variables: pointers to the three tables, and for each the
// distance between its entries and the offsets in an entry.
struct VmTables {
  uint64_t structs = 0;
  uint64_t struct_type_name = 0;
  uint64_t struct_field_name = 0;
  uint64_t struct_is_static = 0;
  uint64_t struct_offset = 0;
  uint64_t struct_address = 0;
  uint64_t struct_stride = 0;
  uint64_t types = 0;
  uint64_t type_name = 0;
  uint64_t type_size = 0;
  uint64_t type_stride = 0;
  uint64_t ints = 0;
  uint64_t int_name = 0;
  uint64_t int_value = 0;
  uint64_t int_stride = 0;
};

class VmStructs {
 public:
  static constexpr size_t kEntriesMax = 8192;  // per table; JDK 8, the largest, has about 2000
  static constexpr size_t kNameBytesMax = 128;

  // `bias` is the address in the process minus that in the file. Returns kUnavailable if the
  // library has not been initialized yet.
  static absl::StatusOr<VmStructs> Read(agent::MemoryReader read, const VmTables& tables,
                                        uint64_t bias);

  // Of a field in its object.
  std::optional<uint64_t> Offset(std::string_view type, std::string_view field) const;
  // Of a static field.
  std::optional<uint64_t> Address(std::string_view type, std::string_view field) const;
  // In bytes.
  std::optional<uint64_t> Size(std::string_view type) const;
  std::optional<int32_t> Constant(std::string_view name) const;

  void AddOffset(std::string_view type, std::string_view field, uint64_t offset);
  void AddAddress(std::string_view type, std::string_view field, uint64_t address);
  void AddSize(std::string_view type, uint64_t bytes);
  void AddConstant(std::string_view name, int32_t value);

 private:
  absl::Status ReadFields(ForeignReader& in, const VmTables& tables, uint64_t bias);
  absl::Status ReadTypes(ForeignReader& in, const VmTables& tables, uint64_t bias);
  absl::Status ReadConstants(ForeignReader& in, const VmTables& tables, uint64_t bias);

  absl::flat_hash_map<std::string, uint64_t> offsets_;    // "Type::field"
  absl::flat_hash_map<std::string, uint64_t> addresses_;  // "Type::field"
  absl::flat_hash_map<std::string, uint64_t> sizes_;
  absl::flat_hash_map<std::string, int32_t> constants_;
};

}  // namespace flarestack::record::runtime
