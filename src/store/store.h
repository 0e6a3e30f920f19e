// SPDX-License-Identifier: Apache-2.0
//
// Where telemetry is kept. One interface for the embedded store and for any other: nothing here
// tells how or where, and one suite of tests (store/testing/conformance.h) holds them all to it.
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

struct TimeRange {  // ns since the epoch, the end excluded
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
};

struct AppendedProfiles {
  uint64_t samples = 0;             // events kept
  uint32_t duplicate_profiles = 0;  // whose id was stored before: kept once
  uint32_t rejected_profiles = 0;   // of new series, where there are as many as there may be
};

struct AppendedMetrics {
  uint64_t rejected_points = 0;  // of new series, where there are as many as there may be
};

// What a series is: everything that is said of its samples as a whole.
struct Series {
  std::vector<std::pair<std::string, std::string>> attributes;  // of the resource, as text
  std::string scope;
  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
  std::string period_type;
  std::string period_unit;
  int64_t period = 0;
  uint64_t last_seen_nanos = 0;  // begin of the last minute with samples; 0: not known
};

struct SeriesQuery {
  // All must hold. On attributes of the resource; in a ProfileQuery, those whose key no resource
  // has are on attributes of samples and profiles.
  std::vector<Matcher> matchers;
  std::vector<SampleTypeMatcher> types;  // one must hold; none: all types
};

enum class Detail {
  kMerged,   // one value a stack and kind of profile, whatever its series
  kSums,     // one value a stack and series
  kSteps,    // one value a stack, series and step of time, which has the time of its begin
  kSamples,  // every event with its time, attributes and link
};

// How far a read is.
struct ReadProgress {
  uint64_t parts = 0;  // series, or pieces of them
  uint64_t parts_done = 0;
  uint64_t rows = 0;  // events that were looked at one by one
};

// A trace, or one span of it.
struct SpanRef {
  std::string trace_id;  // 16 bytes
  std::string span_id;   // 8 bytes; empty: all of the trace
  friend auto operator<=>(const SpanRef&, const SpanRef&) = default;
};

struct ProfileQuery {
  SeriesQuery series;
  TimeRange range;
  Detail detail = Detail::kSums;
  uint64_t step_nanos = 0;        // of kSteps, counted from the begin of the range
  bool without_stacks = false;    // of kSteps: all stacks are one, the empty stack
  std::vector<SpanRef> spans;     // when set: only samples of one of these
  bool may_have_orphans = false;  // of kMerged: the dictionary may have more than the samples name
  // Asked now and then whether the answer may take so many bytes, when set; a no ends the work with
  // kResourceExhausted.
  std::function<bool(uint64_t bytes)> try_reserve;
  // Told now and then how far the work is, when set, never by two threads at once; a no ends it
  // with what was read so far.
  std::function<bool(const ReadProgress&)> on_progress;
};

// Which items come first, and so which ones a limit leaves. Among items of one time the order is
// the store's own, and always the same.
enum class TimeOrder : uint8_t { kOldestFirst, kNewestFirst };

// All spans of a trace.
struct TraceQuery {
  std::string_view trace_id;                             // 16 bytes
  std::function<bool(uint64_t bytes)> try_reserve;       // see ProfileQuery
  std::function<bool(const ReadProgress&)> on_progress;  // see ProfileQuery; parts are not known
};

// Conditions that are left at their default hold for everything.
struct SpanQuery {
  std::vector<Matcher> matchers;  // on attributes of the resource
  std::string name;
  std::optional<base::Pattern> name_pattern;
  uint64_t duration_min_nanos = 0;
  uint64_t duration_max_nanos = UINT64_MAX;
  std::optional<model::SpanStatusCode> status;
  std::vector<Matcher> attributes;  // on attributes of the span
  TimeRange range;                  // of the start
  size_t limit = 1000;
  TimeOrder order = TimeOrder::kOldestFirst;
  std::string after;  // `next` of an answer to the same question: go on behind it
  std::function<bool(uint64_t bytes)> try_reserve;       // see ProfileQuery
  std::function<bool(const ReadProgress&)> on_progress;  // see TraceQuery; leaves `next` empty
};

struct SelectedSpans : model::TraceBatch {
  std::string next;  // empty: there is nothing more
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

// What the process that keeps a store may take in all; 0 is no limit.
struct StoreCaps {
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;
};

struct StoreStats {
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;
  uint64_t series = 0;
  uint64_t stacks = 0;
  uint64_t oldest_nanos = 0;  // of anything that has a time; 0 when there is nothing
  uint64_t newest_nanos = 0;
  SignalTimes oldest;  // of each signal
  SignalTimes newest;
  uint64_t waiting_bytes = 0;  // that the store is yet to bring into order
};

struct HourBytes {
  uint64_t begin_nanos = 0;
  uint64_t bytes = 0;
};

// Notes are small: longer ones are refused.
inline constexpr size_t kNoteKeyBytesMax = 64;
inline constexpr size_t kNoteBytesMax = 32 << 10;

class Store {
 public:
  virtual ~Store() = default;

  // Returns once the batch is durable. Its indices must be valid and its shapes sound
  // (model/validate.h). kResourceExhausted and kUnavailable may be tried again.
  virtual absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& batch) = 0;

  // The series that match, in no particular order.
  virtual absl::StatusOr<std::vector<Series>> ListSeries(const SeriesQuery& query) = 0;

  // The keys that attributes of resources have, each once, sorted.
  virtual absl::StatusOr<std::vector<std::string>> ResourceKeys() = 0;

  // The hour nearest to a time in which one of these series has samples, as the time of its begin;
  // 0 where there is none, or none was found with reasonable effort.
  virtual absl::StatusOr<uint64_t> NearestHour(const SeriesQuery& query, uint64_t time_nanos) = 0;

  // A batch with one profile a series; empty where nothing matches.
  virtual absl::StatusOr<model::Batch> SelectProfiles(const ProfileQuery& query) = 0;

  // Items must be valid (model/item_check.h). What is appended twice is kept once: a span by its
  // ids, a point by its series and time, a log record by its content.
  virtual absl::Status AppendTraces(const model::TraceBatch& batch) = 0;
  virtual absl::Status AppendLogs(const model::LogBatch& batch) = 0;
  virtual absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) = 0;

  // Empty where nothing matches. In the order of time, except that what is of one resource and
  // scope stands together. kInvalidArgument where `after` of a query is nothing that was answered.
  virtual absl::StatusOr<model::TraceBatch> SelectTrace(const TraceQuery& query) = 0;
  virtual absl::StatusOr<SelectedSpans> SelectSpans(const SpanQuery& query) = 0;
  virtual absl::StatusOr<SelectedLogs> SelectLogs(const LogQuery& query) = 0;
  virtual absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& query) = 0;

  // The series that match, by name; the range does not count. At most `limit`.
  virtual absl::StatusOr<std::vector<MetricSeries>> ListMetrics(const MetricQuery& query) = 0;

  // Drops what of each signal ends before its time. What signals share (names, stacks) follows the
  // one that is kept the longest. Cheap where nothing is old.
  virtual absl::Status DropBefore(const SignalTimes& oldest) = 0;

  // Does what makes later answers cheaper and changes none of them. For a background thread, now
  // and then.
  virtual absl::Status Maintain(uint64_t now_nanos) = 0;

  virtual absl::StatusOr<StoreStats> Stats() = 0;

  // Roughly what dropping each stored hour of all signals frees on disk, oldest first. Writes
  // buffered data out first, so that the sizes cover it and the log is short.
  virtual absl::StatusOr<std::vector<HourBytes>> BytesByHour() = 0;

  // Notes are small texts by key that stand beside the telemetry, such as short links; no retention
  // is theirs, but there is a most of them, and the oldest goes when one more is added. Returns
  // once the note is durable. kAlreadyExists where the key has another text, and nothing happens
  // where it has this one. kInvalidArgument when it is too long.
  virtual absl::Status AddNote(std::string_view key, std::string_view text) = 0;
  virtual absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) = 0;

  // Another number whenever an answer may be another one, and cheap to ask for.
  virtual uint64_t Watermark() = 0;
};

}  // namespace flarestack::store
