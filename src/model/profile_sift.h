// SPDX-License-Identifier: Apache-2.0
//
// The gate for profiles that a server receives. OTLP wants bad items turned away one by one and the
// rest of the message taken: bad samples are taken out of the batch, with the reason, and a profile
// that loses all of them goes too. Afterwards every index is valid and every sample has one of the
// three shapes, so the batch may be stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/batch.h"

namespace flarestack::model {

enum class SampleFault : uint8_t {
  kIndexOutOfRange,  // of the sample, or of something it leads to
  kNoValue,          // neither values nor timestamps
  kShape,            // values and timestamps of different number
};

// A short name that does not change ("index_out_of_range"), and a sentence for people.
std::string_view FaultId(SampleFault fault);
std::string_view FaultText(SampleFault fault);

struct SiftedProfiles {
  uint64_t samples_total = 0;
  uint64_t profiles_rejected = 0;
  struct Rejected {
    SampleFault fault;
    uint64_t samples = 0;
    std::string example;  // the path of the first one
  };
  std::vector<Rejected> rejected;  // one a fault that was met

  uint64_t samples_rejected() const;

  // "3 of 10 samples rejected: ..." for the error_message of a partial success; empty when all were
  // taken.
  std::string Explain() const;
};

// Every table must have its entry 0 (see EnsureReservedEntries in codec/otlp).
SiftedProfiles SiftProfiles(Batch* batch);

// Times before the year 2000 or more than a day ahead of `now_nanos` are set to `now_nanos`; what
// was sent stays as the attribute flarestack.original_time_unix_nano of the profile or sample. A
// profile whose own time was absurd keeps the distances of its samples. Answers how many times were
// changed. A time of 0 means unknown and is filled in without being counted.
uint64_t RestampAbsurdTimes(Batch* batch, uint64_t now_nanos);

}  // namespace flarestack::model
