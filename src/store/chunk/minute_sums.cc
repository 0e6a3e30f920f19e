// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/minute_sums.h"

#include "base/byte_reader.h"
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

absl::Status ForEachMinute(std::string_view bytes, MinuteRange range,
                           absl::FunctionRef<void(uint32_t minute, const StackSums&)> take) {
  if (bytes.empty() || bytes[0] != kVersion)
    return absl::DataLossError("roll-up of minutes: unsupported version");
  base::ByteReader in(bytes.substr(1));
  StackSums sums;
  while (!in.rest().empty()) {
    const uint32_t minute = in.Varint32();
    const std::string_view encoded = in.Bytes();
    if (!in.ok() || minute >= kMinutesPerHour)
      return absl::DataLossError("roll-up of minutes: truncated");
    if (minute < range.first || minute >= range.end)
      continue;
    FLARE_RETURN_IF_ERROR(DecodeStackSums(encoded, &sums));
    take(minute, sums);
  }
  return absl::OkStatus();
}

}  // namespace flarestack::store
