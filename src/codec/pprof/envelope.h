// SPDX-License-Identifier: Apache-2.0
//
// The envelope of a message is all of it but the samples and what only they refer to: resources,
// scopes and profiles. A pprof profile implies one; where a message has another, from_otlp.h stores
// it in a comment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

// Ids of table entries that are not 1, 2, 3...; an empty list says that they are.
struct EntryIds {
  std::vector<uint64_t> mappings;
  std::vector<uint64_t> locations;
  std::vector<uint64_t> functions;
};

// What a pprof profile's own fields say.
absl::StatusOr<model::Batch> ImpliedEnvelope(const Profile& profile, const EntryIds& ids);

// The envelope of a message, with equal resources and scopes left apart.
absl::StatusOr<model::Batch> EnvelopeOf(const model::Batch& batch);

// To and from a comment. Attributes of mappings and locations that pprof has no field for travel in
// the tables of the envelope, each under the id of its pprof entry (as memory_start and address).
absl::StatusOr<std::string> EncodeEnvelope(const model::Batch& envelope);
bool IsEnvelope(std::string_view comment);
absl::StatusOr<model::Batch> DecodeEnvelope(std::string_view comment, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
