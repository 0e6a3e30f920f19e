// SPDX-License-Identifier: Apache-2.0
//
// A pprof profile as profile.proto bytes, not compressed. Fields ascend, strings are numbered in
// the order of first use, lists are packed: the same profile gives the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codec/pprof/message/profile.h"
#include "codec/pprof/message/sample_source.h"
#include "codec/wire/reverse_writer.h"

namespace flarestack::codec::pprof {

// In pieces that are written one by one, in any order and on any thread, so that the whole is never
// held. How it is cut depends on the profile alone.
class ProfilePieces {
 public:
  // Both must outlive this. The samples that `tables` may hold itself are not written.
  ProfilePieces(const Profile& tables, const SampleSource& samples, size_t piece_bytes);
  ~ProfilePieces();

  // At least 1.
  size_t count() const { return ends_.size(); }

  // The bytes are its view(). Thread-safe.
  wire::ReverseWriter Encode(size_t piece) const;

 private:
  class Encoder;
  class StringNumbers;

  // What stands in the profile, one kind behind the other.
  enum Section : size_t {
    kTypes,
    kSamples,
    kMappings,
    kLocations,
    kFunctions,
    kStrings,
    kNumbers,  // all single fields; counts as one entry
    kSectionCount
  };

  void NumberStrings();
  void Cut(size_t piece_bytes);

  const Profile& tables_;
  const SampleSource& samples_;
  std::unique_ptr<StringNumbers> strings_;
  std::array<uint64_t, kSectionCount> entry_counts_ = {};
  std::array<uint64_t, kSectionCount> entry_bytes_ = {};  // of one entry, about
  std::vector<uint64_t> ends_;                            // of pieces, in entries over all sections
};

// A profile that holds its samples itself, whole.
wire::ReverseWriter EncodeProfile(const Profile& profile);

}  // namespace flarestack::codec::pprof
