// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/text/human_value.h"

namespace flarestack::cli {
namespace {

constexpr int kWarmColours[] = {215, 216, 221, 222, 223, 209, 208, 214, 180, 186, 179, 217};

struct TypeColours {
  std::string_view type;
  std::array<int, 3> colours;
};

// Light enough for black text. Native code, Rust and unknown types have the warm colours.
constexpr TypeColours kTypeColours[] = {
    {"kernel", {111, 117, 110}}, {"v8js", {227, 228, 191}},    {"cuda", {148, 149, 112}},
    {"jvm", {120, 119, 114}},    {"luajit", {78, 84, 121}},    {"perl", {79, 115, 86}},
    {"go", {87, 123, 80}},       {"cpython", {147, 105, 146}}, {"php", {183, 177, 140}},
    {"dotnet", {219, 213, 176}}, {"beam", {212, 206, 175}},    {"ruby", {204, 210, 168}},
};

std::string NameOf(const model::CallTree& tree, uint32_t node) {
  return node == 0 ? "all" : tree.FrameOf(tree.nodes[node]).name;
}

}  // namespace

int CostStyle::ColourOf(uint32_t node) const {
  const uint64_t hash = base::Hash64(NameOf(tree_, node));
  const std::string& type = tree_.FrameOf(tree_.nodes[node]).type;
  const auto known = std::ranges::find(kTypeColours, type, &TypeColours::type);
  return known == std::end(kTypeColours) ? kWarmColours[hash % std::size(kWarmColours)]
                                         : known->colours[hash % known->colours.size()];
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
