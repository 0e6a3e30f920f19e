// SPDX-License-Identifier: Apache-2.0
//
// The last step of TableWriter: numbers scopes, functions and texts in address order, and writes
// the sections of the file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/table/range_overlay.h"
#include "symbol/table/table_format.h"
#include "symbol/table/table_writer.h"

namespace flarestack::symbol {

class TableLayout {
 public:
  explicit TableLayout(const TableWriter& writer) : writer_(writer) {}

  // `pieces` are ascending and do not overlap.
  absl::StatusOr<std::string> Write(const std::vector<RangePiece>& pieces);

 private:
  using Record = std::array<uint64_t, RecordTable::kFieldsMax>;
  struct Section {
    SectionKind kind = SectionKind::kIds;
    RecordTable::Widths widths = {};
    std::string bytes;
  };
  static constexpr uint32_t kUnnumbered = UINT32_MAX;

  void NumberScopes(const std::vector<RangePiece>& pieces);
  void AddTexts();
  void WriteRanges(const std::vector<RangePiece>& pieces);
  void AddRecords(SectionKind kind, const std::vector<Record>& records);
  void AddBytes(SectionKind kind, std::string bytes);
  void AddScopes();
  void AddFunctions();
  void AddIds();
  void AddSegments();
  std::string Assemble(const std::vector<RangePiece>& pieces) const;

  const TableWriter& writer_;
  std::vector<uint32_t> scope_number_;  // by the writer's number
  std::vector<uint32_t> scopes_;        // the writer's numbers, in our order
  std::vector<uint32_t> function_number_;
  std::vector<uint32_t> functions_;
  std::vector<uint64_t> text_offset_;  // by the writer's number
  std::string ranges_;
  std::vector<Record> blocks_;
  uint64_t range_count_ = 0;
  std::vector<Section> sections_;
};

}  // namespace flarestack::symbol
