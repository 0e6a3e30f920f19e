// SPDX-License-Identifier: Apache-2.0
#include "store/minute_sums.h"

#include "base/byte_io.h"
#include "base/status.h"

namespace flarestack::store {
namespace {

constexpr char kVersion = 1;

}  // namespace

std::string EncodeMinuteSums(const MinuteSums& minutes) {
  std::string out(1, kVersion);
  for (uint32_t minute = 0; minute < kMinutesPerHour; ++minute) {
    if (minutes[minute] == StackSums())
      continue;
    const std::string sums = EncodeStackSums(minutes[minute]);
    base::AppendVarint(minute, &out);
    base::AppendVarint(sums.size(), &out);
    out += sums;
  }
  return out;
}

absl::Status AddMinutes(std::string_view bytes, uint32_t first, uint32_t end, StackSummer* summer) {
  if (bytes.empty() || bytes[0] != kVersion)
    return absl::DataLossError("roll-up of minutes: not of a version this program knows");
  base::ByteReader in(bytes.substr(1));
  while (!in.rest().empty()) {
    const uint32_t minute = in.Varint32();
    const std::string_view encoded = in.Bytes();
    if (!in.ok() || minute >= kMinutesPerHour)
      return absl::DataLossError("roll-up of minutes: cut short");
    if (minute < first || minute >= end)
      continue;
    StackSums sums;
    FLARE_RETURN_IF_ERROR(DecodeStackSums(encoded, &sums));
    summer->Add(sums);
  }
  return absl::OkStatus();
}

}  // namespace flarestack::store
