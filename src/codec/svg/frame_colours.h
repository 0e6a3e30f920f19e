// SPDX-License-Identifier: Apache-2.0
//
// The colour of a frame says what kind of code it is; its shade tells modules apart. The classes
// are those of the page's style sheet. Colour is never the only sign: the hint of each box names
// module and type.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/call_tree.h"

namespace flarestack::codec::svg {

enum class FrameKind { kKernel, kNative, kRuntime, kUnknown, kPlain };

struct LegendEntry {
  std::string style_class;
  std::string label;
};

class FrameColours {
 public:
  // Without any frame type in the tree, as in folded stacks, all frames are plain: warm colours by
  // name.
  explicit FrameColours(const model::CallTree& tree);

  std::string ClassOf(const model::CallFrame& frame) const;

  // The kinds there are; empty when there is one, which needs no legend.
  const std::vector<LegendEntry>& legend() const { return legend_; }

 private:
  bool has_types_ = false;
  std::vector<LegendEntry> legend_;
};

}  // namespace flarestack::codec::svg
