// SPDX-License-Identifier: Apache-2.0
//
// Small texts by key, stored next to the telemetry, such as short links.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::store {

// Longer notes are rejected.
inline constexpr size_t kNoteKeyBytesMax = 64;
inline constexpr size_t kNoteBytesMax = 32 << 10;

// Notes have no retention, but their number is capped: adding one beyond the cap evicts the oldest.
class NoteStore {
 public:
  virtual ~NoteStore() = default;

  // Returns once the note is durable. Returns kAlreadyExists if the key has a different text, OK
  // without a change if it has the same text, kInvalidArgument if the note is too long.
  virtual absl::Status AddNote(std::string_view key, std::string_view text) = 0;
  virtual absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) = 0;
};

}  // namespace flarestack::store
