// SPDX-License-Identifier: Apache-2.0
//
// Limits for a comparison, for use in continuous integration: "total>+5%", "fn:parse_.*>+10%".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/diff/diff.h"
#include "query/stacks/frame_matcher.h"

namespace flarestack::query {

class Threshold {
 public:
  // `total>+5%` or `fn:REGEX>+10%`; `<-5%` triggers on a decrease. Returns kInvalidArgument with
  // the reason.
  static absl::StatusOr<Threshold> Parse(std::string_view text);

  // Returns one sentence per exceeded limit, empty if none is. A new function exceeds every growth
  // limit. A change that may be noise counts too, and the sentence says so.
  std::vector<std::string> Exceeded(const Diff& diff) const;

 private:
  bool IsExceeded(std::optional<double> ratio, double delta) const;
  std::string Sentence(std::string_view what, std::optional<double> ratio) const;

  std::optional<Pattern> function_;  // nullopt: the total
  bool is_growth_ = true;
  double percent_ = 0;
};

}  // namespace flarestack::query
