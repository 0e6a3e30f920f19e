// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/hour_scan.h"

#include <algorithm>
#include <optional>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/chunk_scan.h"

namespace flarestack::store::rocks {
namespace {

uint32_t HourAt(const rocksdb::Iterator& at) {
  return base::ByteReader(ToView(at.key())).BigEndian<uint32_t>();
}

// Skips hours without entries, so that an unbounded range costs nothing.
class HourWalk {
 public:
  HourWalk(const Database& database, const HourScan& scan)
      : at_(database.NewIterator(scan.family)),
        first_(HourOf(scan.range.from)),
        last_(HourOf(scan.range.to - 1)),
        is_forward_(scan.order == TimeOrder::kOldestFirst) {}

  absl::Status Run(const HourVisitor& visitor) {
    SeekAfter(is_forward_ ? first_ : last_ + 1);
    while (at_->Valid()) {
      const uint32_t hour = HourAt(*at_);
      if (hour < first_ || hour > last_)
        break;
      if (!is_forward_)
        at_->Seek(ToSlice(SamplePrefix(hour)));
      for (; at_->Valid() && HourAt(*at_) == hour; at_->Next()) {
        FLARE_RETURN_IF_ERROR(visitor.take(ToView(at_->key()), ToView(at_->value())));
        if (!visitor.on_progress())
          return absl::OkStatus();
      }
      if (visitor.is_done())
        break;
      FLARE_RETURN_IF_ERROR(ToStatus(at_->status()));
      if (!is_forward_)
        SeekAfter(hour);
    }
    return ToStatus(at_->status());
  }

 private:
  // Seeks to the first entry of `hour` or later, or to the last entry of an earlier hour.
  void SeekAfter(uint32_t hour) {
    const std::string prefix = SamplePrefix(hour);
    if (is_forward_)
      at_->Seek(ToSlice(prefix));
    else
      at_->SeekForPrev(ToSlice(prefix));
  }

  const std::unique_ptr<rocksdb::Iterator> at_;
  const uint32_t first_;
  const uint32_t last_;
  const bool is_forward_;
};

// After this many consecutive empty hours, look up the next stored hour. A single entry of 1970
// would otherwise cost half a million lookups.
constexpr uint32_t kEmptyHoursMax = 256;

// The first hour from `hour` on that has any entry; nullopt if there is none.
std::optional<uint32_t> NextStoredHour(const Database& database, Family family, uint32_t hour) {
  const auto at = database.NewIterator(family);
  at->Seek(ToSlice(SamplePrefix(hour)));
  return at->Valid() ? std::optional(HourAt(*at)) : std::nullopt;
}

}  // namespace

absl::Status FindInHours(const Database& database, const HourPrefix& wanted,
                         const EntryVisitor& visitor) {
  const std::optional<HourSpan> stored = StoredHours(database, wanted.family);
  if (!stored.has_value() || wanted.range.from >= wanted.range.to)
    return absl::OkStatus();
  const uint32_t last = std::min(stored->last, HourOf(wanted.range.to - 1));
  const auto at = database.NewPrefixIterator(wanted.family);
  uint32_t empty_hours = 0;
  for (uint32_t hour = std::max(stored->first, HourOf(wanted.range.from)); hour <= last; ++hour) {
    const std::string prefix = SamplePrefix(hour) + wanted.prefix;
    ++empty_hours;
    for (at->Seek(ToSlice(prefix)); at->Valid() && at->key().starts_with(ToSlice(prefix));
         at->Next()) {
      FLARE_RETURN_IF_ERROR(visitor.take(ToView(at->key()), ToView(at->value())));
      if (!visitor.on_progress())
        return absl::OkStatus();
      empty_hours = 0;
    }
    FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
    if (empty_hours < kEmptyHoursMax)
      continue;
    empty_hours = 0;
    const std::optional<uint32_t> next = NextStoredHour(database, wanted.family, hour + 1);
    if (!next.has_value())
      break;
    hour = *next - 1;
  }
  return absl::OkStatus();
}

absl::Status ScanHours(const Database& database, const HourScan& scan, const HourVisitor& visitor) {
  if (scan.range.from >= scan.range.to)
    return absl::OkStatus();
  return HourWalk(database, scan).Run(visitor);
}

}  // namespace flarestack::store::rocks
