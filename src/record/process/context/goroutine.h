// SPDX-License-Identifier: Apache-2.0
//
// Decodes the record of a goroutine, as copied by BPF while its thread was stopped.
//
//   the id, 8 bytes | labels: length of key, length of value, 2 bytes each | key | value
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace flarestack::record::agent {

struct Goroutine {
  uint64_t id = 0;  // 0: not recorded

  struct Label {
    std::string_view key;    // not empty
    std::string_view value;  // both are valid UTF-8
    friend bool operator==(const Label&, const Label&) = default;
  };
  // Sorted by key, without duplicates. A text that BPF truncated ends at a whole character.
  std::vector<Label> labels;

  uint32_t bad_text_count = 0;  // skipped labels that are not UTF-8
};

// Views point into `record`. Returns nullopt if the record is too short for an id. A truncated
// record yields the labels that are complete.
std::optional<Goroutine> DecodeGoroutine(std::string_view record);

}  // namespace flarestack::record::agent
