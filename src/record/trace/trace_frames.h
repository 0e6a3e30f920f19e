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

// Cuts a stack that is too deep. `end` is the unwind result: if unwinding gave up, the last frames
// are not the outermost ones and are removed as well.
void CutFrames(bpf::unwind_end end, std::vector<uint64_t>* frames);

}  // namespace flarestack::record::agent
