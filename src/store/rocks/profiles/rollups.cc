// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/rollups.h"

#include <algorithm>
#include <array>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/chunk/minute_sums.h"
#include "store/rocks/database/chunk_merge.h"
#include "store/rocks/profiles/chunk_scan.h"

namespace flarestack::store::rocks {
namespace {

constexpr std::string_view kRolledKey = "rolled";
constexpr std::string_view kDirtyPrefix = "dirty";

uint32_t MinuteOf(uint64_t nanos) {
  return static_cast<uint32_t>(nanos % kNanosPerHour / kNanosPerMinute);
}

std::string DirtyKey(uint32_t hour, uint32_t series) {
  return std::string(kDirtyPrefix) + SamplePrefix(hour, series);
}

absl::Status Write(const Database& database, Changes* changes) {
  FLARE_RETURN_IF_ERROR(changes->status());
  if (DiskQuota* const quota = database.quota(); quota != nullptr) {
    if (!quota->CanSpare(changes->bytes()))
      return absl::ResourceExhaustedError("no room on disk for roll-ups");
    quota->AddWritten(changes->bytes());
  }
  return ToStatus(database.Write(rocksdb::WriteOptions(), changes));
}

// The series that have samples in an hour.
std::vector<uint32_t> SeriesOf(const Database& database, uint32_t hour) {
  std::vector<uint32_t> series;
  const std::string prefix = SamplePrefix(hour);
  const ReadingPieces pieces;
  const auto at = database.NewIterator(Family::kSamples);
  for (at->Seek(ToSlice(prefix)); at->Valid() && at->key().starts_with(ToSlice(prefix));
       at->Next()) {
    const auto key = SampleKey::Decode(ToView(at->key()));
    if (key.has_value() && (series.empty() || series.back() != key->series))
      series.push_back(key->series);
  }
  return series;
}

// The next hour after `hour` that has samples; nullopt if there is none.
std::optional<uint32_t> NextHour(const Database& database, uint32_t hour) {
  const ReadingPieces pieces;
  const auto at = database.NewIterator(Family::kSamples);
  at->Seek(ToSlice(SamplePrefix(hour + 1)));
  if (!at->Valid())
    return std::nullopt;
  return base::ByteReader(ToView(at->key())).BigEndian<uint32_t>();
}

// An hour, summed from its chunks.
struct HourSums {
  MinuteSums minutes;
  StackSums whole;
  uint64_t rows = 0;

  // The roll-up is worth its space only if each sum of a minute replaces at least this many rows.
  bool AreMinutesWorthIt() const {
    constexpr uint64_t kRowsPerSum = 4;
    uint64_t sums = 0;
    for (const StackSums& minute : minutes)
      sums += minute.stacks.size();
    return rows >= sums * kRowsPerSum;
  }
};

absl::StatusOr<HourSums> SumHour(const Database& database, uint32_t hour, uint32_t series) {
  const TimeRange range = {.from = uint64_t{hour} * kNanosPerHour,
                           .to = (uint64_t{hour} + 1) * kNanosPerHour};
  std::array<StackSummer, kMinutesPerHour> minutes;
  HourSums sums;
  ProfileTally tally;
  FLARE_RETURN_IF_ERROR(
      ForEachChunk(database, series, range, ChunkColumns::kAllButAttributes,
                   [&](uint32_t at_hour, const Chunk& chunk) {
                     for (const ChunkRow& row : chunk.rows)
                       minutes[MinuteOf(row.time)].Add(row.stack, row.value, 1);
                     sums.rows += chunk.rows.size();
                     tally.Add(at_hour, chunk.profiles, range, [&](const ChunkProfile& profile) {
                       minutes[MinuteOf(profile.time)].AddProfiles(1, profile.duration);
                     });
                     return absl::OkStatus();
                   }));
  StackSummer whole;
  for (uint32_t minute = 0; minute < kMinutesPerHour; ++minute) {
    sums.minutes[minute] = std::move(minutes[minute]).Finish();
    whole.Add(sums.minutes[minute]);
  }
  sums.whole = std::move(whole).Finish();
  return sums;
}

absl::Status RollHour(const Database& database, uint32_t hour, uint32_t series) {
  FLARE_ASSIGN(const HourSums sums, SumHour(database, hour, series));
  Changes changes(database);
  changes.Delete(Family::kMeta, DirtyKey(hour, series));
  if (sums.rows == 0)  // dropped meanwhile
    return Write(database, &changes);
  if (sums.AreMinutesWorthIt()) {
    changes.Put(
        Family::kRollups,
        RollupKey{.level = RollupLevel::kMinutes, .period = hour, .series = series}.Encode(),
        EncodeMinuteSums(sums.minutes));
  }
  changes.Put(Family::kRollups,
              RollupKey{.level = RollupLevel::kTotals, .period = hour, .series = series}.Encode(),
              EncodeMinuteTotals(TotalsOf(sums.minutes)));
  changes.Put(Family::kRollups,
              RollupKey{.level = RollupLevel::kHour, .period = hour, .series = series}.Encode(),
              EncodeStackSums(sums.whole));
  return Write(database, &changes);
}

// Computed from the hours. Hours without a roll-up are read again.
absl::Status RollDay(const Database& database, uint32_t day, uint32_t series) {
  StackSummer summer;
  for (uint32_t hour = day * kHoursPerDay; hour < (day + 1) * kHoursPerDay; ++hour) {
    FLARE_ASSIGN(
        const std::optional<StackSums> rolled,
        ReadRollup(database, {.level = RollupLevel::kHour, .period = hour, .series = series}));
    if (rolled.has_value()) {
      summer.Add(*rolled);
    } else {
      FLARE_ASSIGN(const HourSums sums, SumHour(database, hour, series));
      summer.Add(sums.whole);
    }
  }
  Changes changes(database);
  changes.Put(Family::kRollups,
              RollupKey{.level = RollupLevel::kDay, .period = day, .series = series}.Encode(),
              EncodeStackSums(std::move(summer).Finish()));
  return Write(database, &changes);
}

// The last hour for which all series are rolled up; 0 if there is none yet.
absl::StatusOr<uint32_t> ReadRolledHour(const Database& database) {
  FLARE_ASSIGN(const std::optional<std::string> bytes, database.Get(Family::kMeta, kRolledKey));
  return bytes.has_value() ? base::ByteReader(*bytes).BigEndian<uint32_t>() : 0;
}

absl::Status NoteRolled(const Database& database, uint32_t hour) {
  Changes changes(database);
  changes.Put(Family::kMeta, kRolledKey, SamplePrefix(hour));
  return Write(database, &changes);
}

absl::Status RollDayOf(const Database& database, uint32_t day, const RollupWork& work) {
  std::vector<uint32_t> series;
  for (uint32_t hour = day * kHoursPerDay; hour < (day + 1) * kHoursPerDay; ++hour) {
    const std::vector<uint32_t> more = SeriesOf(database, hour);
    series.insert(series.end(), more.begin(), more.end());
  }
  std::ranges::sort(series);
  series.erase(std::unique(series.begin(), series.end()), series.end());
  for (const uint32_t number : series) {
    FLARE_RETURN_IF_ERROR(
        work.write([&database, day, number] { return RollDay(database, day, number); }));
  }
  return absl::OkStatus();
}

// Rolls up the hours whose roll-ups late samples invalidated.
absl::Status RollDirty(const Database& database, const RollupWork& work) {
  std::vector<std::pair<uint32_t, uint32_t>> dirty;
  const auto at = database.NewIterator(Family::kMeta);
  for (at->Seek(ToSlice(kDirtyPrefix)); at->Valid() && at->key().starts_with(ToSlice(kDirtyPrefix));
       at->Next()) {
    base::ByteReader in(ToView(at->key()).substr(kDirtyPrefix.size()));
    const auto hour = in.BigEndian<uint32_t>();
    dirty.emplace_back(hour, in.BigEndian<uint32_t>());
  }
  for (const auto& [hour, series] : dirty) {
    const uint32_t at_hour = hour;
    const uint32_t of_series = series;
    work.enter_hour(at_hour);
    FLARE_RETURN_IF_ERROR(work.write(
        [&database, at_hour, of_series] { return RollHour(database, at_hour, of_series); }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<uint32_t> ReadLastRollupHour(const Database& database) {
  // Late samples may have invalidated all roll-ups of this hour.
  FLARE_ASSIGN(const uint32_t rolled_hour, ReadRolledHour(database));
  const auto at = database.NewIterator(Family::kRollups);
  at->SeekForPrev(ToSlice(
      RollupKey{.level = RollupLevel::kHour, .period = UINT32_MAX, .series = UINT32_MAX}.Encode()));
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  const auto key = at->Valid() ? RollupKey::Decode(ToView(at->key())) : std::nullopt;
  const bool is_hour = key.has_value() && key->level == RollupLevel::kHour;
  return is_hour ? std::max(rolled_hour, key->period) : rolled_hour;
}

void DropRollups(uint32_t hour, uint32_t series, Changes* changes) {
  for (const RollupLevel level :
       {RollupLevel::kTotals, RollupLevel::kMinutes, RollupLevel::kHour}) {
    changes->Delete(Family::kRollups,
                    RollupKey{.level = level, .period = hour, .series = series}.Encode());
  }
  changes->Delete(
      Family::kRollups,
      RollupKey{.level = RollupLevel::kDay, .period = hour / kHoursPerDay, .series = series}
          .Encode());
  changes->Put(Family::kMeta, DirtyKey(hour, series), {});
}

absl::Status BuildRollups(const Database& database, uint32_t last_hour, const RollupWork& work) {
  FLARE_RETURN_IF_ERROR(RollDirty(database, work));
  FLARE_ASSIGN(const uint32_t rolled_hour, ReadRolledHour(database));
  std::optional<uint32_t> hour = NextHour(database, rolled_hour);
  while (hour.has_value() && *hour <= last_hour) {
    const uint32_t at_hour = *hour;
    work.enter_hour(at_hour);
    for (const uint32_t series : SeriesOf(database, at_hour)) {
      FLARE_RETURN_IF_ERROR(
          work.write([&database, at_hour, series] { return RollHour(database, at_hour, series); }));
    }
    FLARE_RETURN_IF_ERROR(
        work.write([&database, at_hour] { return NoteRolled(database, at_hour); }));
    hour = NextHour(database, at_hour);
    // Roll up a day once its last hour is over and none of its hours remain to be rolled up.
    const uint32_t day = at_hour / kHoursPerDay;
    const bool is_day_over = last_hour / kHoursPerDay > day || last_hour % kHoursPerDay == 23;
    if (is_day_over && (!hour.has_value() || *hour / kHoursPerDay > day))
      FLARE_RETURN_IF_ERROR(RollDayOf(database, day, work));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<StackSums>> ReadRollup(const Database& database,
                                                    const RollupKey& key) {
  FLARE_ASSIGN(const std::optional<std::string> bytes,
               database.Get(Family::kRollups, key.Encode()));
  if (!bytes.has_value())
    return std::nullopt;
  StackSums sums;
  FLARE_RETURN_IF_ERROR(DecodeStackSums(*bytes, &sums));
  return std::optional<StackSums>(std::move(sums));
}

absl::StatusOr<bool> ForEachRolledMinute(
    const Database& database, const RolledMinutes& minutes,
    absl::FunctionRef<void(uint32_t minute, const StackSums&)> take) {
  const RollupKey key = {
      .level = RollupLevel::kMinutes, .period = minutes.hour, .series = minutes.series};
  FLARE_ASSIGN(const std::optional<std::string> bytes,
               database.Get(Family::kRollups, key.Encode()));
  if (!bytes.has_value())
    return false;
  FLARE_RETURN_IF_ERROR(ForEachMinute(*bytes, minutes.range, take));
  return true;
}

}  // namespace flarestack::store::rocks
