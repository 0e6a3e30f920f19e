// SPDX-License-Identifier: Apache-2.0
//
// Notes: small texts by key (store/store.h), in the family of what is there once. Beside each
// stands its number in the order of arrival, so that the oldest is found when there are too many.
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

// kInvalidArgument when it is too long to be one.
absl::Status CheckNote(std::string_view key, std::string_view text);

// Not to be called by two threads at once: what is there decides about what is written.
absl::Status WriteNote(const Database& database, const NoteOptions& options, std::string_view key,
                       std::string_view text);

// Nothing where there is none.
absl::StatusOr<std::optional<std::string>> ReadNote(const Database& database, std::string_view key);

}  // namespace flarestack::store::rocks
