// SPDX-License-Identifier: Apache-2.0
//
// Converts an OTLP message to one pprof profile without loss. The profiles of a scope become
// columns, joined by the content of the samples and not by their position; links, timestamps and
// attributes become labels; data without a pprof field (resources, scopes, profile ids, frame
// types) goes into a comment that to_otlp.h reads back. A message that came from pprof becomes the
// same pprof again, without such a comment.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

struct FromOtlpOptions {
  bool aggregate = false;  // drop timestamps and sum samples that differ only in them
  // Only native pprof fields, and only data that samples refer to. Sums all inputs.
  bool plain = false;
};

struct Bundles;
class SampleSource;

// The profile without its samples, which are produced on request, so that a large message is not in
// memory twice. Points into the batch.
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
  std::unique_ptr<const Bundles> bundles_;  // samples_ refers to it
  std::unique_ptr<const SampleSource> samples_;
};

// Returns kInvalidArgument for a sample with several values and no timestamps, which OTLP forbids.
absl::StatusOr<OtlpProfile> ViewAsPprof(const model::Batch& batch, const FromOtlpOptions& options,
                                        base::Warnings* warnings);

// Same, including the samples; the profile owns its text.
absl::StatusOr<Profile> FromOtlp(const model::Batch& batch, const FromOtlpOptions& options,
                                 base::Warnings* warnings);

}  // namespace flarestack::codec::pprof
