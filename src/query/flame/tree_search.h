// SPDX-License-Identifier: Apache-2.0
//
// Searches a whole tree, of which a flame graph shows a part: what do stacks with a match cost, and
// where are the matches?
//
//   text            in a function's name, in letters of either case
//   /regex/         the same for an RE2 regular expression
//   file:..., mod:..., type:...    in the source file, the binary, or the kind of frame
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/pattern.h"
#include "query/flame/value_tree.h"

namespace flarestack::query {

struct TreeQuery {
  std::string_view TreeFrameView::*field = &TreeFrameView::name;
  base::Pattern pattern;
};

// kInvalidArgument says what is wrong with the text.
absl::StatusOr<TreeQuery> ParseTreeQuery(std::string_view text);

struct TreeMatch {
  std::string name;   // of the function
  uint64_t path = 0;  // PathHash
  uint32_t depth = 0;
  int64_t total = 0;
};

struct TreeMatches {
  int64_t all = 0;                 // what the searched part of the tree costs
  int64_t matched = 0;             // what stacks with a match cost; each stack counts once
  uint64_t path_count = 0;         // call paths that end in a match
  std::vector<TreeMatch> largest;  // those call paths by cost, at most as many as were asked for
};

struct TreeSearchOptions {
  std::optional<uint64_t> root;  // search below this call path alone, by PathHash
  size_t matches_max = 200;
};

// kNotFound where there is no such root.
absl::StatusOr<TreeMatches> SearchTree(const ValueTree& tree, const TreeQuery& query,
                                       const TreeSearchOptions& options);

// The node of a call path, or nothing. The path of no names is node 0.
std::optional<uint32_t> FindPath(const ValueTree& tree, uint64_t path);

}  // namespace flarestack::query
