// SPDX-License-Identifier: Apache-2.0
//
// Collects the output of a legacy reader into a Profile: one location per address, samples in the
// order of the input.
//
//   builder.SetTypes(...)  ->  AddSample()*, symbols  ->  memory map  ->  Finish()
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::legacy {

// The meaning of the first address of a stack. All others are return addresses; each is moved back
// by one, into its call, as profile.proto requires. Go pads the stacks of threads with return
// addresses of 0. They are skipped here, while google/pprof makes a frame at the highest address.
enum class Leaf { kExact, kReturnAddress };
void MoveIntoCalls(Leaf leaf, std::vector<uint64_t>& addresses);

// Products and floats outside the range of int64 saturate.
int64_t SaturatingMultiply(int64_t a, int64_t b);
int64_t SaturatingFromDouble(double value);

class Builder {
 public:
  explicit Builder(base::Warnings* warnings) : warnings_(warnings) {}

  Profile& profile() { return profile_; }
  base::Warnings& warnings() { return *warnings_; }

  // One value per sample type. Leaf first; addresses are used unchanged.
  void AddSample(std::span<const uint64_t> addresses, std::span<const int64_t> values);

  // Add labels to the last sample.
  void AddNumberLabel(std::string_view key, int64_t number);
  void AddTextLabel(std::string_view key, std::string_view text);

  std::optional<uint32_t> FindLocation(uint64_t address) const;
  uint32_t InternFunction(std::string_view name, std::string_view filename);
  // Sets the lines of a location, inlined callee first; replaces existing lines.
  void SetLines(uint32_t location, std::span<const Line> lines);

  // A signal handler sees the leaf twice, once in the saved registers and once as a return address.
  void DropDuplicatedLeaves();
  // Removes the caller of the leaf. The sample must have one.
  void DropSecondFrame(Sample& sample);

  // Drops unused entries, assigns ids, assigns locations to the mappings, and returns the profile.
  Profile Finish();

 private:
  uint32_t InternLocation(uint64_t address);
  void KeepUsedLocations();

  Profile profile_;
  base::Warnings* warnings_;
  absl::flat_hash_map<uint64_t, uint32_t> location_by_address_;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, uint32_t> function_by_name_;
};

}  // namespace flarestack::codec::pprof::legacy
