// SPDX-License-Identifier: Apache-2.0
//
// The envelope of a message is everything except the samples and the entries that only they refer
// to: resources, scopes and profiles. A pprof profile implies an envelope; if a message has a
// different one, from_otlp.h stores it in a comment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

// Ids of table entries that are not 1, 2, 3...; an empty list means that they are.
struct EntryIds {
  std::vector<uint64_t> mappings;
  std::vector<uint64_t> locations;
  std::vector<uint64_t> functions;
};

// The envelope that the fields of a pprof profile imply.
absl::StatusOr<model::Batch> ImpliedEnvelope(const Profile& profile, const EntryIds& ids);

// The envelope of a message; equal resources and scopes are not merged.
absl::StatusOr<model::Batch> EnvelopeOf(const model::Batch& batch);

// Convert to and from a comment. Attributes of mappings and locations without a pprof field are
// stored in the tables of the envelope, each under the id of its pprof entry (as memory_start and
// address).
absl::StatusOr<std::string> EncodeEnvelope(const model::Batch& envelope);
bool IsEnvelope(std::string_view comment);
absl::StatusOr<model::Batch> DecodeEnvelope(std::string_view comment, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
