// SPDX-License-Identifier: Apache-2.0
//
// The filter pipeline: steps that are applied to a set of stacks one after the other, in the order
// the user gave them.
//
//   only:RE          keep stacks that have a match           (pprof: focus)
//   drop:RE          remove stacks that have a match         (pprof: ignore)
//   hide:RE          remove matching frames; their cost goes to the caller
//   from:RE          cut everything above the outermost match; stacks without one go
//                    (pprof: show_from)
//   until:RE         cut everything below the innermost match, which takes the cost
//                    (pprof: prune_from)
//   subtree:HASH     keep stacks that go through this call path (path_hash.h)
//   module:NAME      make one frame of each run of frames of that binary
//   recursion        make one frame of a function that calls itself, directly or through others
//   tag:KEY=RE       keep samples whose attribute matches    (pprof: tagfocus)
//   tag:KEY=4kb:64kb keep samples whose attribute is in the range (tag_range.h)
//   tag:KEY!=RE      keep the others, and those without the attribute
//   tagignore:KEY=RE the same as tag:KEY!=RE
//   tagroot:KEY      put the attribute's value as a frame above the root
//   tagleaf:KEY      ... or below the leaf
//   preset:ID        a named bundle of steps
//
// A pattern is an RE2 regular expression that is found anywhere in a function's name, its source
// file or its binary.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

enum class FilterVerb {
  kOnly,
  kDrop,
  kHide,
  kFrom,
  kUntil,
  kSubtree,
  kModule,
  kRecursion,
  kTag,
  kTagRoot,
  kTagLeaf,
};

struct FilterStep {
  FilterVerb verb = FilterVerb::kOnly;
  std::string key;          // of tags
  std::string pattern;      // regular expression, or the name of a module
  bool is_negated = false;  // of kTag
  std::string text;         // as it was added
  uint64_t path = 0;        // of kSubtree
};

struct FilterPreset {
  std::string_view id;
  std::string_view summary;
  std::string_view steps;  // one per line, as Filter::Add takes them
};

std::span<const FilterPreset> FilterPresets();

class Filter {
 public:
  // Appends one step, such as "only:parse_.*". kInvalidArgument says what is wrong with it.
  absl::Status Add(std::string_view step);

  // The attributes that must be kept as tags for the steps to find them.
  std::vector<std::string> TagKeys() const;

  bool empty() const { return steps_.empty(); }

  // Rows that become equal are merged.
  absl::Status Apply(StackSet* set) const;

  // The step after which nothing of the set is left, as it was added; empty where some is.
  absl::StatusOr<std::string> StepThatEmpties(StackSet* set) const;

 private:
  std::vector<FilterStep> steps_;
};

}  // namespace flarestack::query
