// SPDX-License-Identifier: Apache-2.0
//
// Decodes profile.proto from bytes (already decompressed). The tables are decoded first; the
// samples are then visited directly from the bytes. Samples are most of a large profile, and
// storing them twice would double its memory.
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
  std::span<const int64_t> values;      // one per sample type
  std::span<const Label> labels;
};

using VisitSample = absl::FunctionRef<absl::Status(const SampleView&)>;

// The size of the samples, so that callers can reserve space once.
struct SampleTotals {
  uint64_t samples = 0;
  uint64_t bytes = 0;
};

// Decodes everything except the samples. The text points into `bytes`. Returns kInvalidArgument
// with a byte offset or a path if the bytes are not a profile or break a rule that pprof's library
// enforces: ids are unique and not 0, references exist, string indices are in range, and there is
// no second profile after the first.
absl::StatusOr<Profile> DecodeTables(std::string_view bytes, base::Warnings* warnings,
                                     SampleTotals* totals);

// Visits the samples in order. Each has one value per sample type, and its locations exist.
absl::Status DecodeSamples(std::string_view bytes, const Profile& tables, VisitSample visit);

// Decodes a profile with its samples.
absl::StatusOr<Profile> DecodeProfile(std::string_view bytes, base::Warnings* warnings);

// Visits the samples stored in a profile.
absl::Status VisitSamples(const Profile& profile, VisitSample visit);

// Whether the first bytes can be a pprof message: a chain of known fields with their wire types.
bool LooksLikePprof(std::string_view bytes);

}  // namespace flarestack::codec::pprof
