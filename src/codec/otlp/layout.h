// SPDX-License-Identifier: Apache-2.0
//
// The profiles message has no version field, yet its numbers changed in place: up to
// opentelemetry-proto 1.7, in 1.8, in 1.9 and in 1.10. The layout is told by what stands on the
// wire: a field number with a wire type that only one of them writes, or a sample whose shape only
// one of them allows.
#pragma once

#include <bitset>
#include <string>
#include <string_view>

namespace flarestack::codec::otlp {

enum class Layout {
  kUpTo15,  // tables inside each profile
  k16,      // tables beside the resources
  k17,      // a dictionary; samples point into location_indices
  k18,      // stacks; comments in the profile
  k19,      // sample: values = 2, attributes = 3, link = 4
  k110,     // 1.10 and later: attributes = 2, link = 3, values = 4
  kNewer,   // announced changes that no release has yet
};

// "1.10 or later", "1.8", ...
std::string_view LayoutName(Layout layout);

// What a decoder of today's layout can meet that does not belong to it.
enum class Clue {
  kTopLevelTables,  // message fields 3 to 8
  kProfileTables,   // Profile 4 as bytes, 12 or 14 as numbers, 15 to 22
  kProfileOf17,     // Profile 3 as bytes or number, 5 as number, 6 as bytes, 14 as bytes
  kProfileOf18,     // Profile 8 as bytes, 9 as number, 7 as number, or 7 of another size than an id
  kProfileField12,  // as bytes: 1.8 attribute_indices, 1.6 and 1.7 payload format, or newer
  kProfileField13,  // as bytes: 1.6 and 1.7 payload, or newer
  kRepeatedSampleType,  // Profile 1 twice
  kTemporality,         // ValueType 3
  kKeyValueAttribute,   // attribute_table entry whose field 1 is text
  kAttributeUnit,       // Dictionary 7 entry with a field 2
  kMappingFlags,        // Mapping 6 to 9, Location 5
  kDictionaryField8,    // newer
  kSampleTimestamps17,  // Sample 6, or 5 as a number
  kSampleLength17,      // Sample 2 as a number
  kSampleAttributes19,  // Sample 3 as bytes
  kSampleLink19,        // Sample 4 as a single number
  kSampleValues19,      // Sample 2 holds what can only be values
  kCount,
};

// Set in the cold paths of the decoder, so looking costs nothing while messages are current.
class Clues {
 public:
  void Add(Clue clue) { bits_.set(static_cast<size_t>(clue)); }
  bool Has(Clue clue) const { return bits_.test(static_cast<size_t>(clue)); }
  bool any() const { return bits_.any(); }

 private:
  std::bitset<static_cast<size_t>(Clue::kCount)> bits_;
};

// The layout that the clues speak for; k110 when there are none.
Layout JudgeLayout(const Clues& clues);

// What was seen, for messages: "Profile field 12 and Dictionary field 8".
std::string DescribeClues(const Clues& clues);

}  // namespace flarestack::codec::otlp
