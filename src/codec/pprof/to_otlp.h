// SPDX-License-Identifier: Apache-2.0
//
// Converts a pprof profile to an OTLP message without loss: one profile per sample type, the
// default type first; labels become attributes; mapping flags, comments and the order of sample
// types are stored in the attributes that OpenTelemetry defines for them. A profile that
// from_otlp.h made from OTLP becomes the same message again.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"
#include "codec/pprof/message/reader.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

// Visits all samples once.
using EachSample = absl::FunctionRef<absl::Status(VisitSample)>;

// `tables` is everything except the samples. The batch owns its text.
absl::StatusOr<model::Batch> ToOtlp(const Profile& tables, const SampleTotals& totals,
                                    EachSample each_sample, base::Warnings* warnings);

// For a profile that contains its samples.
absl::StatusOr<model::Batch> ToOtlp(const Profile& profile, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
