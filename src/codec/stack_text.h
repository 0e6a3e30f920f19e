// SPDX-License-Identifier: Apache-2.0
//
// A stack as one line of text, root first: "main;run;parse". The formats that hold nothing but such
// lines and numbers (folded, csv) share this.
//
// A `;` in a name becomes `:` and a line break becomes a space, each with a warning, because the
// line could not be read back otherwise. Inlined functions are frames of their own. A sample
// without a stack is "[no stack]".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/sample_type.h"
#include "model/batch.h"

namespace flarestack::codec {

inline constexpr std::string_view kNoStack = "[no stack]";
inline constexpr std::string_view kUnknownFrame = "[unknown]";

// A few bytes of a message can name a long stack of long names, so the text is limited and not only
// the message.
inline constexpr uint64_t kStackTextBytesMax = uint64_t{1} << 31;

struct StackRow {
  std::string stack;
  std::vector<int64_t>
      weights;  // one per sample type asked for; 0 where the stack has no such sample
};

struct StackRowOptions {
  uint64_t bytes_max = kStackTextBytesMax;
  base::Warnings* warnings = nullptr;  // never null
};

// Each distinct text once with its saturating sums, sorted by text. kResourceExhausted beyond
// options.bytes_max.
absl::StatusOr<std::vector<StackRow>> StackRows(const model::Batch& batch,
                                                std::span<const SampleTypeView> types,
                                                const StackRowOptions& options);

}  // namespace flarestack::codec
