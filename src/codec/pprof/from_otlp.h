// SPDX-License-Identifier: Apache-2.0
//
// An OTLP message as one pprof profile with nothing lost. The profiles of a scope become columns,
// joined by what the samples are and not by their position; links, timestamps and attributes become
// labels; what pprof has no field for (resources, scopes, profile ids, frame types) goes into a
// comment that to_otlp.h reads back. A message that came from pprof becomes that pprof again,
// without such a comment.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

struct FromOtlpOptions {
  bool aggregate = false;  // drop timestamps, add up samples that only they told apart
  // Only what pprof has fields for, and what samples lead to. All inputs are added up.
  bool plain = false;
};

struct Bundles;
class SampleSource;

// The profile without its samples, and the samples as they are asked for: a large message is not
// held twice. Points into the batch.
class OtlpProfile {
 public:
  OtlpProfile(Profile tables, std::unique_ptr<const Bundles> bundles,
              std::unique_ptr<const SampleSource> samples);
  OtlpProfile(OtlpProfile&&) noexcept;
  OtlpProfile& operator=(OtlpProfile&&) noexcept;
  ~OtlpProfile();

  Profile& tables() { return tables_; }
  const Profile& tables() const { return tables_; }
  const SampleSource& samples() const { return *samples_; }

 private:
  Profile tables_;
  std::unique_ptr<const Bundles> bundles_;  // what samples_ refers to
  std::unique_ptr<const SampleSource> samples_;
};

// kInvalidArgument for a sample with several values and no timestamps, which OTLP forbids.
absl::StatusOr<OtlpProfile> ViewAsPprof(const model::Batch& batch, const FromOtlpOptions& options,
                                        base::Warnings* warnings);

// The same with its samples; the profile owns its text.
absl::StatusOr<Profile> FromOtlp(const model::Batch& batch, const FromOtlpOptions& options,
                                 base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
