// SPDX-License-Identifier: Apache-2.0
//
// Writes folded stacks: one line per distinct stack, root first, inlined functions as frames,
// sorted by text. Stacks of weight 0 are kept. codec/format/stack_table.h describes how names that
// are not valid in such a line are changed.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::folded {

extern const Writer kFoldedWriter;

}  // namespace flarestack::codec::folded
