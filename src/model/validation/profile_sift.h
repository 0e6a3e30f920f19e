// SPDX-License-Identifier: Apache-2.0
//
// Checks profiles that a server receives. OTLP requires receivers to reject bad items individually
// and to accept the rest of the message: bad samples are removed from the batch and reported with a
// reason, and so is a profile that loses all its samples. Afterwards every index is valid and every
// sample has one of the three shapes, so the batch may be stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/batch.h"

namespace flarestack::model {

enum class SampleFault : uint8_t {
  kIndexOutOfRange,  // of the sample, or of an entry it leads to
  kNoValue,          // neither values nor timestamps
  kShape,            // different numbers of values and timestamps
};

// A stable short name ("index_out_of_range"), and a sentence for users.
std::string_view FaultId(SampleFault fault);
std::string_view FaultText(SampleFault fault);

struct SiftedProfiles {
  uint64_t samples_total = 0;
  uint64_t profiles_rejected = 0;
  struct Rejected {
    SampleFault fault;
    uint64_t samples = 0;
    std::string example;  // the path of the first rejected sample
  };
  std::vector<Rejected> rejected;  // one entry per fault found

  uint64_t samples_rejected() const;

  // "3 of 10 samples rejected: ..." for the error_message of a partial success; empty if all
  // samples were accepted.
  std::string Explain() const;
};

// Every table must have its entry 0 (see EnsureReservedEntries in codec/otlp).
SiftedProfiles SiftProfiles(Batch* batch);

// Sets times before the year 2000 or more than a day ahead of `now_nanos` to `now_nanos`. The
// original time is kept as the attribute flarestack.original_time_unix_nano of the profile or
// sample. If a profile's time is absurd, its samples keep their distances to it. Returns the number
// of changed times. A profile time of 0 means unknown; it is filled in but not counted.
uint64_t RestampAbsurdTimes(Batch* batch, uint64_t now_nanos);

// Detects implausible times: the sender's clock was never set, or runs far ahead. Such times are
// replaced by the time of arrival, and the original is kept as an attribute.
inline constexpr std::string_view kOriginalTimeKey = "flarestack.original_time_unix_nano";

// Before the year 2000, or more than a day after `now_nanos`.
inline bool IsAbsurdTime(uint64_t time_nanos, uint64_t now_nanos) {
  constexpr uint64_t kYear2000 = 946'684'800 * base::kNanosPerSecond;
  return time_nanos < kYear2000 || time_nanos > now_nanos + base::kNanosPerDay;
}

}  // namespace flarestack::model
