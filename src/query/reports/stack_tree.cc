// SPDX-License-Identifier: Apache-2.0
#include "query/reports/stack_tree.h"

#include <vector>

#include "base/status.h"

namespace flarestack::query {

absl::StatusOr<model::CallTree> StackTree(const StackSet& set) {
  const FrameTable& table = set.table;
  model::CallTreeBuilder builder;
  std::vector<model::CallFrameId> ids(table.text_count());  // by function; 0 before the first use
  std::vector<model::CallFrameId> stack;
  for (const StackRow& row : set.rows) {
    stack.clear();
    for (const FrameId id : set.FramesOf(row)) {
      const Frame& frame = table.At(id);
      model::CallFrameId& call = ids[frame.function.value];
      if (!call) {
        call = builder.Frame({.name = std::string(table.Text(frame.function)),
                              .module = std::string(table.Text(frame.module)),
                              .type = std::string(table.Text(frame.type))});
      }
      stack.push_back(call);
    }
    FLARE_RETURN_IF_ERROR(builder.Add(stack, row.value));
  }
  return std::move(builder).Finish();
}

}  // namespace flarestack::query
