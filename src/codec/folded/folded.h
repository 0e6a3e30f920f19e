// SPDX-License-Identifier: Apache-2.0
//
// Folded stacks, also called collapsed: one line per stack, root first, with its weight after the
// last space.
//
//   # a comment
//   main;run;parse 12
//   main;operator new 3.4          a fraction is rounded, with a warning
//   [no stack] 5                   samples without a stack
//
// Makes one profile of samples/count. Names are kept unchanged, including the suffixes `_[k] _[j]
// _[i] _[1]` of some collapsers. `_[k]` means the kernel, so the reader also adds
// profile.frame.type "kernel"; writing gives the same bytes.
//
// If each line ends in two integers ("a;b 3 5", a differential file), they make two profiles,
// before/count and after/count. The comment "# values: 1" marks a file that looks differential but
// is not.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::folded {

extern const Reader kFoldedReader;

inline constexpr std::string_view kOneValueComment = "# values: 1";

// Writes folded stacks: one line per distinct stack, root first, inlined functions as frames,
// sorted by text. Stacks of weight 0 are kept. codec/format/stack_table.h describes how names that
// are not valid in such a line are changed.
extern const Writer kFoldedWriter;

}  // namespace flarestack::codec::folded
