// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/hour_scan.h"

#include "base/byte_io.h"
#include "base/status.h"
#include "store/rocks/keys.h"

namespace flarestack::store::rocks {

absl::Status ScanHours(
    const Database& database, Family family, TimeRange range,
    absl::FunctionRef<absl::StatusOr<bool>(std::string_view, std::string_view)> take) {
  if (range.from >= range.to)
    return absl::OkStatus();
  const uint32_t last = HourOf(range.to - 1);
  const auto at = database.NewIterator(family);
  for (at->Seek(ToSlice(SamplePrefix(HourOf(range.from)))); at->Valid(); at->Next()) {
    if (base::ByteReader(ToView(at->key())).BigEndian<uint32_t>() > last)
      break;
    FLARE_ASSIGN(const bool go_on, take(ToView(at->key()), ToView(at->value())));
    if (!go_on)
      break;
  }
  return ToStatus(at->status());
}

}  // namespace flarestack::store::rocks
