// SPDX-License-Identifier: Apache-2.0
//
// The part of LineTable that reads the header of a line program: its parameters, directories and
// files (DWARF 5, 6.2.4; in DWARF 2 to 4 these are lists that end with an empty name).
#include <utility>

#include "base/status.h"
#include "elf/dwarf/line_table.h"

namespace flarestack::elf {
namespace {

enum Content : uint64_t { kPath = 1, kDirectoryIndex = 2 };

enum Form : uint64_t {
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kSdata = 0x0d,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kSecOffset = 0x17,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
};

struct FormValue {
  uint64_t number = 0;
  std::string_view text;
};

uint64_t Offset(uint8_t offset_bytes, ByteCursor& in) {
  return offset_bytes == 8 ? in.U64() : in.U32();
}

std::string_view TextAt(std::string_view section, uint64_t offset) {
  if (offset >= section.size())
    return {};
  return ByteCursor(section.substr(static_cast<size_t>(offset))).Text();
}

// Returns false for a form that no line program uses. Its size is unknown, so reading must stop.
bool ReadForm(uint64_t form, uint8_t offset_bytes, const LineSections& sections, ByteCursor& in,
              FormValue* value) {
  *value = {};
  switch (form) {
    case kString:
      value->text = in.Text();
      return true;
    case kStrp:
      value->text = TextAt(sections.debug_str, Offset(offset_bytes, in));
      return true;
    case kLineStrp:
      value->text = TextAt(sections.debug_line_str, Offset(offset_bytes, in));
      return true;
    case kUdata:
      value->number = in.Uleb();
      return true;
    case kSdata:
      value->number = static_cast<uint64_t>(in.Sleb());
      return true;
    case kData1:
      value->number = in.U8();
      return true;
    case kData2:
      value->number = in.U16();
      return true;
    case kData4:
      value->number = in.U32();
      return true;
    case kData8:
      value->number = in.U64();
      return true;
    case kSecOffset:
      value->number = Offset(offset_bytes, in);
      return true;
    case kData16:
      in.Take(16);
      return true;
    case kBlock:
      in.Take(in.Uleb());
      return true;
    case kBlock1:
      in.Take(in.U8());
      return true;
    case kBlock2:
      in.Take(in.U16());
      return true;
    case kBlock4:
      in.Take(in.U32());
      return true;
    default:
      return false;
  }
}

absl::Status TooShort() { return absl::InvalidArgumentError("the header is truncated"); }

}  // namespace

absl::Status LineTable::ReadHeader(ByteCursor& in, const LineSections& sections) {
  uint64_t length = in.U32();
  if (length == 0xffffffff) {
    header_.offset_bytes = 8;
    length = in.U64();
  }
  ByteCursor unit(in.Take(length));
  if (!in.ok())
    return absl::InvalidArgumentError("longer than its section");
  header_.version = unit.U16();
  if (header_.version < 2 || header_.version > 5)
    return absl::UnimplementedError(base::StrCat("version ", header_.version));
  if (header_.version >= 5) {
    header_.address_bytes = unit.U8();
    unit.U8();  // the size of a segment selector
  }
  const uint64_t header_length = Offset(header_.offset_bytes, unit);
  ByteCursor in_header(unit.Take(header_length));
  header_.program = unit.rest();
  header_.instruction_bytes_min = in_header.U8();
  if (header_.version >= 4)
    in_header.U8();  // operations per instruction, which is 1 except for VLIW
  in_header.U8();    // default of is_stmt
  header_.line_base = static_cast<int8_t>(in_header.U8());
  header_.line_range = in_header.U8();
  header_.opcode_base = in_header.U8();
  if (!unit.ok() || !in_header.ok())
    return TooShort();
  if (header_.line_range == 0 || header_.opcode_base == 0)
    return absl::InvalidArgumentError("no line range, or no opcode base");
  header_.opcode_lengths = in_header.Take(header_.opcode_base - 1u);
  if (!in_header.ok())
    return TooShort();
  if (header_.version < 5)
    return ReadOldNames(in_header);
  FLARE_RETURN_IF_ERROR(ReadNames(in_header, sections, true));
  return ReadNames(in_header, sections, false);
}

absl::Status LineTable::ReadOldNames(ByteCursor& in) {
  for (std::string_view name = in.Text(); !name.empty(); name = in.Text()) {
    directories_.push_back(name);
    if (directories_.size() > limits_.files_max)
      return absl::ResourceExhaustedError("too many directories");
  }
  for (std::string_view name = in.Text(); !name.empty(); name = in.Text()) {
    FileEntry file;
    file.name = name;
    file.directory = in.Uleb();
    in.Uleb();  // time
    in.Uleb();  // size
    files_.push_back(std::move(file));
    if (files_.size() > limits_.files_max)
      return absl::ResourceExhaustedError("too many files");
  }
  return in.ok() ? absl::OkStatus() : TooShort();
}

// In version 5, directories and files have the same layout: the columns, then the rows.
absl::Status LineTable::ReadNames(ByteCursor& in, const LineSections& sections, bool directories) {
  std::vector<std::pair<uint64_t, uint64_t>> columns;
  const uint8_t column_count = in.U8();
  for (int i = 0; i < column_count; ++i) {
    const uint64_t content = in.Uleb();
    columns.emplace_back(content, in.Uleb());
  }
  const uint64_t count = in.Uleb();
  if (!in.ok())
    return TooShort();
  // A name takes at least one byte, so a count cannot reserve more than the file contains.
  if (count > limits_.files_max || count > in.rest().size())
    return absl::ResourceExhaustedError(base::StrCat(count, " files or directories"));
  for (uint64_t i = 0; i < count; ++i) {
    FileEntry file;
    for (const auto& [content, form] : columns) {
      FormValue value;
      if (!ReadForm(form, header_.offset_bytes, sections, in, &value))
        return absl::UnimplementedError(base::StrCat("form ", base::Hex(form)));
      if (content == kPath)
        file.name = value.text;
      else if (content == kDirectoryIndex)
        file.directory = value.number;
    }
    if (!in.ok())
      return TooShort();
    if (directories)
      directories_.push_back(file.name);
    else
      files_.push_back(std::move(file));
  }
  return absl::OkStatus();
}

}  // namespace flarestack::elf
