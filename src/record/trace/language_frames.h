// SPDX-License-Identifier: Apache-2.0
//
// Cuts stacks that are deeper than a trace can store: the innermost and the outermost user frames
// stay, and one word stands for those in between. A recursion then shows both the latest calls and
// its origin.
#pragma once

#include <cstdint>
#include <vector>

#include "record/bpf/layout.h"

namespace flarestack::record::agent {

// Converts frames from the order of a message to the order of the stack, leaf first. BPF writes the
// outermost frames as a ring that starts at USER_FRAMES_INNER.
void RestoreFrameOrder(uint32_t omitted_count, std::vector<uint64_t>* frames);

// The frames of an interpreter that BPF recorded at the end of a stack, after FRAME_REST, because
// it could not unwind the native frames to which they belong.
class LanguageFrames {
 public:
  // Removes them from the stack.
  explicit LanguageFrames(std::vector<uint64_t>* frames);

  // Appends the frames of the next interpreter loop.
  void MoveLoop(std::vector<uint64_t>* frames);
  // Appends what is left, again after FRAME_REST.
  void MoveRest(std::vector<uint64_t>* frames);

 private:
  std::vector<uint64_t> words_;
  size_t next_ = 0;
};

// Cuts a stack that is too deep. `end` is the unwind result: if unwinding gave up, the last frames
// are not the outermost ones and are removed as well.
void CutFrames(bpf::unwind_end end, std::vector<uint64_t>* frames);

}  // namespace flarestack::record::agent
