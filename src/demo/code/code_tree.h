// SPDX-License-Identifier: Apache-2.0
//
// Stacks with weights, written as a tree:
//
//   main @ main.cc:31
//    read_basket @ basket.cc:18
//     ~json::parse @ json.cc:210 * 5
//     [kernel] do_syscall_64 @ arch/x86/entry/common.c:83 * 2
//
// The number of spaces is the depth. A line with a weight also ends a stack. `~` marks a frame
// inlined into the line above; a word in brackets is the type of the frame and of all frames below
// it.
//
// Trees share named pieces:
//
//   = worker
//   __clone3 @ clone3.S:81
//    start_thread @ pthread_create.c:442
//   = malloc
//   malloc @ malloc.c:3301 * 2
//    _int_malloc @ malloc.c:4029 * 1
//
// `+worker` inserts the one stack of that piece; the lines below it continue from its last frame.
// `+malloc * 6` ends stacks with the stacks of the piece, which share the weight in the same
// proportion as in the piece.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "demo/code/random.h"

namespace flarestack::demo {

// Views into the parsed text.
struct Frame {
  std::string_view function;
  std::string_view file;
  int64_t line = 0;
  std::string_view type;  // a value of profile.frame.type
  bool is_inlined = false;
};

struct WeightedStack {
  std::vector<Frame> root_first;
  double weight = 0;
};

struct CodeTree {
  std::vector<WeightedStack> stacks;
  double weight = 0;  // of all stacks

  const WeightedStack& Pick(Random* random) const;
};

using CodePieces = std::map<std::string_view, CodeTree>;

// `type` is the default frame type. The text is part of the program, so an error in it is fatal.
CodeTree ParseCodeTree(std::string_view text, std::string_view type, const CodePieces& pieces = {});

// A piece may use the pieces before it. A piece without weights is a single stack.
void AddPieces(std::string_view text, std::string_view type, CodePieces* pieces);

}  // namespace flarestack::demo
