// SPDX-License-Identifier: Apache-2.0
//
// Provides the samples of a profile to its writer. They are most of a large profile, so they are
// produced one at a time from existing data instead of being stored a second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/pprof/message/profile.h"
#include "codec/pprof/message/reader.h"

namespace flarestack::codec::pprof {

// Memory for one sample, reused for the next.
struct SampleRoom {
  std::vector<uint32_t> locations;
  std::vector<int64_t> values;
  std::vector<Label> labels;
};

// Thread-safe. The text of labels lives as long as the source and does not move.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual size_t size() const = 0;
  virtual uint64_t location_count() const = 0;  // over all samples

  // Both return views that are valid until the next call with the same room.
  virtual std::span<const Label> LabelsOf(size_t sample, SampleRoom* room) const = 0;
  virtual SampleView At(size_t sample, SampleRoom* room) const = 0;
};

// The samples stored in a profile.
class HeldSamples : public SampleSource {
 public:
  explicit HeldSamples(const Profile& profile) : profile_(profile) {}

  size_t size() const override { return profile_.samples.size(); }
  uint64_t location_count() const override { return profile_.sample_locations.size(); }
  std::span<const Label> LabelsOf(size_t sample, SampleRoom*) const override {
    return model::In(profile_.sample_labels, profile_.samples[sample].labels);
  }
  SampleView At(size_t sample, SampleRoom* room) const override {
    const Sample& held = profile_.samples[sample];
    return {.locations = model::In(profile_.sample_locations, held.locations),
            .values = model::In(profile_.sample_values, held.values),
            .labels = LabelsOf(sample, room)};
  }

 private:
  const Profile& profile_;
};

}  // namespace flarestack::codec::pprof
