// SPDX-License-Identifier: Apache-2.0
//
// Searches a whole tree, of which a flame graph shows a part: the cost of stacks with a match, and
// the location of the matches.
//
//   text            in a function's name, case-insensitive
//   /regex/         the same for an RE2 regular expression
//   file:..., mod:..., type:...    in the source file, the binary, or the kind of frame
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/text/pattern.h"
#include "query/flame/value_tree.h"

namespace flarestack::query {

struct TreeQuery {
  std::string_view TreeFrameView::*field = &TreeFrameView::name;
  base::Pattern pattern;
};

// Returns kInvalidArgument with the reason.
absl::StatusOr<TreeQuery> ParseTreeQuery(std::string_view text);

struct TreeMatch {
  std::string name;   // of the function
  uint64_t path = 0;  // PathHash
  uint32_t depth = 0;
  int64_t total = 0;
};

struct TreeMatches {
  int64_t all = 0;                 // cost of the searched part of the tree
  int64_t matched = 0;             // cost of stacks with a match; each stack counts once
  uint64_t path_count = 0;         // number of call paths that end in a match
  std::vector<TreeMatch> largest;  // those call paths by cost, up to the requested number
};

struct TreeSearchOptions {
  std::optional<uint64_t> root;  // search only below this call path, by PathHash
  size_t matches_max = 200;
};

// Returns kNotFound if there is no such root.
absl::StatusOr<TreeMatches> SearchTree(const ValueTree& tree, const TreeQuery& query,
                                       const TreeSearchOptions& options);

// The node of a call path, or nullopt. The empty path is node 0.
std::optional<uint32_t> FindPath(const ValueTree& tree, uint64_t path);

}  // namespace flarestack::query
