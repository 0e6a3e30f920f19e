// SPDX-License-Identifier: Apache-2.0
//
// A pprof profile as text with all its content, including ids, and a builder for profiles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::testing {

std::string PprofText(const Profile& profile);

// Builds a profile. Entries get the ids 1, 2, 3... unless one is given; functions return positions.
class ProfileMaker {
 public:
  Profile profile;

  ProfileMaker& Type(std::string_view type, std::string_view unit);
  uint32_t AddMapping(Mapping mapping);
  uint32_t AddFunction(std::string_view name, uint64_t id = 0);
  uint32_t AddFunction(Function function);
  uint32_t AddLocation(Location location, const std::vector<Line>& lines = {});
  // A location with one function of this name.
  uint32_t Frame(std::string_view name);
  void AddSample(const std::vector<uint32_t>& leaf_first, const std::vector<int64_t>& values,
                 const std::vector<Label>& labels = {});
};

inline Label Text(std::string_view key, std::string_view text) {
  return {.key = key, .is_number = false, .text = text, .number = 0, .unit = {}};
}
inline Label Number(std::string_view key, int64_t number, std::string_view unit = {}) {
  return {.key = key, .is_number = true, .text = {}, .number = number, .unit = unit};
}

}  // namespace flarestack::codec::pprof::testing
