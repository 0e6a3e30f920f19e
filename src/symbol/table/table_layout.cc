// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_layout.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/byte_reader.h"
#include "base/hash.h"
#include "base/status.h"

namespace flarestack::symbol {
namespace {

void AppendNumber(uint64_t number, uint32_t width, std::string* out) {
  for (uint32_t i = 0; i < width; ++i)
    out->push_back(static_cast<char>(number >> 8 * i));
}

}  // namespace

absl::StatusOr<std::string> TableLayout::Write(const std::vector<RangePiece>& pieces) {
  NumberScopes(pieces);
  AddIds();
  WriteRanges(pieces);
  if (ranges_.size() > std::numeric_limits<uint32_t>::max())
    return absl::ResourceExhaustedError("more than 4 GiB of ranges");
  AddRecords(SectionKind::kBlocks, blocks_);
  AddBytes(SectionKind::kRanges, std::move(ranges_));
  AddScopes();
  AddTexts();
  AddFunctions();
  AddSegments();
  return Assemble(pieces);
}

// Numbers scopes in address order, so that neighbours have adjacent numbers, and outer scopes
// before inner ones, so that following parents terminates.
void TableLayout::NumberScopes(const std::vector<RangePiece>& pieces) {
  scope_number_.assign(writer_.scopes_.size(), kUnnumbered);
  function_number_.assign(writer_.functions_.size(), kUnnumbered);
  std::vector<uint32_t> chain;
  for (const RangePiece& piece : pieces) {
    chain.clear();
    for (uint32_t scope = piece.scope;
         scope != TableWriter::kNone && scope_number_[scope] == kUnnumbered;
         scope = writer_.scopes_[scope].parent)
      chain.push_back(scope);
    for (size_t i = chain.size(); i-- > 0;) {
      scope_number_[chain[i]] = static_cast<uint32_t>(scopes_.size());
      scopes_.push_back(chain[i]);
      const uint32_t function = writer_.scopes_[chain[i]].function;
      if (function_number_[function] == kUnnumbered) {
        function_number_[function] = static_cast<uint32_t>(functions_.size());
        functions_.push_back(function);
      }
    }
  }
}

void TableLayout::WriteRanges(const std::vector<RangePiece>& pieces) {
  uint32_t in_block = kRangesPerBlock;
  uint64_t scope = 0;
  uint64_t line = 0;
  uint64_t column = 0;
  uint64_t end = 0;
  const auto begin_entry = [&](uint64_t address) {
    ++range_count_;
    if (in_block++ < kRangesPerBlock)
      return;
    in_block = 1;
    blocks_.push_back({address, ranges_.size()});
    scope = line = column = 0;
  };
  for (const RangePiece& piece : pieces) {
    // A gap from the lowest code to kernel code is too long for one number.
    for (; piece.begin > end && !blocks_.empty();) {
      const uint64_t length = std::min(piece.begin - end, kRangeBytesMax);
      begin_entry(end);
      base::AppendVarint(length << 2 | kGap, &ranges_);
      end += length;
    }
    begin_entry(piece.begin);
    end = piece.end;
    const uint64_t number = scope_number_[piece.scope];
    const uint64_t form = number == scope ? kSameScope : kOtherScope;
    base::AppendVarint((piece.end - piece.begin) << 2 | form, &ranges_);
    if (form == kOtherScope)
      base::AppendSigned(base::Difference(number, scope), &ranges_);
    const uint64_t has_column = piece.column != column ? 1 : 0;
    base::AppendVarint(base::ZigZag(base::Difference(piece.line, line)) << 1 | has_column,
                       &ranges_);
    if (has_column != 0)
      base::AppendVarint(piece.column, &ranges_);
    scope = number;
    line = piece.line;
    column = piece.column;
  }
}

void TableLayout::AddScopes() {
  std::vector<Record> records;
  records.reserve(scopes_.size());
  for (const uint32_t index : scopes_) {
    const TableWriter::Scope& scope = writer_.scopes_[index];
    Record& record = records.emplace_back();
    record[kScopeFunction] = function_number_[scope.function];
    record[kScopeParent] =
        scope.parent == TableWriter::kNone ? 0 : scope_number_[scope.parent] + uint64_t{1};
    record[kScopeLine] = scope.line;
    record[kScopeColumn] = scope.column;
  }
  AddRecords(SectionKind::kScopes, records);
}

// Sorted, so that the same names give the same bytes in any input order, and so that names of one
// namespace are adjacent.
void TableLayout::AddTexts() {
  constexpr uint64_t kUnused = UINT64_MAX;
  std::vector<uint32_t> used;
  text_offset_.assign(writer_.texts_.size(), kUnused);
  const auto use = [&](uint32_t text) {
    if (text_offset_[text] == kUnused) {
      text_offset_[text] = 0;
      used.push_back(text);
    }
  };
  for (const uint32_t function : functions_) {
    use(writer_.functions_[function].name);
    use(writer_.functions_[function].file);
  }
  std::ranges::sort(used, {}, [this](uint32_t text) { return writer_.texts_[text]; });
  std::string bytes;
  for (const uint32_t text : used) {
    text_offset_[text] = bytes.size();
    base::AppendBytes(writer_.texts_[text], &bytes);
  }
  AddBytes(SectionKind::kTexts, std::move(bytes));
}

void TableLayout::AddFunctions() {
  std::vector<Record> records;
  records.reserve(functions_.size());
  for (const uint32_t index : functions_) {
    const TableWriter::Function& function = writer_.functions_[index];
    Record& record = records.emplace_back();
    record[kFunctionName] = text_offset_[function.name];
    record[kFunctionFile] = text_offset_[function.file];
    record[kFunctionLine] = function.start_line;
    record[kFunctionQuality] = static_cast<uint64_t>(function.quality);
  }
  AddRecords(SectionKind::kFunctions, records);
}

void TableLayout::AddIds() {
  std::string bytes;
  base::AppendVarint(writer_.ids_.size(), &bytes);
  for (const FileId& id : writer_.ids_) {
    base::AppendVarint(static_cast<uint64_t>(id.kind), &bytes);
    base::AppendBytes(id.text, &bytes);
  }
  AddBytes(SectionKind::kIds, std::move(bytes));
}

void TableLayout::AddSegments() {
  std::vector<Record> records;
  for (const elf::Segment& segment : writer_.segments_) {
    Record& record = records.emplace_back();
    record[kSegmentOffset] = segment.offset;
    record[kSegmentAddress] = segment.address;
    record[kSegmentBytes] = segment.file_bytes;
    record[kSegmentIsCode] = segment.is_executable() ? 1 : 0;
  }
  AddRecords(SectionKind::kSegments, records);
}

void TableLayout::AddRecords(SectionKind kind, const std::vector<Record>& records) {
  Record highest = {};
  highest[0] = 1;  // every record has at least one byte, so that their count is preserved
  for (const Record& record : records) {
    for (size_t field = 0; field < record.size(); ++field)
      highest[field] = std::max(highest[field], record[field]);
  }
  RecordTable::Widths widths = {};
  for (size_t field = 0; field < widths.size(); ++field)
    widths[field] = static_cast<uint8_t>((std::bit_width(highest[field]) + 7) / 8);
  std::string bytes;
  for (const Record& record : records) {
    for (size_t field = 0; field < record.size(); ++field)
      AppendNumber(record[field], widths[field], &bytes);
  }
  sections_.push_back({kind, widths, std::move(bytes)});
}

void TableLayout::AddBytes(SectionKind kind, std::string bytes) {
  sections_.push_back({kind, {}, std::move(bytes)});
}

std::string TableLayout::Assemble(const std::vector<RangePiece>& pieces) const {
  std::string directory;
  uint64_t offset = kHeaderBytes + sections_.size() * kDirectoryEntryBytes;
  for (const Section& section : sections_) {
    AppendNumber(static_cast<uint64_t>(section.kind), 4, &directory);
    for (const uint8_t width : section.widths)
      AppendNumber(width, 1, &directory);
    AppendNumber(offset, 8, &directory);
    AppendNumber(section.bytes.size(), 8, &directory);
    AppendNumber(base::Hash64(section.bytes), 8, &directory);
    offset += section.bytes.size();
  }
  std::string file(kTableMagic);
  file.reserve(static_cast<size_t>(offset));
  AppendNumber(kTableVersion, 2, &file);
  AppendNumber(writer_.machine_, 2, &file);
  AppendNumber(sections_.size(), 4, &file);
  AppendNumber(0, 4, &file);
  AppendNumber(pieces.empty() ? 0 : pieces.front().begin, 8, &file);
  AppendNumber(pieces.empty() ? 0 : pieces.back().end, 8, &file);
  AppendNumber(range_count_, 8, &file);
  AppendNumber(offset, 8, &file);
  AppendNumber(base::Hash64(file + directory), 8, &file);
  file += directory;
  for (const Section& section : sections_)
    file += section.bytes;
  return file;
}

}  // namespace flarestack::symbol
