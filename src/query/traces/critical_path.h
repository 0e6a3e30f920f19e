// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a request: the chain of spans without which it would have ended earlier.
//
// It is walked backwards from the end of the main root. At each point, the child that finished last
// before it takes over, from its end to its start, and so on within the child. Where no child had
// just finished, the time belongs to the span itself. A child that was still running while a later
// one continued is not on the path: its parent did not wait for it there.
//
//   root   [=======================]        path   root  a  root  c  root
//     a      [=====]
//     b         [=========]
//     c               [=======]
//
// Clocks differ, so a child of another resource is clipped to its parent. A child of the same
// resource has the same clock: if it ends after its parent, the parent did not wait, and the child
// is not on the path. The same applies to a consumer that ends after its parent, because messages
// are handed over.
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

// In time order, without gaps, from the start to the end of the main root. No segment is empty.
std::vector<PathSegment> CriticalPath(const model::TraceBatch& batch, const SpanTree& tree);

}  // namespace flarestack::query
