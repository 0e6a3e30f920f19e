// SPDX-License-Identifier: Apache-2.0
//
// Folded stacks, also called collapsed: one line per stack, root first, with its weight behind the
// last space.
//
//   # a comment
//   main;run;parse 12
//   main;operator new 3.4          a fraction is rounded, with a warning
//   [no stack] 5                   samples without a stack
//
// Makes one profile of samples/count. Names stay as they are, the suffixes `_[k] _[j] _[i] _[1]` of
// some collapsers included: of `_[k]` we know what it says and add profile.frame.type "kernel", so
// that writing gives the same bytes.
//
// When each line ends in two whole numbers ("a;b 3 5", a differential file), they make two
// profiles, before/count and after/count. The comment "# values: 1" says that a file is not of that
// kind, although it looks like it.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::folded {

extern const Reader kFoldedReader;

inline constexpr std::string_view kOneValueComment = "# values: 1";

}  // namespace flarestack::codec::folded
