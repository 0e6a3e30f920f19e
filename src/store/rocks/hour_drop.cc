// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/hour_drop.h"

#include <rocksdb/convenience.h>
#include <rocksdb/metadata.h>

#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "model/signal.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/rollups.h"

namespace flarestack::store::rocks {
namespace {

// A family whose keys begin with `prefix` and the hour.
struct HourFamily {
  Family family;
  std::string_view prefix = {};
  uint32_t hours_per_period = 1;
};

constexpr HourFamily kProfileFamilies[] = {{Family::kSamples},
                                           {Family::kLinks},
                                           {Family::kProfileIds},
                                           {Family::kRollups, "t"},
                                           {Family::kRollups, "m"},
                                           {Family::kRollups, "h"},
                                           {Family::kRollups, "d", kHoursPerDay}};
constexpr HourFamily kTraceFamilies[] = {{Family::kSpanIndex}, {Family::kSpans}};
constexpr HourFamily kLogFamilies[] = {{Family::kLogs}, {Family::kLogTraces}};
constexpr HourFamily kMetricFamilies[] = {{Family::kPoints}};

std::span<const HourFamily> FamiliesOf(model::Signal signal) {
  switch (signal) {
    case model::Signal::kProfiles:
      return kProfileFamilies;
    case model::Signal::kTraces:
      return kTraceFamilies;
    case model::Signal::kLogs:
      return kLogFamilies;
    case model::Signal::kMetrics:
      return kMetricFamilies;
  }
  return {};
}

// The first key of the period that contains the hour.
std::string BeginOf(const HourFamily& family, uint32_t hour) {
  std::string key(family.prefix);
  base::AppendBigEndian(hour / family.hours_per_period, &key);
  return key;
}

// The key after all entries that cover any hour before this one. A day that loses an hour is
// included: readers then sum its remaining hours.
std::string EndOf(const HourFamily& family, uint32_t hour) {
  return BeginOf(family, hour + family.hours_per_period - 1);
}

// Rewrites the tables of the last level one by one: compacting the whole family would need its size
// again in free space. Entries in higher levels are filtered on their way down.
absl::Status RewriteLastLevel(const Database& database, Family family) {
  rocksdb::ColumnFamilyMetaData tables;
  database.db().GetColumnFamilyMetaData(database.handle(family), &tables);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // use the family's compression
  const rocksdb::LevelMetaData& last = tables.levels.back();
  for (const rocksdb::SstFileMetaData& file : last.files) {
    const rocksdb::Status status =
        database.db().CompactFiles(options, database.handle(family), {file.name}, last.level);
    // A background compaction is rewriting the file, or has already done so.
    if (!status.ok() && !status.IsAborted() && !status.IsInvalidArgument())
      return ToStatus(status);
  }
  return absl::OkStatus();
}

std::vector<uint32_t> HoursOf(const Database& database, Family family) {
  std::vector<uint32_t> hours;
  const auto at = database.NewIterator(family);
  for (at->SeekToFirst(); at->Valid();) {
    const auto hour = base::ByteReader(ToView(at->key())).BigEndian<uint32_t>();
    hours.push_back(hour);
    at->Seek(ToSlice(SamplePrefix(hour + 1)));
  }
  return hours;
}

// Adds the size of a family's data in each hour.
absl::Status AddSizes(const Database& database, const HourFamily& family,
                      const std::vector<uint32_t>& hours, std::map<uint32_t, uint64_t>* bytes) {
  std::vector<std::pair<std::string, std::string>> bounds;
  bounds.reserve(hours.size());
  std::vector<rocksdb::Range> ranges;
  for (const uint32_t hour : hours) {
    const auto& [from, to] = bounds.emplace_back(BeginOf(family, hour), EndOf(family, hour + 1));
    ranges.emplace_back(ToSlice(from), ToSlice(to));
  }
  std::vector<uint64_t> sizes(ranges.size());
  rocksdb::SizeApproximationOptions options;
  options.include_files = true;
  FLARE_RETURN_IF_ERROR(ToStatus(
      database.db().GetApproximateSizes(options, database.handle(family.family), ranges.data(),
                                        static_cast<int>(ranges.size()), sizes.data())));
  for (size_t i = 0; i < hours.size(); ++i)
    (*bytes)[hours[i]] += sizes[i] / family.hours_per_period;
  return absl::OkStatus();
}

}  // namespace

Family MainFamily(model::Signal signal) { return FamiliesOf(signal).front().family; }

void DeleteHours(model::Signal signal, uint32_t hour, Changes* changes) {
  for (const HourFamily& family : FamiliesOf(signal))
    changes->DeleteRange(family.family, BeginOf(family, 0), EndOf(family, hour));
}

absl::Status ReclaimHours(const Database& database, model::Signal signal, uint32_t hour) {
  for (const HourFamily& family : FamiliesOf(signal)) {
    const std::string begin = BeginOf(family, 0);
    const std::string end = EndOf(family, hour);
    const rocksdb::Slice from = ToSlice(begin);
    const rocksdb::Slice to = ToSlice(end);
    // Whole files are deleted unread. Files that also contain later hours are rewritten.
    FLARE_RETURN_IF_ERROR(ToStatus(
        rocksdb::DeleteFilesInRange(&database.db(), database.handle(family.family), &from, &to)));
    FLARE_RETURN_IF_ERROR(database.Compact(family.family, &from, &to));
  }
  return absl::OkStatus();
}

absl::Status ReclaimShared(const Database& database) {
  for (const Family family : {Family::kDictionary, Family::kIds}) {
    FLARE_RETURN_IF_ERROR(database.quota() == nullptr ? database.Compact(family, nullptr, nullptr)
                                                      : RewriteLastLevel(database, family));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<HourBytes>> ReadBytesByHour(const Database& database) {
  std::map<uint32_t, uint64_t> bytes;
  for (const model::Signal signal : model::kSignals) {
    const std::vector<uint32_t> hours = HoursOf(database, MainFamily(signal));
    for (const HourFamily& family : FamiliesOf(signal))
      FLARE_RETURN_IF_ERROR(AddSizes(database, family, hours, &bytes));
  }
  uint64_t total = 0;
  for (const auto& [hour, size] : bytes)
    total += size;
  // Shared entries are dropped with the hours that use them. We assume in proportion to their size.
  const uint64_t shared =
      database.TableBytes(Family::kDictionary) + database.TableBytes(Family::kIds);
  const double factor =
      total == 0 ? 1 : 1 + static_cast<double>(shared) / static_cast<double>(total);
  std::vector<HourBytes> list;
  for (const auto& [hour, size] : bytes) {
    list.push_back({.begin_nanos = uint64_t{hour} * kNanosPerHour,
                    .bytes = static_cast<uint64_t>(static_cast<double>(size) * factor)});
  }
  return list;
}

}  // namespace flarestack::store::rocks
