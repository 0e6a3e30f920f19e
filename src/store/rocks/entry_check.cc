// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/entry_check.h"

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/chunk/chunk.h"
#include "store/chunk/minute_sums.h"
#include "store/chunk/stack_sums.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/id_index.h"
#include "store/rocks/dictionary/record_run.h"
#include "store/rocks/dictionary/records.h"
#include "store/rocks/profiles/series_index.h"
#include "store/rocks/signals/signal_envelope.h"
#include "store/rocks/signals/signals.h"

namespace flarestack::store::rocks {
namespace {

constexpr size_t kContentIdBytes = 16;
constexpr size_t kNumberBytes = 4;

absl::Status Require(bool holds, std::string_view problem) {
  return holds ? absl::OkStatus()
               : absl::DataLossError(absl::string_view(problem.data(), problem.size()));
}

absl::Status CheckRecord(Table table, std::string_view bytes) {
  switch (table) {
    case Table::kString:
      return absl::OkStatus();
    case Table::kFunction: {
      model::Function function;
      return DecodeFunction(bytes, &function);
    }
    case Table::kMapping: {
      MappingRecord record;
      return DecodeMapping(bytes, &record);
    }
    case Table::kLocation: {
      LocationRecord record;
      return DecodeLocation(bytes, &record);
    }
    case Table::kAttribute: {
      std::vector<model::KeyValue> nodes;
      AttributeRecord record;
      return DecodeAttribute(bytes, &nodes, &record);
    }
    case Table::kStack: {
      std::vector<uint32_t> numbers;
      return DecodeNumbers(bytes, &numbers);
    }
    case Table::kResource:
    case Table::kScope:  // CheckEnvelope
    case Table::kSeries:
    case Table::kMetric:
      break;
  }
  return absl::DataLossError("an entry belongs to an unknown table");
}

absl::Status CheckDictionary(std::string_view key, std::string_view value) {
  const auto table = static_cast<Table>(key.empty() ? 0 : key[0]);
  const std::optional<uint32_t> number = DecodeDictionaryKey(table, key);
  FLARE_RETURN_IF_ERROR(Require(number.has_value(), "the key of an entry is corrupt"));
  if (table == Table::kResource || table == Table::kScope)
    return CheckEnvelope(table, value);
  Run run;
  FLARE_RETURN_IF_ERROR(DecodeRun(*number, value, &run));
  for (const std::string_view record : run.records)
    FLARE_RETURN_IF_ERROR(CheckRecord(table, record));
  return absl::OkStatus();
}

absl::Status CheckId(std::string_view key, std::string_view value) {
  StampedNumber stamped;
  const size_t key_bytes = key.starts_with(kEntryIdLetter) ? kEntryIdKeyBytes : 1 + kContentIdBytes;
  return Require(key.size() == key_bytes && DecodeStamped(value, &stamped).ok(),
                 "a content id is corrupt");
}

absl::Status CheckSeries(std::string_view key, std::string_view value) {
  FLARE_RETURN_IF_ERROR(Require(key.size() == kNumberBytes, "the key of a series is corrupt"));
  const auto number = base::ByteReader(key).BigEndian<uint32_t>();
  return DecodeSeries(number, std::string(value)).status();
}

absl::Status CheckChunk(std::string_view key, std::string_view value) {
  FLARE_RETURN_IF_ERROR(
      Require(SampleKey::Decode(key).has_value(), "the key of a chunk of samples is corrupt"));
  Chunk chunk;
  return DecodeChunk(value, &chunk);
}

absl::Status CheckRollup(std::string_view key, std::string_view value) {
  const std::optional<RollupKey> rollup = RollupKey::Decode(key);
  FLARE_RETURN_IF_ERROR(Require(rollup.has_value(), "the key of a rollup is corrupt"));
  StackSums sums;
  MinuteTotals totals;
  switch (rollup->level) {
    case RollupLevel::kTotals:
      return DecodeMinuteTotals(value, &totals);
    case RollupLevel::kMinutes:
      return ForEachMinute(value, {.first = 0, .end = kMinutesPerHour},
                           [](uint32_t, const StackSums&) {});
    case RollupLevel::kHour:
    case RollupLevel::kDay:
      break;
  }
  return DecodeStackSums(value, &sums);
}

// Attribute key, zero, value, zero, number.
absl::Status CheckPosting(std::string_view key) {
  return Require(key.size() >= kNumberBytes + 2 && key[key.size() - kNumberBytes - 1] == '\0' &&
                     key.find('\0') < key.size() - kNumberBytes - 1,
                 "a posting is corrupt");
}

}  // namespace

absl::Status EntryCheck::CheckPoint(std::string_view key, std::string_view value) {
  const auto point = PointKey::Decode(key);
  FLARE_RETURN_IF_ERROR(Require(point.has_value(), "the key of a metric point is corrupt"));
  if (database_ == nullptr)
    return absl::OkStatus();
  auto known = kinds_.find(point->series);
  if (known == kinds_.end()) {
    FLARE_ASSIGN(const std::optional<std::string> series,
                 database_->Get(Family::kMetrics, SeriesKey(point->series)));
    FLARE_RETURN_IF_ERROR(Require(series.has_value(), "the series of a metric point is missing"));
    FLARE_ASSIGN(const model::MetricKind kind, CheckMetricEntry(*series));
    known = kinds_.emplace(point->series, kind).first;
  }
  return CheckPointEntry(known->second, key, value);
}

absl::Status EntryCheck::Check(Family family, std::string_view key, std::string_view value) {
  switch (family) {
    case Family::kMeta:
      // Keys that mark hours to roll up again have no value.
      return Require(!value.empty() || key.starts_with("dirty"), "it is empty");
    case Family::kDictionary:
      return CheckDictionary(key, value);
    case Family::kIds:
      return CheckId(key, value);
    case Family::kSeries:
      return CheckSeries(key, value);
    case Family::kPostings:
    case Family::kMetricPostings:
      return CheckPosting(key);
    case Family::kSamples:
      return CheckChunk(key, value);
    case Family::kRollups:
      return CheckRollup(key, value);
    case Family::kLinks:
      return Require(LinkKey::Decode(key).has_value(), "a link is corrupt");
    case Family::kProfileIds:
      return Require(key.size() == sizeof(uint32_t) + kProfileIdBytes, "a profile id is corrupt");
    case Family::kSpans:
      return CheckSpanEntry(key, value);
    case Family::kSpanIndex:
      return CheckSpanIndexEntry(key, value);
    case Family::kLogs:
      return CheckLogEntry(key, value);
    case Family::kLogTraces:
      return CheckLogTraceEntry(key);
    case Family::kMetrics:
      return CheckMetricEntry(value).status();
    case Family::kPoints:
      return CheckPoint(key, value);
  }
  return absl::DataLossError("a family is unknown");
}

}  // namespace flarestack::store::rocks
