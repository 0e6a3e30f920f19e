// SPDX-License-Identifier: Apache-2.0
//
// Stacks with weights, written as a tree:
//
//   main @ main.cc:31
//    read_basket @ basket.cc:18
//     ~json::parse @ json.cc:210 * 5
//     [kernel] do_syscall_64 @ arch/x86/entry/common.c:83 * 2
//
// The number of spaces is the depth. A line with a weight is also the end of a stack. `~` is
// inlined into the line above; a word in brackets is the type of the frame and of all below it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "demo/random.h"

namespace flarestack::demo {

// Views of the text that was read.
struct Frame {
  std::string_view function;
  std::string_view file;
  int64_t line = 0;
  std::string_view type;  // a value of profile.frame.type
  bool is_inlined = false;
};

struct WeightedStack {
  std::vector<Frame> root_first;
  uint64_t weight = 0;
};

struct CodeTree {
  std::vector<WeightedStack> stacks;
  uint64_t weight = 0;  // of all

  const WeightedStack& Pick(Random* random) const;
};

// `type` is that of frames that say none. The text is part of the program: a broken one ends it.
CodeTree ParseCodeTree(std::string_view text, std::string_view type);

}  // namespace flarestack::demo
