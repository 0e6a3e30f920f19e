// SPDX-License-Identifier: Apache-2.0
//
// profile.proto from bytes (already decompressed). The tables are decoded first and the samples
// visited afterwards, straight from the bytes: samples are most of a large profile, and holding
// them twice would double its memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof {

struct SampleView {
  std::span<const uint32_t> locations;  // positions in Profile::locations, leaf first
  std::span<const int64_t> values;      // as many as sample_types
  std::span<const Label> labels;
};

using VisitSample = absl::FunctionRef<absl::Status(const SampleView&)>;

// How much is in the samples, so that whoever stores them can make room once.
struct SampleTotals {
  uint64_t samples = 0;
  uint64_t bytes = 0;
};

// Everything but the samples. The text points into `bytes`. kInvalidArgument with a byte offset or
// a path when the bytes are no profile or break a rule that pprof's own library enforces: ids are
// unique and not 0, what they name exists, strings are in range, and no second profile stands
// behind the first.
absl::StatusOr<Profile> DecodeTables(std::string_view bytes, base::Warnings* warnings,
                                     SampleTotals* totals);

// The samples in order. Each has one value per sample type, and its locations exist.
absl::Status DecodeSamples(std::string_view bytes, const Profile& tables, VisitSample visit);

// Both: a profile with its samples.
absl::StatusOr<Profile> DecodeProfile(std::string_view bytes, base::Warnings* warnings);

// The samples a profile holds itself.
absl::Status VisitSamples(const Profile& profile, VisitSample visit);

// Whether the first bytes can be a pprof message: a chain of known fields with their wire types.
bool LooksLikePprof(std::string_view bytes);

}  // namespace flarestack::codec::pprof
