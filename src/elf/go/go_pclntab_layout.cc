// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_pclntab_layout.h"

#include <array>

#include "base/status.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kHeaderBytes = 8;
constexpr uint64_t kTextBytesMax = 64 << 10;
constexpr uint32_t kNone = UINT32_MAX;

// The same in every version from 1.16 on, and also in 1.14 and 1.15. Before that, the tree had
// other numbers under the same magic, so tables of 1.2 give lines without inlines.
constexpr uint32_t kInlineTreePcData = 2;
constexpr uint32_t kInlineTreeFuncData = 3;

std::optional<GoTableVersion> VersionOf(uint32_t magic) {
  switch (magic) {
    case 0xfffffffb:
      return GoTableVersion::kGo12;
    case 0xfffffffa:
      return GoTableVersion::kGo116;
    case 0xfffffff0:
      return GoTableVersion::kGo118;
    case 0xfffffff1:
      return GoTableVersion::kGo120;
    default:
      return std::nullopt;
  }
}

std::string_view TextAt(std::string_view bytes, uint64_t offset) {
  if (offset >= bytes.size())
    return {};
  const std::string_view rest = bytes.substr(static_cast<size_t>(offset), kTextBytesMax);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

std::optional<uint32_t> U32At(std::string_view bytes, uint64_t offset) {
  ByteCursor in(bytes, offset);
  const uint32_t value = in.U32();
  return in.ok() ? std::optional(value) : std::nullopt;
}

uint64_t FunctabBytes(const GoTable& table) {
  const uint64_t field = table.has_relative_entries() ? 4 : 8;
  return (table.function_count * 2 + 1) * field;
}

// Functab comes first, followed by the file table.
absl::Status ReadGo12Parts(GoTable* table) {
  table->functab_offset = kHeaderBytes + 8;
  const uint64_t after = table->functab_offset + FunctabBytes(*table);
  const std::optional<uint32_t> files = U32At(table->bytes, after);
  if (!files || *files >= table->bytes.size())
    return absl::InvalidArgumentError("Go table: its files lie outside of it");
  table->files_offset = *files;
  return absl::OkStatus();
}

absl::Status ReadLaterParts(GoTable* table) {
  ByteCursor in(table->bytes, kHeaderBytes + 2 * 8);  // after the counts of functions and files
  if (table->has_relative_entries())
    in.U64();  // textStart
  std::array<uint64_t, 5> offsets = {};
  uint64_t last = in.position();
  for (uint64_t& offset : offsets) {
    offset = in.U64();
    if (!in.ok() || offset < last || offset > table->bytes.size())
      return absl::InvalidArgumentError(
          base::StrCat("Go table: a part at ", offset, " of ", table->bytes.size(), " bytes"));
    last = offset;
  }
  table->names_offset = offsets[0];
  table->units_offset = offsets[1];
  table->files_offset = offsets[2];
  table->pc_values_offset = offsets[3];
  table->functions_offset = table->functab_offset = offsets[4];
  return absl::OkStatus();
}

// Pointer slots are aligned in the address space. So is the table, so aligning offsets is enough.
uint64_t InlineTreeSlot(const GoTable& table, uint64_t func_data) {
  if (table.has_relative_entries())
    return func_data + uint64_t{kInlineTreeFuncData} * 4;
  return (func_data + 7) / 8 * 8 + uint64_t{kInlineTreeFuncData} * 8;
}

}  // namespace

bool LooksLikeGoTable(std::string_view bytes) {
  ByteCursor in(bytes);
  const bool is_known = VersionOf(in.U32()).has_value();
  const uint16_t pad = in.U16();
  const uint8_t quantum = in.U8();
  const uint8_t pointer_bytes = in.U8();
  const bool is_quantum = quantum == 1 || quantum == 2 || quantum == 4;
  return in.ok() && is_known && pad == 0 && is_quantum && pointer_bytes == 8;
}

absl::StatusOr<GoTable> ReadGoTable(std::string_view bytes, const GoLimits& limits) {
  if (bytes.size() > limits.table_bytes_max)
    return absl::ResourceExhaustedError(
        base::StrCat("Go table: ", bytes.size(), " bytes, at most ", limits.table_bytes_max));
  if (!LooksLikeGoTable(bytes))
    return absl::UnimplementedError(
        "Go table: not a table of Go 1.2 or later for 64-bit little-endian machines");
  ByteCursor in(bytes);
  GoTable table;
  table.bytes = bytes;
  table.version = *VersionOf(in.U32());
  in.U16();
  table.quantum = in.U8();
  in.U8();
  table.function_count = in.U64();
  if (table.function_count > limits.function_count_max)
    return absl::ResourceExhaustedError(base::StrCat(
        "Go table: ", table.function_count, " functions, at most ", limits.function_count_max));
  FLARE_RETURN_IF_ERROR(table.version == GoTableVersion::kGo12 ? ReadGo12Parts(&table)
                                                               : ReadLaterParts(&table));
  if (FunctabBytes(table) > bytes.size() - table.functab_offset)
    return absl::InvalidArgumentError(
        base::StrCat("Go table: too short for its ", table.function_count, " functions"));
  return table;
}

absl::StatusOr<GoFunction> ReadGoFunction(const GoTable& table, uint64_t offset) {
  if (offset > table.bytes.size() - table.functions_offset)
    return absl::InvalidArgumentError(base::StrCat("Go table: a function at ", offset));
  ByteCursor in(table.bytes, table.functions_offset + offset);
  GoFunction function;
  in.Take(table.has_relative_entries() ? 4 : 8);  // the entry, which functab has too
  function.name_offset = in.U32();
  in.Take(8);  // args, deferreturn (formerly the frame size)
  function.stack_values = in.U32();
  function.file_values = in.U32();
  function.line_values = in.U32();
  const uint32_t pc_data_count = in.U32();
  if (table.version >= GoTableVersion::kGo116)
    function.unit_offset = in.U32();
  if (table.version >= GoTableVersion::kGo120)
    function.start_line = in.U32();
  in.U8();  // kind
  function.flags = in.U8();
  in.U8();
  const uint8_t func_data_count = in.U8();
  if (!in.ok())
    return absl::InvalidArgumentError(base::StrCat("Go table: a function at ", offset));
  if (table.version == GoTableVersion::kGo12 || pc_data_count <= kInlineTreePcData ||
      func_data_count <= kInlineTreeFuncData)
    return function;
  const uint64_t pc_data = in.position();
  function.inline_values = U32At(table.bytes, pc_data + kInlineTreePcData * 4).value_or(0);
  function.inline_tree_slot = InlineTreeSlot(table, pc_data + uint64_t{pc_data_count} * 4);
  return function;
}

std::string_view GoName(const GoTable& table, uint32_t name_offset) {
  return TextAt(table.bytes, table.names_offset + name_offset);
}

std::string_view GoFile(const GoTable& table, uint32_t unit_offset, int64_t value) {
  if (value < 0)
    return {};
  if (table.version == GoTableVersion::kGo12) {
    // The first number of the file table is its count; files start at 1.
    const std::optional<uint32_t> offset =
        U32At(table.bytes, table.files_offset + static_cast<uint64_t>(value) * 4);
    return value > 0 && offset ? TextAt(table.bytes, *offset) : std::string_view();
  }
  const uint64_t index = uint64_t{unit_offset} + static_cast<uint64_t>(value);
  const std::optional<uint32_t> offset = U32At(table.bytes, table.units_offset + index * 4);
  return offset && *offset != kNone ? TextAt(table.bytes, table.files_offset + *offset)
                                    : std::string_view();
}

}  // namespace flarestack::elf
