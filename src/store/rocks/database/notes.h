// SPDX-License-Identifier: Apache-2.0
//
// Notes: small texts by key (store/store.h), in the family kMeta. Each is stored with its number in
// the order of arrival, which finds the oldest when there are too many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"

namespace flarestack::store::rocks {

struct NoteOptions {
  uint64_t count_max = 0;
  bool sync = true;
};

// Returns kInvalidArgument if the key is empty, or key or text are too long.
absl::Status CheckNote(std::string_view key, std::string_view text);

// Calls must not overlap: the stored notes decide what is written.
absl::Status WriteNote(const Database& database, const NoteOptions& options, std::string_view key,
                       std::string_view text);

// Returns nullopt if there is no such note.
absl::StatusOr<std::optional<std::string>> ReadNote(const Database& database, std::string_view key);

}  // namespace flarestack::store::rocks
