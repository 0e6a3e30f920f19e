// SPDX-License-Identifier: Apache-2.0
//
// Builds a symbol table file (docs/formats/symbols.md) from code ranges. They may come in any order
// and from several sources; the same ranges give the same bytes. Texts are copied. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/memory/arena.h"
#include "elf/code_range.h"
#include "elf/elf_file.h"
#include "symbol/table/range_overlay.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct TableLimits {
  uint64_t ranges_max = 200'000'000;
  uint64_t scopes_max = 200'000'000;  // functions and inlined calls
  uint64_t text_bytes_max = uint64_t{2} << 30;
};

class TableWriter {
 public:
  explicit TableWriter(const TableLimits& limits = {});

  void SetMachine(uint16_t machine) { machine_ = machine; }
  void AddId(FileId id);
  // How the file is loaded. If only a debug file is known, its segments have no bytes, because its
  // offsets differ from those of the program.
  void SetSegments(std::vector<elf::Segment> segments) { segments_ = std::move(segments); }

  // Where ranges overlap, the better quality wins; of equal quality, the one that begins first. A
  // range whose outermost function has no name gets that of the next best source. If no source has
  // a name, the range is dropped, unless it comes from unwind tables, which have functions without
  // names.
  //
  // Returns kResourceExhausted if a limit is reached, and kInvalidArgument for an empty range and
  // for one with no frames or too many.
  absl::Status Add(const elf::CodeRange& range, Quality quality);

  // Returns the bytes of the file, or kResourceExhausted if they would not fit the format. Call
  // once.
  absl::StatusOr<std::string> Finish();

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  struct Function {
    uint32_t name = 0;
    uint32_t file = 0;
    uint32_t start_line = 0;
    Quality quality = Quality::kDwarf;
    friend bool operator==(const Function&, const Function&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Function& function) {
      return H::combine(std::move(state), function.name, function.file, function.start_line,
                        function.quality);
    }
  };
  struct Scope {
    uint32_t function = 0;
    uint32_t parent = kNone;
    uint32_t line = 0;  // where the parent calls it
    uint32_t column = 0;
    friend bool operator==(const Scope&, const Scope&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Scope& scope) {
      return H::combine(std::move(state), scope.function, scope.parent, scope.line, scope.column);
    }
  };

  uint32_t InternText(std::string_view text);
  uint32_t InternFunction(const Function& function);
  uint32_t InternScope(const Scope& scope);
  bool LacksName(uint32_t scope) const;
  uint32_t Renamed(const RangePiece& piece, const RangePiece& other);
  bool ComesBefore(const RangePiece& a, const RangePiece& b) const;
  int CompareScopes(uint32_t a, uint32_t b) const;
  std::vector<RangePiece> Merge();

  friend class TableLayout;

  TableLimits limits_;
  uint16_t machine_ = 0;
  std::vector<FileId> ids_;
  std::vector<elf::Segment> segments_;
  base::Arena arena_;
  uint64_t text_bytes_ = 0;
  std::vector<std::string_view> texts_;
  std::vector<Function> functions_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<std::string_view, uint32_t> text_index_;
  absl::flat_hash_map<Function, uint32_t> function_index_;
  absl::flat_hash_map<Scope, uint32_t> scope_index_;
  std::array<std::vector<RangePiece>, kQualityCount> pieces_;
  uint64_t range_count_ = 0;
};

}  // namespace flarestack::symbol
