// SPDX-License-Identifier: Apache-2.0
//
// The user frames of stacks that are deeper than a trace has room for: the innermost and the
// outermost ones stay, and one word stands for those between them. Recursion then shows what was
// called last as well as where it began.
#pragma once

#include <cstdint>
#include <vector>

#include "record/bpf/layout.h"

namespace flarestack::record::agent {

// Puts frames as a message has them into the order of the stack, leaf first. The kernel's side
// writes the outermost ones in a ring, from USER_FRAMES_INNER on.
void RestoreFrameOrder(uint32_t omitted_count, std::vector<uint64_t>* frames);

// Cuts a stack that is too deep. `end` says how its walk ended: where it gave up, the last frames
// are not the outermost ones, and go as well.
void CutFrames(bpf::unwind_end end, std::vector<uint64_t>* frames);

}  // namespace flarestack::record::agent
