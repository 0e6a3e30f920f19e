// SPDX-License-Identifier: Apache-2.0
//
// The colour of a frame shows the kind of code: kernel, native, or the language of a runtime. Its
// shade distinguishes modules. The classes are defined in the page's style sheet. Colour is never
// the only cue: the hint of each box names module and type.
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
  // If the tree has no frame types, as in folded stacks, all frames are plain: warm colours by
  // name.
  explicit FrameColours(const model::CallTree& tree);

  std::string ClassOf(const model::CallFrame& frame) const;

  // The kinds and languages in use; empty if there is only one, which needs no legend.
  const std::vector<LegendEntry>& legend() const { return legend_; }

 private:
  bool has_types_ = false;
  std::vector<LegendEntry> legend_;
};

}  // namespace flarestack::codec::svg
