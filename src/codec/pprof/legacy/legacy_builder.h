// SPDX-License-Identifier: Apache-2.0
//
// Collects what a legacy reader finds into a Profile: one location per address, samples in the
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

// What the first address of a stack points at. All others are return addresses; each is moved back
// by one, into the call it returns to, as profile.proto asks. A return address of 0 is none: Go
// pads the stacks of threads with it. It is left out, where google/pprof makes a frame at the last
// address there is.
enum class Leaf { kExact, kReturnAddress };
void MoveIntoCalls(Leaf leaf, std::vector<uint64_t>& addresses);

// Products and floats that leave the range of int64 stay at its border.
int64_t SaturatingMultiply(int64_t a, int64_t b);
int64_t SaturatingFromDouble(double value);

class Builder {
 public:
  explicit Builder(base::Warnings* warnings) : warnings_(warnings) {}

  Profile& profile() { return profile_; }
  base::Warnings& warnings() { return *warnings_; }

  // As many values as there are sample types. Leaf first; addresses are taken as they are.
  void AddSample(std::span<const uint64_t> addresses, std::span<const int64_t> values);

  // Labels of the sample added last.
  void AddNumberLabel(std::string_view key, int64_t number);
  void AddTextLabel(std::string_view key, std::string_view text);

  std::optional<uint32_t> FindLocation(uint64_t address) const;
  uint32_t InternFunction(std::string_view name, std::string_view filename);
  // The lines of a location, inlined callee first; replaces those it had.
  void SetLines(uint32_t location, std::span<const Line> lines);

  // The handler of a signal sees the leaf twice, once in the saved registers and once as a return
  // address.
  void DropDuplicatedLeaves();
  // Takes the frame out that calls the leaf. The sample must have one.
  void DropSecondFrame(Sample& sample);

  // Leaves out what no sample uses, gives ids, assigns locations to the mappings, and hands the
  // profile over.
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
