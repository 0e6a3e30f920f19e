// SPDX-License-Identifier: Apache-2.0
//
// A symbol table is a file, which may be corrupt. The first byte selects the kind of input:
//
//   0  a table with a repaired header, so that lookups reach the corruption: none crashes, none
//      returns more than the format allows, and every text lies inside the file;
//   1  ranges that are written to a table: it returns the same as a plain list of them.
#include <algorithm>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/hash.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/table_writer.h"

namespace flarestack::symbol {
namespace {

constexpr size_t kRangesMax = 500;

void PutNumber(uint64_t number, size_t offset, size_t width, std::string* bytes) {
  for (size_t i = 0; i < width; ++i)
    (*bytes)[offset + i] = static_cast<char>(number >> 8 * i);
}

// Sets valid magic, version, size and checksum, and no more sections than fit.
void MakeHeaderRight(std::string* bytes) {
  if (bytes->size() < kHeaderBytes)
    bytes->resize(kHeaderBytes);
  bytes->replace(0, kTableMagic.size(), kTableMagic);
  PutNumber(kTableVersion, 4, 2, bytes);
  const size_t room = (bytes->size() - kHeaderBytes) / kDirectoryEntryBytes;
  const size_t count = std::min<size_t>(static_cast<uint8_t>((*bytes)[8]), room);
  PutNumber(count, 8, 4, bytes);
  PutNumber(bytes->size(), 40, 8, bytes);
  std::string hashed = bytes->substr(0, 48);
  hashed += bytes->substr(kHeaderBytes, count * kDirectoryEntryBytes);
  PutNumber(base::Hash64(hashed), 48, 8, bytes);
}

void CheckAnswer(const CodeAt& code, const std::string& bytes) {
  FLARE_CHECK(code.frames().size() <= kFramesMax);
  FLARE_CHECK(code.begin() <= code.end());
  const auto is_inside = [&bytes](std::string_view text) {
    return text.empty() || (text.data() >= bytes.data() &&
                            text.data() + text.size() <= bytes.data() + bytes.size());
  };
  for (const elf::SourceFrame& frame : code.frames())
    FLARE_CHECK(is_inside(frame.function) && is_inside(frame.file));
}

void LookUpInDamaged(std::string bytes) {
  MakeHeaderRight(&bytes);
  const auto table = SymbolTable::Open(bytes);
  if (!table.ok())
    return;
  table->VerifyChecksums().IgnoreError();
  table->VisitAll([&bytes](const CodeAt& code) { CheckAnswer(code, bytes); });
  CodeAt code;
  for (int shift = 0; shift < 64; ++shift) {
    for (const uint64_t address : {uint64_t{1} << shift, uint64_t{0x5555555555555555} >> shift}) {
      table->Find(address, &code);
      CheckAnswer(code, bytes);
    }
  }
}

struct PlainRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<elf::SourceFrame> frames;
};

std::vector<PlainRange> RangesOf(base::ByteReader in) {
  static constexpr std::string_view kNames[] = {"a", "_Zfoo", "walk", "main", "x.c", "/y.h"};
  std::vector<PlainRange> ranges;
  uint64_t address = 0;
  while (!in.rest().empty() && ranges.size() < kRangesMax) {
    PlainRange& range = ranges.emplace_back();
    const uint64_t shape = in.Varint();
    address += (shape & 1) != 0 ? shape >> 8 & 0xfff : 0;
    range.begin = address;
    range.end = address += 1 + (shape >> 20 & 0xff);
    range.frames.resize(1 + (shape >> 1 & 7));
    for (elf::SourceFrame& frame : range.frames) {
      const uint64_t about = in.Varint();
      frame = {.function = kNames[about % 6],
               .file = kNames[about / 6 % 6],
               .line = static_cast<uint32_t>(about >> 6),
               .column = static_cast<uint32_t>(about >> 4 & 0xff),
               .start_line = static_cast<uint32_t>(about & 3)};
    }
  }
  return ranges;
}

void WriteAndRead(std::string_view bytes) {
  const std::vector<PlainRange> ranges = RangesOf(base::ByteReader(bytes));
  TableWriter writer;
  for (size_t i = ranges.size(); i-- > 0;) {
    const PlainRange& range = ranges[i];
    FLARE_CHECK(writer.Add({range.begin, range.end, range.frames}, Quality::kDwarf).ok());
  }
  const auto written = writer.Finish();
  FLARE_CHECK(written.ok());
  const auto table = SymbolTable::Open(*written);
  FLARE_CHECK(table.ok() && table->VerifyChecksums().ok());
  CodeAt code;
  uint64_t end_before = 0;
  for (const PlainRange& range : ranges) {
    if (range.begin > end_before)
      FLARE_CHECK(!table->Find(range.begin - 1, &code), range.begin);
    for (const uint64_t address : {range.begin, range.end - 1}) {
      FLARE_CHECK(table->Find(address, &code), address);
      FLARE_CHECK(std::ranges::equal(code.frames(), range.frames), address);
      FLARE_CHECK(code.begin() <= range.begin && code.end() >= range.end, address);
    }
    end_before = range.end;
  }
}

}  // namespace
}  // namespace flarestack::symbol

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0)
    flarestack::symbol::LookUpInDamaged(std::string(rest));
  else
    flarestack::symbol::WriteAndRead(rest);
  return 0;
}
