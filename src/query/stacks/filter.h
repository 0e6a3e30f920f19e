// SPDX-License-Identifier: Apache-2.0
//
// The filter pipeline: steps applied to a set of stacks one after the other, in the order the user
// gave them.
//
//   only:RE          keep stacks that have a match           (pprof: focus)
//   drop:RE          remove stacks that have a match         (pprof: ignore)
//   hide:RE          remove matching frames; their cost goes to the caller
//   type:RE          keep only frames whose type matches, such as cpython; the cost of others goes
//                    to the nearest caller that is kept; drop stacks without one (pprof: show)
//   hidetype:RE      remove frames whose type matches; their cost goes to the caller
//   from:RE          cut everything above the outermost match; drop stacks without one
//                    (pprof: show_from)
//   until:RE         cut everything below the innermost match, which gets the cost
//                    (pprof: prune_from)
//   subtree:HASH     keep stacks that go through this call path (path_hash.h)
//   module:NAME      collapse each run of frames of that binary into one frame
//   recursion        collapse direct and indirect recursion of a function into one frame
//   tag:KEY=RE       keep samples whose attribute matches    (pprof: tagfocus)
//   tag:KEY=4kb:64kb keep samples whose attribute is in the range (tag_range.h)
//   tag:KEY!=RE      keep the others, and those without the attribute
//   tagignore:KEY=RE the same as tag:KEY!=RE
//   tagroot:KEY      add the attribute's value as a frame above the root
//   tagleaf:KEY      ... or below the leaf
//   internals        show the machinery of language runtimes (Frame::is_internal)
//   hideinternals    hide it here, even where it is shown by default
//   preset:ID        a named bundle of steps
//
// Apply hides internal frames before the first step, unless `internals` is among the steps: their
// cost goes to the caller. A stack that has only such frames keeps its leaf.
//
// A pattern is an RE2 regular expression that matches anywhere in a function's name, its source
// file or its binary; for types it matches anywhere in profile.frame.type, which may be empty.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

enum class FilterVerb {
  kOnly,
  kDrop,
  kHide,
  kType,
  kHideType,
  kFrom,
  kUntil,
  kSubtree,
  kModule,
  kRecursion,
  kTag,
  kTagRoot,
  kTagLeaf,
  kShowInternals,
  kHideInternals,
};

struct FilterStep {
  FilterVerb verb = FilterVerb::kOnly;
  std::string key;          // of tags
  std::string pattern;      // regular expression, or the name of a module
  bool is_negated = false;  // for kTag
  std::string text;         // as it was added
  uint64_t path = 0;        // for kSubtree
};

struct FilterPreset {
  std::string_view id;
  std::string_view summary;
  std::string_view steps;  // one per line, as for Filter::Add
};

std::span<const FilterPreset> FilterPresets();

class Filter {
 public:
  // Appends one step, such as "only:parse_.*". Returns kInvalidArgument with the reason.
  absl::Status Add(std::string_view step);

  // The same as the step "internals": for files, which keep all frames.
  void ShowInternals() { shows_internals_ = true; }

  // The attributes that the set must keep as tags for the steps.
  std::vector<std::string> TagKeys() const;

  // True if there is no step besides "internals".
  bool empty() const { return steps_.empty(); }

  // Merges rows that become equal.
  absl::Status Apply(StackSet* set) const;

  // Returns the step that leaves the set empty, as it was added; empty if none does.
  absl::StatusOr<std::string> StepThatEmpties(StackSet* set) const;

 private:
  std::vector<FilterStep> steps_;
  bool shows_internals_ = false;
};

// Applies one step of the filter pipeline.
absl::Status ApplyStep(const FilterStep& step, StackSet* set);

// Removes the internal frames of each stack, or all except the leaf if it has no others.
void HideInternalFrames(StackSet* set);

}  // namespace flarestack::query
