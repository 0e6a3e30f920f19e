// SPDX-License-Identifier: Apache-2.0
//
// A pprof profile as an OTLP message with nothing lost: one profile per sample type, the default
// one first, labels as attributes, mapping flags, comments and the order of sample types in the
// attributes that OpenTelemetry names for them. A profile that was made from OTLP by from_otlp.h
// becomes that message again.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"
#include "codec/pprof/message/reader.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

// Visits all samples, once.
using EachSample = absl::FunctionRef<absl::Status(VisitSample)>;

// `tables` holds everything but the samples. The batch owns its text.
absl::StatusOr<model::Batch> ToOtlp(const Profile& tables, const SampleTotals& totals,
                                    EachSample each_sample, base::Warnings* warnings);

// For a profile that holds its samples itself.
absl::StatusOr<model::Batch> ToOtlp(const Profile& profile, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
