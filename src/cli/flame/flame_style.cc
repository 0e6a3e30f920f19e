// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_style.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/human_value.h"

namespace flarestack::cli {
namespace {

constexpr int kWarmColours[] = {215, 216, 221, 222, 223, 209, 208, 214, 180, 186, 179, 217};

std::string NameOf(const model::CallTree& tree, uint32_t node) {
  return node == 0 ? "all" : tree.FrameOf(tree.nodes[node]).name;
}

}  // namespace

int CostStyle::ColourOf(uint32_t node) const {
  return kWarmColours[base::Hash64(NameOf(tree_, node)) % std::size(kWarmColours)];
}

std::string CostStyle::Describe(uint32_t node, uint32_t zoom) const {
  const model::CallTree::Node& at = tree_.nodes[node];
  std::string text =
      fmt::format("{}: {}, {} of all", NameOf(tree_, node), base::HumanValue(at.total, unit_),
                  base::Percent(at.total, tree_.root().total));
  if (zoom != 0)
    text += fmt::format(", {} of zoomed", base::Percent(at.total, tree_.nodes[zoom].total));
  return text + fmt::format(", self {}", base::HumanValue(at.self, unit_));
}

}  // namespace flarestack::cli
