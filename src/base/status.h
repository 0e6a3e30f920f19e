// SPDX-License-Identifier: Apache-2.0
//
// Two macros over absl::Status that propagate an error in one line and keep its cause.
//
//   FLARE_RETURN_IF_ERROR(ReadHeader(in));
//   FLARE_ASSIGN(const uint64_t count, in.Varint());
//
// Context is added once, at a border (a file, a message, an exporter), with WithContext().
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text/text.h"

namespace flarestack::base {

inline std::string_view Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// Returns the same code with "context: " before the message. An OK status stays OK.
[[nodiscard]] inline absl::Status WithContext(std::string_view context,
                                              const absl::Status& status) {
  if (status.ok()) {
    return status;
  }
  return {status.code(), StrCat(context, ": ", Message(status))};
}

}  // namespace flarestack::base

#define FLARE_CONCAT_INNER(a, b) a##b
#define FLARE_CONCAT(a, b) FLARE_CONCAT_INNER(a, b)

#define FLARE_RETURN_IF_ERROR(expr)                                 \
  do {                                                              \
    if (absl::Status flare_status_ = (expr); !flare_status_.ok()) { \
      return flare_status_;                                         \
    }                                                               \
  } while (false)

#define FLARE_ASSIGN(lhs, expr) FLARE_ASSIGN_INNER(FLARE_CONCAT(flare_or_, __LINE__), lhs, expr)
#define FLARE_ASSIGN_INNER(result, lhs, expr) \
  auto result = (expr);                       \
  if (!result.ok()) {                         \
    return std::move(result).status();        \
  }                                           \
  lhs = *std::move(result)
