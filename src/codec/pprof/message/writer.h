// SPDX-License-Identifier: Apache-2.0
//
// Writes a pprof profile as uncompressed profile.proto bytes. Fields are in ascending order,
// strings are numbered in the order of first use, lists are packed: the same profile gives the same
// bytes.
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

// Splits the output into pieces that can be written in any order and on any thread, so that the
// whole is never in memory. The split depends only on the profile.
class ProfilePieces {
 public:
  // Both must outlive this object. Samples stored in `tables` are not written.
  ProfilePieces(const Profile& tables, const SampleSource& samples, size_t piece_bytes);
  ~ProfilePieces();

  // At least 1.
  size_t count() const { return ends_.size(); }

  // Returns the bytes in view(). Thread-safe.
  wire::ReverseWriter Encode(size_t piece) const;

 private:
  class Encoder;
  class StringNumbers;

  // The sections of the profile, in order.
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
  std::array<uint64_t, kSectionCount> entry_bytes_ = {};  // estimate for one entry
  std::vector<uint64_t> ends_;                            // of pieces, in entries of all sections
};

// Encodes a whole profile that contains its samples.
wire::ReverseWriter EncodeProfile(const Profile& profile);

}  // namespace flarestack::codec::pprof
