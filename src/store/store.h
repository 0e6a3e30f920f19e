// SPDX-License-Identifier: Apache-2.0
//
// The storage interface for telemetry. It hides how and where an implementation keeps data. Every
// implementation must pass the same test suite (store/testing/conformance.h).
//
// All functions may be called from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/pattern.h"
#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/signal.h"
#include "model/trace.h"
#include "store/matcher.h"
#include "store/sample_types.h"

namespace flarestack::store {

// One time for each signal, ns since the epoch; 0 is none.
class SignalTimes {
 public:
  static SignalTimes All(uint64_t nanos) {
    SignalTimes times;
    times.nanos_.fill(nanos);
    return times;
  }
  uint64_t& operator[](model::Signal signal) { return nanos_[static_cast<size_t>(signal)]; }
  uint64_t operator[](model::Signal signal) const { return nanos_[static_cast<size_t>(signal)]; }

 private:
  std::array<uint64_t, model::kSignals.size()> nanos_ = {};
};

struct TimeRange {  // ns since the epoch, end excluded
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
};

struct AppendedProfiles {
  uint64_t samples = 0;             // events kept
  uint32_t duplicate_profiles = 0;  // id was already stored: kept once
  uint32_t rejected_profiles = 0;   // of new series beyond the series limit
};

struct AppendedMetrics {
  uint64_t rejected_points = 0;  // of new series beyond the series limit
};

// A series: everything that all its samples have in common.
struct Series {
  std::vector<std::pair<std::string, std::string>> attributes;  // of the resource, as text
  std::string scope;
  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
  std::string period_type;
  std::string period_unit;
  int64_t period = 0;
  uint64_t last_seen_nanos = 0;  // start of the last minute with samples; 0: not known
};

struct SeriesQuery {
  // All must match. They apply to resource attributes. In a ProfileQuery, a matcher whose key no
  // resource has applies to attributes of samples and profiles.
  std::vector<Matcher> matchers;
  std::vector<SampleTypeMatcher> types;  // one must match; none: all types
};

enum class Detail {
  kMerged,   // one value per stack and kind of profile, across series
  kSums,     // one value per stack and series
  kSteps,    // one value per stack, series and time step, stamped with the start of the step
  kSamples,  // every event with its time, attributes and link
};

// Progress of a read.
struct ReadProgress {
  uint64_t parts = 0;  // series, or parts of them
  uint64_t parts_done = 0;
  uint64_t rows = 0;  // events examined one by one
};

// A trace, or one span of it.
struct SpanRef {
  std::string trace_id;  // 16 bytes
  std::string span_id;   // 8 bytes; empty: the whole trace
  friend auto operator<=>(const SpanRef&, const SpanRef&) = default;
};

struct ProfileQuery {
  SeriesQuery series;
  TimeRange range;
  Detail detail = Detail::kSums;
  uint64_t step_nanos = 0;        // for kSteps, counted from the start of the range
  bool without_stacks = false;    // for kSteps: all stacks merge into the empty stack
  std::vector<SpanRef> spans;     // if set: only samples of one of these
  bool may_have_orphans = false;  // for kMerged: the dictionary may contain entries no sample uses
  // If set, called periodically to ask whether the response may use `bytes`. On false the query
  // fails with kResourceExhausted.
  std::function<bool(uint64_t bytes)> try_reserve;
  // If set, called periodically with the progress, never by two threads at once. On false the query
  // stops and returns the data read so far.
  std::function<bool(const ReadProgress&)> on_progress;
};

// Which items come first, and so which ones a limit keeps. Items with the same time have a stable
// order that the store defines.
enum class TimeOrder : uint8_t { kOldestFirst, kNewestFirst };

// All spans of a trace.
struct TraceQuery {
  std::string_view trace_id;                             // 16 bytes
  std::function<bool(uint64_t bytes)> try_reserve;       // see ProfileQuery
  std::function<bool(const ReadProgress&)> on_progress;  // see ProfileQuery; parts are not known
};

// Conditions left at their default match everything.
struct SpanQuery {
  std::vector<Matcher> matchers;  // on attributes of the resource
  std::string name;
  std::optional<base::Pattern> name_pattern;
  uint64_t duration_min_nanos = 0;
  uint64_t duration_max_nanos = UINT64_MAX;
  std::optional<model::SpanStatusCode> status;
  std::vector<Matcher> attributes;  // on attributes of the span
  TimeRange range;                  // of the span's start
  size_t limit = 1000;
  TimeOrder order = TimeOrder::kOldestFirst;
  std::string after;  // cursor: `next` from the response to the same query; continues after it
  std::function<bool(uint64_t bytes)> try_reserve;  // see ProfileQuery
  // See TraceQuery. Stopping leaves `next` empty.
  std::function<bool(const ReadProgress&)> on_progress;
};

struct SelectedSpans : model::TraceBatch {
  std::string next;  // empty: no more items
};

struct LogQuery {
  std::vector<Matcher> matchers;  // on attributes of the resource
  int32_t severity_min = 0;
  std::string trace_id;   // 16 bytes
  std::string span_id;    // 8 bytes
  std::string body_part;  // anywhere in the body
  std::optional<base::Pattern> body_pattern;
  TimeRange range;
  size_t limit = 1000;
  TimeOrder order = TimeOrder::kOldestFirst;
  std::string after;  // as in SpanQuery
  std::function<bool(uint64_t bytes)> try_reserve;
  std::function<bool(const ReadProgress&)> on_progress;
};

struct SelectedLogs : model::LogBatch {
  std::string next;
};

struct MetricQuery {
  std::string name;               // empty: all
  std::vector<Matcher> matchers;  // on attributes of the resource and of the points
  TimeRange range;
  size_t limit = 100'000;                                // points
  std::function<bool(uint64_t bytes)> try_reserve;       // see ProfileQuery
  std::function<bool(const ReadProgress&)> on_progress;  // see TraceQuery
};

// A series of metric points: a metric of one resource, with the attributes of its points.
struct MetricSeries {
  std::string name;
  std::string unit;
  std::string description;
  model::MetricKind kind = model::MetricKind::kNone;
  model::Temporality temporality = model::Temporality::kUnspecified;
  bool is_monotonic = false;
  std::vector<std::pair<std::string, std::string>> resource_attributes;  // as text
  std::vector<std::pair<std::string, std::string>> point_attributes;
};

// Limits for the whole process that runs a store; 0 is no limit.
struct StoreCaps {
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;
};

struct StoreStats {
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;
  uint64_t series = 0;
  uint64_t stacks = 0;
  uint64_t oldest_nanos = 0;  // of any item that has a time; 0 when there is none
  uint64_t newest_nanos = 0;
  SignalTimes oldest;  // of each signal
  SignalTimes newest;
  uint64_t waiting_bytes = 0;  // awaiting compaction
};

struct HourBytes {
  uint64_t begin_nanos = 0;
  uint64_t bytes = 0;
};

// Longer notes are rejected.
inline constexpr size_t kNoteKeyBytesMax = 64;
inline constexpr size_t kNoteBytesMax = 32 << 10;

class Store {
 public:
  virtual ~Store() = default;

  // Returns once the batch is durable. Its indices and shapes must be valid (model/validate.h).
  // kResourceExhausted and kUnavailable may be retried.
  virtual absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& batch) = 0;

  // The series that match, in no particular order.
  virtual absl::StatusOr<std::vector<Series>> ListSeries(const SeriesQuery& query) = 0;

  // All resource attribute keys, sorted, without duplicates.
  virtual absl::StatusOr<std::vector<std::string>> ResourceKeys() = 0;

  // Returns the start of the hour nearest to a time in which one of these series has samples.
  // Returns 0 if there is none, or none was found with reasonable effort.
  virtual absl::StatusOr<uint64_t> NearestHour(const SeriesQuery& query, uint64_t time_nanos) = 0;

  // Returns a batch with one profile per series, empty if nothing matches.
  virtual absl::StatusOr<model::Batch> SelectProfiles(const ProfileQuery& query) = 0;

  // Items must be valid (model/item_check.h). Duplicates are stored once: a span is identified by
  // its ids, a point by its series and time, a log record by its content.
  virtual absl::Status AppendTraces(const model::TraceBatch& batch) = 0;
  virtual absl::Status AppendLogs(const model::LogBatch& batch) = 0;
  virtual absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) = 0;

  // Returns items ordered by time, except that items of one resource and scope are grouped. Empty
  // if nothing matches. Returns kInvalidArgument if `after` of a query is not a cursor the store
  // returned.
  virtual absl::StatusOr<model::TraceBatch> SelectTrace(const TraceQuery& query) = 0;
  virtual absl::StatusOr<SelectedSpans> SelectSpans(const SpanQuery& query) = 0;
  virtual absl::StatusOr<SelectedLogs> SelectLogs(const LogQuery& query) = 0;
  virtual absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& query) = 0;

  // The matching series, by name, at most `limit`. Ignores the range.
  virtual absl::StatusOr<std::vector<MetricSeries>> ListMetrics(const MetricQuery& query) = 0;

  // Drops the data of each signal that ends before its time. Entries shared by signals (names,
  // stacks) follow the signal with the longest retention. Cheap when nothing is old.
  virtual absl::Status DropBefore(const SignalTimes& oldest) = 0;

  // Does work that makes later queries cheaper without changing their results. Call it periodically
  // from a background thread.
  virtual absl::Status Maintain(uint64_t now_nanos) = 0;

  virtual absl::StatusOr<StoreStats> Stats() = 0;

  // Estimates how many bytes on disk dropping each stored hour of all signals frees, oldest first.
  // Flushes buffered data first, so that the sizes cover it and the log is short.
  virtual absl::StatusOr<std::vector<HourBytes>> BytesByHour() = 0;

  // Notes are small texts by key, stored next to the telemetry, such as short links. They have no
  // retention, but their number is capped: adding one beyond the cap evicts the oldest. Returns
  // once the note is durable. Returns kAlreadyExists if the key has a different text, OK without a
  // change if it has the same text, kInvalidArgument if the note is too long.
  virtual absl::Status AddNote(std::string_view key, std::string_view text) = 0;
  virtual absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) = 0;

  // A number that changes whenever a query result may have changed. Cheap to read.
  virtual uint64_t Watermark() = 0;
};

}  // namespace flarestack::store
