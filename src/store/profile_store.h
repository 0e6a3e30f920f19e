// SPDX-License-Identifier: Apache-2.0
//
// The profiles of a store.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "store/matcher.h"
#include "store/read_query.h"
#include "store/sample_types.h"

namespace flarestack::store {

struct AppendedProfiles {
  uint64_t samples = 0;             // events kept
  uint32_t duplicate_profiles = 0;  // id was already stored: kept once
  uint32_t rejected_profiles = 0;   // of new series beyond the series limit
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

struct ProfileQuery {
  SeriesQuery series;
  TimeRange range;
  Detail detail = Detail::kSums;
  uint64_t step_nanos = 0;        // for kSteps, counted from the start of the range
  bool without_stacks = false;    // for kSteps: all stacks merge into the empty stack
  std::vector<SpanRef> spans;     // if set: only samples of one of these
  bool may_have_orphans = false;  // for kMerged: the dictionary may contain entries no sample uses
  TryReserve try_reserve = {};
  OnProgress on_progress = {};
};

class ProfileStore {
 public:
  virtual ~ProfileStore() = default;

  // Returns once the batch is durable. Its indices and shapes must be valid
  // (model/validation/validate.h). kResourceExhausted and kUnavailable may be retried.
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
};

}  // namespace flarestack::store
