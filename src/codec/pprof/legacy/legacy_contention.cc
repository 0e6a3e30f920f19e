// SPDX-License-Identifier: Apache-2.0
//
// Lock delays. "--- contentionz 1 ---" comes from C++, "--- mutex:" and "--- contention:" from Go.
//
//   --- mutex:
//   cycles/second=2600000000
//   sampling period=5
//   52000000 4 @ 0x46a1f3 0x4b2c40
#include <array>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/legacy_text.h"
#include "codec/pprof/legacy/symbol_comments.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;

struct Attributes {
  int64_t cycles_per_second = 0;  // 0 if not given: delays stay unchanged
  int64_t period = 1;
  int64_t since_reset_ms = 0;
};

// "name = number". Unknown names are skipped: they do not affect the meaning of the rows.
absl::Status ReadAttribute(const Lines& lines, Attributes& attributes, Builder& builder) {
  const size_t equals = lines.line().find('=');
  const std::string_view name = Trim(lines.line().substr(0, equals));
  int64_t* number = nullptr;
  if (name == "cycles/second") {
    number = &attributes.cycles_per_second;
  } else if (name == "sampling period") {
    number = &attributes.period;
  } else if (name == "ms since reset") {
    number = &attributes.since_reset_ms;
  } else {
    if (name != "discarded samples") {
      builder.warnings().Add("unknown attribute", base::Message(lines.Error("skipped")));
    }
    return absl::OkStatus();
  }
  const std::optional<int64_t> value = ParseInteger(Trim(lines.line().substr(equals + 1)));
  if (!value) {
    return absl::InvalidArgumentError("an attribute that is not a 64-bit number");
  }
  *number = *value;
  return absl::OkStatus();
}

// Delay and count of a row are sampled: one in `period` contentions.
absl::Status ReadSample(const Lines& lines, const Attributes& attributes, Builder& builder) {
  Cursor in(lines.line());
  const std::optional<int64_t> sampled_delay = in.SignedDecimal();
  in.EatBlanks();
  const std::optional<int64_t> sampled_count = in.SignedDecimal();
  in.EatBlanks();
  if (!sampled_delay || !sampled_count || *sampled_delay < 0 || *sampled_count < 0 ||
      !in.Eat("@")) {
    return absl::InvalidArgumentError("expected a row \"delay count @ addresses\"");
  }
  int64_t delay = *sampled_delay;
  int64_t count = *sampled_count;
  if (attributes.period > 0) {
    if (attributes.cycles_per_second > 0) {
      const double cycles_per_ns = static_cast<double>(attributes.cycles_per_second) / 1e9;
      delay = SaturatingFromDouble(static_cast<double>(delay) *
                                   static_cast<double>(attributes.period) / cycles_per_ns);
    }
    count = SaturatingMultiply(count, attributes.period);
  }
  FLARE_ASSIGN(std::vector<uint64_t> addresses, ReadAddresses(in));
  WarnOfRest(in, lines, &builder.warnings());
  MoveIntoCalls(Leaf::kReturnAddress, addresses);
  builder.AddSample(addresses, std::array<int64_t, 2>{count, delay});
  return absl::OkStatus();
}

absl::Status ReadRow(const Lines& lines, bool is_header, Attributes& attributes, Builder& builder) {
  return is_header ? ReadAttribute(lines, attributes, builder)
                   : ReadSample(lines, attributes, builder);
}

}  // namespace

bool IsContentionHeader(std::string_view line) {
  return line.starts_with("--- contentionz ") || line.starts_with("--- mutex:") ||
         line.starts_with("--- contention:");
}

absl::Status ReadContentionProfile(std::string_view bytes, Builder& builder) {
  Lines lines(bytes);
  lines.NextMeaningful();
  Profile& profile = builder.profile();
  profile.sample_types = {{"contentions", "count"}, {"delay", "nanoseconds"}};
  profile.period_type = {"contentions", "count"};
  Attributes attributes;
  SymbolComments symbols(builder);
  bool is_header = true;
  while (lines.Next()) {
    if (symbols.Take(lines.line()) || lines.line().empty()) {
      continue;
    }
    if (lines.line().starts_with("---") || StartsMemoryMap(lines.line())) {
      break;
    }
    is_header = is_header && lines.line().find('=') != std::string_view::npos;
    if (absl::Status read = ReadRow(lines, is_header, attributes, builder); !read.ok()) {
      return lines.Error(base::Message(read));
    }
  }
  symbols.Finish();
  profile.period = attributes.period;
  profile.duration_nanos = SaturatingMultiply(attributes.since_reset_ms, kNanosPerMilli);
  if (lines.SkipToMemoryMap()) {
    ReadMemoryMap(lines, &profile, &builder.warnings());
  }
  return absl::OkStatus();
}

}  // namespace flarestack::codec::pprof::legacy
