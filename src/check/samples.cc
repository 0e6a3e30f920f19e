// SPDX-License-Identifier: Apache-2.0
//
// Checks the samples of a profile: shape, identity, timestamps.
#include <algorithm>

#include "base/hash.h"
#include "base/text/text.h"
#include "check/checks.h"
#include "check/first_seen.h"

namespace flarestack::check {
namespace {

using base::StrCat;

enum class Shape { kNone, kValues, kTimestamps, kBoth };

Shape ShapeOf(const model::Sample& sample) {
  if (sample.values.empty())
    return sample.timestamps.empty() ? Shape::kNone : Shape::kTimestamps;
  return sample.timestamps.empty() ? Shape::kValues : Shape::kBoth;
}

std::string_view ShapeName(Shape shape) {
  switch (shape) {
    case Shape::kValues:
      return "only values";
    case Shape::kTimestamps:
      return "only timestamps";
    case Shape::kBoth:
      return "values and timestamps";
    case Shape::kNone:
      break;
  }
  return "neither values nor timestamps";
}

class SampleChecker {
 public:
  SampleChecker(const Context& in, const model::Profile& profile, const Path& at)
      : in_(in), profile_(profile), at_(at) {}

  void Run() {
    for (uint32_t i = 0; i < profile_.samples.count; ++i) {
      const model::Sample& sample = in_.batch.samples[profile_.samples.begin + i];
      const Path at = at_.Item("samples", i);
      CheckShape(sample, i, at);
      CheckTimestamps(sample, at);
    }
    CheckIdentities();
  }

 private:
  void CheckShape(const model::Sample& sample, uint32_t position, const Path& at) {
    const Shape shape = ShapeOf(sample);
    if (shape == Shape::kNone) {
      in_.findings.Add(Rule::kSampleEmpty, at, [] {
        return "the sample has neither values nor timestamps; it needs at least one of them";
      });
      return;
    }
    if (shape == Shape::kBoth && sample.values.count != sample.timestamps.count) {
      in_.findings.Add(Rule::kSampleCountsDiffer, at, [&] {
        return StrCat(sample.values.count, " values but ", sample.timestamps.count,
                      " timestamps; there must be one value for each timestamp");
      });
    }
    if (shape == Shape::kValues && sample.values.count != 1) {
      in_.findings.Add(Rule::kSampleManyValues, at.Field("values"), [&] {
        return StrCat(sample.values.count,
                      " values without timestamps; without timestamps a sample has one value");
      });
    }
    if (first_shape_ == Shape::kNone) {
      first_shape_ = shape;
      first_position_ = position;
    } else if (shape != first_shape_) {
      in_.findings.Add(Rule::kSampleShape, at, [&] {
        return StrCat("has ", ShapeName(shape), ", but samples[", first_position_, "] has ",
                      ShapeName(first_shape_),
                      "; all samples of a profile must have the same shape");
      });
    }
  }

  // Compares distances from the start, so that a time near the maximum does not overflow. Reports
  // only the first bad timestamp of a sample.
  void CheckTimestamps(const model::Sample& sample, const Path& at) const {
    const uint64_t start = profile_.time_unix_nano;
    const uint64_t* const times = in_.batch.timestamps.data() + sample.timestamps.begin;
    for (uint32_t i = 0; i < sample.timestamps.count; ++i) {
      if (times[i] - start < profile_.duration_nano && times[i] >= start) [[likely]] {
        continue;
      }
      in_.findings.Add(Rule::kTimestampRange, at.Item("timestamps_unix_nano", i),
                       [&] { return TimestampMessage(times[i]); });
      return;
    }
  }
  std::string TimestampMessage(uint64_t time) const {
    const uint64_t start = profile_.time_unix_nano;
    if (profile_.duration_nano == 0) {
      return StrCat(time,
                    " is outside a time range of duration 0; set time_unix_nano to the "
                    "start of the process and duration_nano to the time since");
    }
    if (time < start)
      return StrCat(time, " is ", start - time, " ns before the start of the profile at ", start);
    return StrCat(time, " is ", time - start - profile_.duration_nano,
                  " ns past the end of the profile, which starts at ", start, " and lasts ",
                  profile_.duration_nano, " ns; the end is excluded");
  }

  const model::Sample& SampleAt(uint32_t position) const {
    return in_.batch.samples[profile_.samples.begin + position];
  }

  void CheckIdentities() {
    FirstSeen seen(profile_.samples.count);
    seen.FindAll(
        profile_.samples.count, [&](uint32_t position) { return HashOf(SampleAt(position)); },
        [&](uint32_t earlier, uint32_t position) {
          return IsSame(SampleAt(earlier), SampleAt(position));
        },
        [&](uint32_t position, uint32_t first) {
          if (first == position) [[likely]]
            return;
          in_.findings.Add(Rule::kSampleDuplicate, at_.Item("samples", position), [&] {
            return StrCat("the same stack, attributes and link as samples[", first,
                          "]; append its values and timestamps to that one");
          });
        });
  }
  uint64_t HashOf(const model::Sample& sample) const {
    uint64_t attributes = sample.attributes.count;  // a sum, because the order does not matter
    for (const model::AttributeIndex index : Attributes(sample))
      attributes += base::Mix64(index.value, 1);
    return base::Mix64(base::Mix64(sample.stack.value, sample.link.value), attributes);
  }
  std::span<const model::AttributeIndex> Attributes(const model::Sample& sample) const {
    return model::In(in_.tables.attribute_indices, sample.attributes);
  }
  bool IsSame(const model::Sample& a, const model::Sample& b) const {
    if (a.stack != b.stack || a.link != b.link || a.attributes.count != b.attributes.count)
      return false;
    const auto sorted = [&](const model::Sample& sample) {
      const auto list = Attributes(sample);
      std::vector<model::AttributeIndex> copy(list.begin(), list.end());
      std::ranges::sort(copy);
      return copy;
    };
    return std::ranges::equal(Attributes(a), Attributes(b)) || sorted(a) == sorted(b);
  }

  const Context& in_;
  const model::Profile& profile_;
  const Path& at_;
  Shape first_shape_ = Shape::kNone;
  uint32_t first_position_ = 0;
};

}  // namespace

void CheckSamples(const Context& in) {
  ForEachProfile(in, [&](const model::Profile& profile, const Path& at) {
    SampleChecker(in, profile, at).Run();
  });
}

}  // namespace flarestack::check
