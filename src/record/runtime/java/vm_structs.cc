// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/vm_structs.h"

#include <array>
#include <cstring>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kStrideMax = 256;

std::string Key(std::string_view type, std::string_view field) {
  return base::StrCat(type, "::", field);
}

template <typename Map>
auto Find(const Map& map, const std::string& key) -> std::optional<typename Map::mapped_type> {
  const auto found = map.find(key);
  if (found == map.end())
    return std::nullopt;
  return found->second;
}

// One of the tables. Its last entry has a null name.
class Table {
 public:
  Table(ForeignReader& in, uint64_t table_variable, uint64_t stride_variable) : in_(in) {
    address_ = in.Get<uint64_t>(table_variable);
    stride_ = in.Get<uint64_t>(stride_variable);
  }

  bool is_valid() const {
    return in_.ok() && address_ != 0 && stride_ >= sizeof(uint64_t) && stride_ <= kStrideMax;
  }

  // Returns false at the end of the table and on failure.
  bool Next(uint64_t name_offset) {
    if (count_++ == VmStructs::kEntriesMax)
      in_.Fail(absl::OutOfRangeError("HotSpot's table of types has no end"));
    entry_ = in_.Bytes(address_, stride_);
    address_ += stride_;
    return in_.ok() && Get<uint64_t>(name_offset) != 0;
  }

  template <typename T>
  T Get(uint64_t offset) const {
    T value = {};
    if (entry_.size() >= sizeof(value) && offset <= entry_.size() - sizeof(value))
      std::memcpy(&value, entry_.data() + offset, sizeof(value));
    return value;
  }

  std::string Text(uint64_t offset) {
    const auto address = Get<uint64_t>(offset);
    return address == 0 ? std::string() : in_.Text(address, VmStructs::kNameBytesMax);
  }

 private:
  ForeignReader& in_;
  uint64_t address_ = 0;
  uint64_t stride_ = 0;
  size_t count_ = 0;
  std::string entry_;
};

absl::Status NotInitialized() {
  return absl::UnavailableError("HotSpot has not initialized its tables yet");
}

}  // namespace

absl::StatusOr<VmStructs> VmStructs::Read(agent::MemoryReader read, const VmTables& tables,
                                          uint64_t bias) {
  VmStructs structs;
  ForeignReader in(read);
  FLARE_RETURN_IF_ERROR(structs.ReadFields(in, tables, bias));
  FLARE_RETURN_IF_ERROR(structs.ReadTypes(in, tables, bias));
  FLARE_RETURN_IF_ERROR(structs.ReadConstants(in, tables, bias));
  return structs;
}

absl::Status VmStructs::ReadFields(ForeignReader& in, const VmTables& tables, uint64_t bias) {
  Table table(in, bias + tables.structs, bias + tables.struct_stride);
  const auto type_at = in.Get<uint64_t>(bias + tables.struct_type_name);
  const auto field_at = in.Get<uint64_t>(bias + tables.struct_field_name);
  const auto is_static_at = in.Get<uint64_t>(bias + tables.struct_is_static);
  const auto offset_at = in.Get<uint64_t>(bias + tables.struct_offset);
  const auto address_at = in.Get<uint64_t>(bias + tables.struct_address);
  FLARE_RETURN_IF_ERROR(in.status());
  if (!table.is_valid())
    return NotInitialized();
  // Entries of one type follow one another.
  uint64_t type_address = 0;
  std::string type;
  while (table.Next(type_at)) {
    if (table.Get<uint64_t>(type_at) != type_address) {
      type_address = table.Get<uint64_t>(type_at);
      type = table.Text(type_at);
    }
    const std::string field = table.Text(field_at);
    if (table.Get<int32_t>(is_static_at) != 0)
      AddAddress(type, field, table.Get<uint64_t>(address_at));
    else
      AddOffset(type, field, table.Get<uint64_t>(offset_at));
  }
  return in.status();
}

absl::Status VmStructs::ReadTypes(ForeignReader& in, const VmTables& tables, uint64_t bias) {
  Table table(in, bias + tables.types, bias + tables.type_stride);
  const auto name_at = in.Get<uint64_t>(bias + tables.type_name);
  const auto size_at = in.Get<uint64_t>(bias + tables.type_size);
  FLARE_RETURN_IF_ERROR(in.status());
  if (!table.is_valid())
    return NotInitialized();
  while (table.Next(name_at))
    AddSize(table.Text(name_at), table.Get<uint64_t>(size_at));
  return in.status();
}

absl::Status VmStructs::ReadConstants(ForeignReader& in, const VmTables& tables, uint64_t bias) {
  Table table(in, bias + tables.ints, bias + tables.int_stride);
  const auto name_at = in.Get<uint64_t>(bias + tables.int_name);
  const auto value_at = in.Get<uint64_t>(bias + tables.int_value);
  FLARE_RETURN_IF_ERROR(in.status());
  if (!table.is_valid())
    return NotInitialized();
  while (table.Next(name_at))
    AddConstant(table.Text(name_at), table.Get<int32_t>(value_at));
  return in.status();
}

std::optional<uint64_t> VmStructs::Offset(std::string_view type, std::string_view field) const {
  return Find(offsets_, Key(type, field));
}

std::optional<uint64_t> VmStructs::Address(std::string_view type, std::string_view field) const {
  return Find(addresses_, Key(type, field));
}

std::optional<uint64_t> VmStructs::Size(std::string_view type) const {
  return Find(sizes_, std::string(type));
}

std::optional<int32_t> VmStructs::Constant(std::string_view name) const {
  return Find(constants_, std::string(name));
}

void VmStructs::AddOffset(std::string_view type, std::string_view field, uint64_t offset) {
  offsets_.try_emplace(Key(type, field), offset);
}

void VmStructs::AddAddress(std::string_view type, std::string_view field, uint64_t address) {
  addresses_.try_emplace(Key(type, field), address);
}

void VmStructs::AddSize(std::string_view type, uint64_t bytes) {
  sizes_.try_emplace(std::string(type), bytes);
}

void VmStructs::AddConstant(std::string_view name, int32_t value) {
  constants_.try_emplace(std::string(name), value);
}

}  // namespace flarestack::record::runtime
