// SPDX-License-Identifier: Apache-2.0
//
// An OTLP message as one pprof profile with nothing lost. The profiles of a scope become columns,
// joined by what the samples are and not by their position; links, timestamps and attributes become
// labels; what pprof has no field for (resources, scopes, profile ids, frame types) goes into a
// comment that to_otlp.h reads back. A message that came from pprof becomes that pprof again,
// without such a comment.
#pragma once

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

struct FromOtlpOptions {
  bool aggregate = false;  // drop timestamps, add up samples that only they told apart
  // Only what pprof has fields for, and what samples lead to. All inputs are added up.
  bool plain = false;
};

// kInvalidArgument for a sample with several values and no timestamps, which OTLP forbids. The
// profile owns its text.
absl::StatusOr<Profile> FromOtlp(const model::Batch& batch, const FromOtlpOptions& options,
                                 base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
