// SPDX-License-Identifier: Apache-2.0
//
// What a request waited for: the chain of spans without which it would have ended earlier.
//
// Walked backwards from the end of the main root. At each point the child that finished last before
// it takes over, from its end to its start, and so on within the child; where no child had just
// finished, the time is the span's own. A child that was still at work while a later one went on is
// not on the path: nobody waited for it there.
//
//   root   [=======================]        path   root  a  root  c  root
//     a      [=====]
//     b         [=========]
//     c               [=======]
//
// Clocks differ: a child of another resource is moved into its parent, by cutting what stands out.
// A child of the same resource has the same clock; when it ends after its parent, the parent did
// not wait, and the child is not on the path. Nor is a consumer that does so: messages are handed
// over.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"
#include "query/traces/span_tree.h"

namespace flarestack::query {

struct PathSegment {
  uint32_t node = 0;  // in SpanTree::nodes
  uint64_t from = 0;  // ns since the epoch
  uint64_t to = 0;
};

// By time, without gaps, from the start to the end of the main root. None is empty.
std::vector<PathSegment> CriticalPath(const model::TraceBatch& batch, const SpanTree& tree);

}  // namespace flarestack::query
