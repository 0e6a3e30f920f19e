// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the parts of DWARF that we read ourselves: line programs, and ranges from scopes and
// lines. libdw is excluded: its authors do not claim that it is safe, so only its crashes would be
// found, and a process per input is too slow to find anything else. The first bytes of the input
// describe scopes, the rest is a line program.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/byte_reader.h"
#include "base/check.h"
#include "elf/code_cover.h"
#include "elf/dwarf/dwarf_scopes.h"
#include "elf/dwarf/line_table.h"

namespace flarestack::elf {
namespace {

constexpr LineLimits kLimits = {.rows_max = 10'000, .files_max = 1'000, .path_bytes_max = 1 << 20};
constexpr size_t kScopesMax = 64;
constexpr uint64_t kCodeEnd = 1 << 20;

void CheckRows(const LineTable& table) {
  const std::vector<LineRow>& rows = table.rows();
  FLARE_CHECK(rows.size() <= 2 * kLimits.rows_max);
  for (size_t i = 1; i < rows.size(); ++i)
    FLARE_CHECK(rows[i - 1].address <= rows[i].address, i);
  FLARE_CHECK(rows.empty() || rows.back().end);
}

// Functions from arbitrarily overlapping ranges, and inlined calls that may extend beyond them.
void ScopesOf(base::ByteReader& in, std::vector<Scope>* scopes,
              std::vector<ScopeInterval>* intervals) {
  CodeCover cover;
  const size_t count = std::min<size_t>(in.Varint() % kScopesMax, in.rest().size());
  for (uint32_t i = 0; i < count; ++i) {
    Scope& scope = scopes->emplace_back();
    scope.function = i % 2 == 0 ? "even" : "odd";
    const uint64_t parent = in.Varint();
    scope.parent = i == 0 || parent % 3 == 0 ? kNoScope : static_cast<uint32_t>(parent % i);
    scope.call_line = i;
    scope.call_file = in.Varint();
    const uint64_t begin = in.Varint() % kCodeEnd;
    const uint64_t end = begin + in.Varint() % 4096;
    if (scope.parent != kNoScope) {
      intervals->push_back({begin, end, i});
      continue;
    }
    struct Piece {
      uint64_t begin;
      uint64_t end;
    };
    std::vector<Piece> pieces;
    cover.Take(begin, end, &pieces);
    for (const Piece& piece : pieces)
      intervals->push_back({piece.begin, piece.end, i});
  }
}

void CheckInnermost(const std::vector<ScopeInterval>& before,
                    const std::vector<ScopeInterval>& after) {
  for (size_t i = 1; i < after.size(); ++i)
    FLARE_CHECK(after[i - 1].end <= after[i].begin, i);
  for (const ScopeInterval& interval : after) {
    FLARE_CHECK(interval.begin < interval.end);
    // The innermost has the latest begin, then the earliest end, then the highest number.
    const ScopeInterval* best = nullptr;
    for (const ScopeInterval& candidate : before) {
      if (candidate.begin > interval.begin || candidate.end <= interval.begin)
        continue;
      if (best == nullptr || std::tuple(candidate.begin, best->end, candidate.scope) >
                                 std::tuple(best->begin, candidate.end, best->scope))
        best = &candidate;
    }
    FLARE_CHECK(best != nullptr && best->scope == interval.scope, interval.begin);
  }
}

}  // namespace
}  // namespace flarestack::elf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flarestack;  // NOLINT(google-build-using-namespace): a program of one function
  using namespace flarestack::elf;  // NOLINT(google-build-using-namespace): likewise
  base::ByteReader in(std::string_view(reinterpret_cast<const char*>(data), size));
  std::vector<Scope> scopes;
  std::vector<ScopeInterval> intervals;
  ScopesOf(in, &scopes, &intervals);
  const std::string_view program = in.rest();
  LineTable lines;
  const absl::Status status =
      lines.Read({.debug_line = program, .debug_line_str = program, .debug_str = program},
                 {.directory = "/d"}, kLimits, [](uint64_t address) { return address < kCodeEnd; });
  FLARE_CHECK(status.ok() || !status.message().empty());
  CheckRows(lines);
  const std::vector<ScopeInterval> before = intervals;
  std::vector<ScopeInterval> scratch;
  KeepInnermost(&intervals, &scratch);
  CheckInnermost(before, intervals);
  uint64_t end = 0;
  const auto check = [&end](const CodeRange& range) {
    FLARE_CHECK(end <= range.begin && range.begin < range.end, range.begin);
    FLARE_CHECK(!range.frames.empty() && range.frames.size() <= kScopesMax);
    end = range.end;
    return absl::OkStatus();
  };
  RangeBuilder builder;
  FLARE_CHECK(builder.Build(scopes, intervals, &lines, check).ok());
  end = 0;
  FLARE_CHECK(builder.BuildLinesAlone(&lines, check).ok());
  return 0;
}
