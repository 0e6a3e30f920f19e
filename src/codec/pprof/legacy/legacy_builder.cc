// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy_builder.h"

#include <cmath>
#include <limits>

#include "base/check.h"
#include "codec/pprof/legacy/legacy_mappings.h"

namespace flarestack::codec::pprof::legacy {
namespace {

// The input bounds the pools, and ReadLegacy limits it to 4 GiB, so a position always fits.
uint32_t Position(size_t size) { return static_cast<uint32_t>(size); }

constexpr uint32_t kUnused = 0xffffffff;

}  // namespace

void MoveIntoCalls(Leaf leaf, std::vector<uint64_t>& addresses) {
  size_t kept = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (i == 0 && leaf == Leaf::kExact) {
      ++kept;
    } else if (addresses[i] != 0) {
      addresses[kept++] = addresses[i] - 1;
    }
  }
  addresses.resize(kept);
}

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product;
  }
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max()
                            : std::numeric_limits<int64_t>::min();
}

int64_t SaturatingFromDouble(double value) {
  constexpr double kBorder = 9223372036854775808.0;  // 2^63
  if (std::isnan(value)) {
    return 0;
  }
  if (value >= kBorder) {
    return std::numeric_limits<int64_t>::max();
  }
  if (value < -kBorder) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(value);
}

uint32_t Builder::InternLocation(uint64_t address) {
  const auto [it, is_new] =
      location_by_address_.try_emplace(address, Position(profile_.locations.size()));
  if (is_new) {
    profile_.locations.emplace_back().address = address;
  }
  return it->second;
}

void Builder::AddSample(std::span<const uint64_t> addresses, std::span<const int64_t> values) {
  FLARE_CHECK(values.size() == profile_.sample_types.size());
  Sample sample;
  sample.locations = {Position(profile_.sample_locations.size()), Position(addresses.size())};
  for (const uint64_t address : addresses) {
    profile_.sample_locations.push_back(InternLocation(address));
  }
  sample.values = {Position(profile_.sample_values.size()), Position(values.size())};
  profile_.sample_values.insert(profile_.sample_values.end(), values.begin(), values.end());
  sample.labels.begin = Position(profile_.sample_labels.size());
  profile_.samples.push_back(sample);
}

void Builder::AddNumberLabel(std::string_view key, int64_t number) {
  Label& label = profile_.sample_labels.emplace_back();
  label.key = key;
  label.is_number = true;
  label.number = number;
  ++profile_.samples.back().labels.count;
}

void Builder::AddTextLabel(std::string_view key, std::string_view text) {
  Label& label = profile_.sample_labels.emplace_back();
  label.key = key;
  label.text = text;
  ++profile_.samples.back().labels.count;
}

std::optional<uint32_t> Builder::FindLocation(uint64_t address) const {
  const auto it = location_by_address_.find(address);
  return it == location_by_address_.end() ? std::nullopt : std::optional(it->second);
}

uint32_t Builder::InternFunction(std::string_view name, std::string_view filename) {
  const auto [it, is_new] =
      function_by_name_.try_emplace({name, filename}, Position(profile_.functions.size()));
  if (is_new) {
    const uint64_t id = profile_.functions.size() + 1;
    profile_.functions.push_back(
        {.id = id, .name = name, .system_name = name, .filename = filename});
  }
  return it->second;
}

void Builder::SetLines(uint32_t location, std::span<const Line> lines) {
  profile_.locations[location].lines = {Position(profile_.lines.size()), Position(lines.size())};
  profile_.lines.insert(profile_.lines.end(), lines.begin(), lines.end());
}

void Builder::DropSecondFrame(Sample& sample) {
  // The leaf overwrites the second frame: constant time at any depth. Finish() closes the gap.
  std::vector<uint32_t>& pool = profile_.sample_locations;
  pool[sample.locations.begin + 1] = pool[sample.locations.begin];
  ++sample.locations.begin;
  --sample.locations.count;
}

void Builder::DropDuplicatedLeaves() {
  for (Sample& sample : profile_.samples) {
    if (sample.locations.count < 2) {
      continue;
    }
    const uint32_t* const stack = &profile_.sample_locations[sample.locations.begin];
    const uint64_t second = profile_.locations[stack[1]].address;
    if (profile_.locations[stack[0]].address == second + 1) {
      DropSecondFrame(sample);
    }
  }
}

void Builder::KeepUsedLocations() {
  std::vector<uint32_t> new_position(profile_.locations.size(), kUnused);
  std::vector<Location> kept;
  std::vector<uint32_t> stacks;
  for (Sample& sample : profile_.samples) {
    const uint32_t begin = Position(stacks.size());
    for (const uint32_t old : model::In(profile_.sample_locations, sample.locations)) {
      if (new_position[old] == kUnused) {
        new_position[old] = Position(kept.size());
        kept.push_back(profile_.locations[old]);
        kept.back().id = kept.size();
      }
      stacks.push_back(new_position[old]);
    }
    sample.locations.begin = begin;
  }
  profile_.locations = std::move(kept);
  profile_.sample_locations = std::move(stacks);
}

Profile Builder::Finish() {
  KeepUsedLocations();
  location_by_address_.clear();
  AssignMappings(&profile_);
  return std::move(profile_);
}

}  // namespace flarestack::codec::pprof::legacy
