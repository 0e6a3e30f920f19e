// SPDX-License-Identifier: Apache-2.0
//
// Go's counts of stacks, named after the counted thing:
//
//   goroutine profile: total 12
//   11 @ 0x43e6d6 0x4a1b05 0x46c2a1
//   #<tab>0x4a1b04<tab>main.worker+0x24<tab>/src/cart/main.go:31
#include <array>
#include <optional>
#include <vector>

#include "base/status.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/legacy_text.h"
#include "codec/pprof/legacy/symbol_comments.h"

namespace flarestack::codec::pprof::legacy {
namespace {

// Returns the name of the counted thing if the line is a header: a word, "profile: total", a
// number.
std::optional<std::string_view> CountedThing(std::string_view line) {
  Cursor in(line);
  const std::string_view thing = in.Word();
  if (thing.empty() || !in.Eat(" profile: total ") || !in.Decimal() || !in.AtEnd()) {
    return std::nullopt;
  }
  return thing;
}

absl::Status ReadSample(const Lines& lines, Builder& builder) {
  Cursor in(lines.line());
  const std::optional<int64_t> count = in.SignedDecimal();
  if (!count || *count < 0 || !in.Eat(" @")) {
    return absl::InvalidArgumentError("expected a row \"count @ addresses\"");
  }
  FLARE_ASSIGN(std::vector<uint64_t> addresses, ReadAddresses(in));
  WarnOfRest(in, lines, &builder.warnings());
  MoveIntoCalls(Leaf::kReturnAddress, addresses);
  builder.AddSample(addresses, std::array<int64_t, 1>{*count});
  return absl::OkStatus();
}

}  // namespace

bool IsCountHeader(std::string_view line) { return CountedThing(line).has_value(); }

absl::Status ReadCountProfile(std::string_view bytes, Builder& builder) {
  Lines lines(bytes);
  lines.NextMeaningful();
  const std::optional<std::string_view> thing = CountedThing(lines.line());
  if (!thing) {
    return lines.Error("not a header of a count");
  }
  Profile& profile = builder.profile();
  profile.sample_types = {{*thing, "count"}};
  profile.period_type = {*thing, "count"};
  profile.period = 1;
  SymbolComments symbols(builder);
  while (lines.Next()) {
    if (symbols.Take(lines.line()) || lines.line().empty()) {
      continue;
    }
    if (lines.line().starts_with("---") || StartsMemoryMap(lines.line())) {
      break;
    }
    if (absl::Status added = ReadSample(lines, builder); !added.ok()) {
      return lines.Error(base::Message(added));
    }
  }
  symbols.Finish();
  if (lines.SkipToMemoryMap()) {
    ReadMemoryMap(lines, &profile, &builder.warnings());
  }
  return absl::OkStatus();
}

}  // namespace flarestack::codec::pprof::legacy
