// SPDX-License-Identifier: Apache-2.0
#include "store/delete_data.h"

#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "base/byte_reader.h"
#include "base/status.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/directory_lock.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/id_index.h"
#include "store/rocks/profiles/rollups.h"
#include "store/rocks/profiles/series_index.h"
#include "store/rocks/signals/signal_envelope.h"

namespace flarestack::store {
namespace {

using namespace rocks;

constexpr uint64_t kCacheBytes = 64 << 20;
constexpr size_t kBatchBytes = 1 << 20;
constexpr size_t kTraceIdBytes = 16;

using Numbers = absl::flat_hash_set<uint32_t>;

uint32_t LastNumber(std::string_view key) {
  return key.size() < 4 ? 0 : base::ByteReader(key.substr(key.size() - 4)).BigEndian<uint32_t>();
}

class Deleter {
 public:
  Deleter(const Database& database, const DeleteQuery& query)
      : database_(database),
        query_(query),
        first_hour_((query.range.from + kNanosPerHour - 1) / kNanosPerHour),
        end_hour_(query.range.to / kNanosPerHour),
        resources_(database, query.matchers),
        changes_(std::make_unique<Changes>(database)) {}

  absl::StatusOr<DeletedData> Run() {
    FLARE_ASSIGN(const auto found, FindSeries(database_, {.matchers = query_.matchers}));
    for (const StoredSeries& series : found)
      series_.insert(series.number);
    FLARE_RETURN_IF_ERROR(FindMetrics());
    FLARE_RETURN_IF_ERROR(DeleteSamples());
    FLARE_RETURN_IF_ERROR(DeleteSpans());
    FLARE_RETURN_IF_ERROR(DeleteLogs());
    FLARE_RETURN_IF_ERROR(DeletePoints());
    if (query_.range.from == 0 && query_.range.to == UINT64_MAX)
      FLARE_RETURN_IF_ERROR(DeleteNames());
    FLARE_RETURN_IF_ERROR(Write());
    return deleted_;
  }

 private:
  using Take = absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)>;

  absl::Status ForEach(Family family, std::string_view prefix, Take take) {
    const auto at = database_.NewIterator(family);
    for (at->Seek(ToSlice(prefix)); at->Valid() && at->key().starts_with(ToSlice(prefix));
         at->Next()) {
      FLARE_RETURN_IF_ERROR(take(ToView(at->key()), ToView(at->value())));
      if (changes_->bytes() > kBatchBytes)
        FLARE_RETURN_IF_ERROR(Write());
    }
    return ToStatus(at->status());
  }

  // A resource that no longer exists is not selected.
  absl::StatusOr<bool> IsSelected(uint32_t resource) {
    const auto accepted = resources_.Accepts(resource);
    return absl::IsNotFound(accepted.status()) ? absl::StatusOr<bool>(false) : accepted;
  }

  bool IsIn(uint64_t hour) const { return hour >= first_hour_ && hour < end_hour_; }

  void Delete(Family family, std::string_view key) { changes_->Delete(family, key); }

  absl::Status Write() {
    FLARE_RETURN_IF_ERROR(changes_->status());
    if (!query_.is_dry_run && !changes_->empty()) {
      rocksdb::WriteOptions options;
      options.sync = true;
      FLARE_RETURN_IF_ERROR(ToStatus(database_.Write(options, changes_.get())));
    }
    changes_ = std::make_unique<Changes>(database_);
    return absl::OkStatus();
  }

  absl::Status FindMetrics() {
    return ForEach(Family::kMetrics, "", [&](std::string_view key, std::string_view value) {
      base::ByteReader in(value);
      const auto resource = static_cast<uint32_t>(in.Varint());
      FLARE_ASSIGN(const bool is_selected, IsSelected(resource));
      if (is_selected)
        metrics_.insert(LastNumber(key));
      return absl::OkStatus();
    });
  }

  absl::Status DeleteSamples() {
    std::set<std::pair<uint32_t, uint32_t>> rolled;  // hour and series
    Numbers met;
    FLARE_RETURN_IF_ERROR(
        ForEach(Family::kSamples, "", [&](std::string_view key, std::string_view) {
          const auto at = SampleKey::Decode(key);
          if (!at.has_value() || !IsIn(at->hour) || !series_.contains(at->series))
            return absl::OkStatus();
          Delete(Family::kSamples, key);
          if (rolled.emplace(at->hour, at->series).second)
            DropRollups(at->hour, at->series, changes_.get());
          ++deleted_.chunks;
          deleted_.series += met.insert(at->series).second ? 1 : 0;
          return absl::OkStatus();
        }));
    return ForEach(Family::kLinks, "", [&](std::string_view key, std::string_view) {
      const auto at = LinkKey::Decode(key);
      if (at.has_value() && IsIn(at->hour) && series_.contains(at->series))
        Delete(Family::kLinks, key);
      return absl::OkStatus();
    });
  }

  absl::Status DeleteSpans() {
    return ForEach(Family::kSpanIndex, "", [&](std::string_view key, std::string_view value) {
      const auto at = SpanIndexKey::Decode(key);
      if (!at.has_value() || !IsIn(at->hour) || value.size() < kTraceIdBytes)
        return absl::OkStatus();
      FLARE_ASSIGN(const bool is_selected, IsSelected(at->resource));
      if (!is_selected)
        return absl::OkStatus();
      Delete(Family::kSpanIndex, key);
      Delete(Family::kSpans, SpanKey{.hour = at->hour,
                                     .trace_id = std::string(value.substr(0, kTraceIdBytes)),
                                     .span_id = at->span_id}
                                 .Encode());
      ++deleted_.spans;
      return absl::OkStatus();
    });
  }

  absl::Status DeleteLogs() {
    const auto is_selected = [&](std::string_view log_key) -> absl::StatusOr<bool> {
      const auto at = LogKey::Decode(log_key);
      if (!at.has_value() || !IsIn(at->hour))
        return false;
      return IsSelected(at->resource);
    };
    FLARE_RETURN_IF_ERROR(
        ForEach(Family::kLogTraces, "", [&](std::string_view key, std::string_view) {
          const std::optional<std::string> log_key = DecodeLogTrace(key);
          FLARE_ASSIGN(const bool is_deleted, is_selected(log_key.value_or("")));
          if (is_deleted)
            Delete(Family::kLogTraces, key);
          return absl::OkStatus();
        }));
    return ForEach(Family::kLogs, "", [&](std::string_view key, std::string_view) {
      FLARE_ASSIGN(const bool is_deleted, is_selected(key));
      if (is_deleted) {
        Delete(Family::kLogs, key);
        ++deleted_.log_records;
      }
      return absl::OkStatus();
    });
  }

  absl::Status DeletePoints() {
    Numbers met;
    return ForEach(Family::kPoints, "", [&](std::string_view key, std::string_view) {
      const auto at = PointKey::Decode(key);
      if (!at.has_value() || !IsIn(at->hour) || !metrics_.contains(at->series))
        return absl::OkStatus();
      Delete(Family::kPoints, key);
      ++deleted_.points;
      deleted_.metric_series += met.insert(at->series).second ? 1 : 0;
      return absl::OkStatus();
    });
  }

  // Deletes the entries of series and resources. Their numbers are never reused.
  absl::Status DeleteNames() {
    const auto delete_named = [&](Family family, const Numbers& numbers) {
      return ForEach(family, "", [&](std::string_view key, std::string_view) {
        if (numbers.contains(LastNumber(key)))
          Delete(family, key);
        return absl::OkStatus();
      });
    };
    FLARE_RETURN_IF_ERROR(delete_named(Family::kPostings, series_));
    FLARE_RETURN_IF_ERROR(delete_named(Family::kSeries, series_));
    FLARE_RETURN_IF_ERROR(delete_named(Family::kMetricPostings, metrics_));
    FLARE_RETURN_IF_ERROR(delete_named(Family::kMetrics, metrics_));
    for (const uint32_t number : series_)
      Delete(Family::kMeta, SeenKey(number));
    Numbers resources;
    const std::string prefix(1, static_cast<char>(Table::kResource));
    FLARE_RETURN_IF_ERROR(
        ForEach(Family::kDictionary, prefix, [&](std::string_view key, std::string_view) {
          const auto number = DecodeDictionaryKey(Table::kResource, key);
          if (!number.has_value())
            return absl::OkStatus();
          FLARE_ASSIGN(const bool is_selected, IsSelected(*number));
          if (is_selected) {
            resources.insert(*number);
            Delete(Family::kDictionary, key);
          }
          return absl::OkStatus();
        }));
    FLARE_RETURN_IF_ERROR(DeleteIds(Table::kSeries, series_));
    FLARE_RETURN_IF_ERROR(DeleteIds(Table::kMetric, metrics_));
    return DeleteIds(Table::kResource, resources);
  }

  absl::Status DeleteIds(Table table, const Numbers& numbers) {
    const std::string prefix(1, static_cast<char>(table));
    return ForEach(Family::kIds, prefix, [&](std::string_view key, std::string_view value) {
      StampedNumber stamped;
      FLARE_RETURN_IF_ERROR(DecodeStamped(value, &stamped));
      if (numbers.contains(stamped.number))
        Delete(Family::kIds, key);
      return absl::OkStatus();
    });
  }

  const Database& database_;
  const DeleteQuery& query_;
  const uint64_t first_hour_;
  const uint64_t end_hour_;
  ResourceFilter resources_;
  std::unique_ptr<Changes> changes_;
  Numbers series_;   // of profiles
  Numbers metrics_;  // series of points
  DeletedData deleted_;
};

}  // namespace

absl::StatusOr<DeletedData> DeleteData(const std::string& directory, const DeleteQuery& query) {
  FLARE_RETURN_IF_ERROR(RequireData(directory));
  FLARE_ASSIGN(const auto database, Database::Open({.directory = directory,
                                                    .memory = SharedMemory::Make(kCacheBytes),
                                                    .must_exist = true}));
  FLARE_ASSIGN(const DeletedData deleted, Deleter(*database, query).Run());
  if (query.is_dry_run)
    return deleted;
  // The bytes stay in the files until the tables are rewritten and the log is removed.
  FLARE_RETURN_IF_ERROR(database->FlushAll());
  for (size_t i = 0; i < kFamilyCount; ++i)
    FLARE_RETURN_IF_ERROR(database->Compact(static_cast<Family>(i), nullptr, nullptr));
  return deleted;
}

absl::Status DeleteDirectory(const std::string& directory) {
  { FLARE_ASSIGN(const DirectoryLock lock, DirectoryLock::Take(directory)); }
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  return error ? absl::FailedPreconditionError(
                     base::StrCat("cannot remove ", directory, ": ", error.message()))
               : absl::OkStatus();
}

}  // namespace flarestack::store
