// SPDX-License-Identifier: Apache-2.0
#include "query/value_tree.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text.h"

namespace flarestack::query {
namespace {

constexpr uint32_t kNodesMax = 1U << 24;

bool IsAddress(std::string_view name) {
  return name.starts_with("0x") || name.find("!0x") != std::string_view::npos ||
         name == "[unknown]";
}

TreeFrame FrameFrom(const FrameTable& table, const Frame& frame) {
  const std::string_view name = table.Text(frame.function);
  return {.name = std::string(name),
          .file = std::string(table.Text(frame.file)),
          .module = std::string(table.Text(frame.module)),
          .type = std::string(table.Text(frame.type)),
          .line = frame.line,
          .flags = (frame.is_inlined ? TreeFrame::kInlined : 0u) |
                   (IsAddress(name) ? TreeFrame::kUnsymbolised : 0u)};
}

// For each function of a table the place to show: its first line, which is next to where it begins.
std::vector<FrameId> PlacesOf(const FrameTable& table) {
  std::vector<FrameId> places(table.text_count(), FrameId{UINT32_MAX});
  for (uint32_t i = 0; i < table.frame_count(); ++i) {
    const Frame& frame = table.At({i});
    FrameId& place = places[frame.function.value];
    if (place.value == UINT32_MAX || frame.line < table.At(place).line)
      place = {i};
  }
  return places;
}

class Maker {
 public:
  explicit Maker(const StackSet& set)
      : table_(set.table), places_(PlacesOf(set.table)), numbers_(set.table.text_count(), 0) {
    tree_.self.emplace_back(1, 0);
    children_.reserve(set.rows.size() * 4);
  }

  template <typename Frames>
  absl::Status Add(const Frames& frames, int64_t value) {
    uint32_t node = 0;
    for (const FrameId id : frames) {
      const uint32_t frame = NumberOf(table_.At(id).function);
      const auto next = static_cast<uint32_t>(tree_.nodes.size());
      const auto [at, is_new] = children_.try_emplace(uint64_t{node} << 32 | frame, next);
      if (is_new) {
        if (next >= kNodesMax) {
          return absl::ResourceExhaustedError(
              base::StrCat("the call tree has more than ", kNodesMax, " nodes"));
        }
        tree_.nodes.push_back({.frame = frame, .parent = node});
        tree_.self[0].push_back(0);
      }
      node = at->second;
    }
    tree_.self[0][node] = base::SaturatingAdd(tree_.self[0][node], value);
    return absl::OkStatus();
  }

  ValueTree Finish() && { return std::move(tree_); }

 private:
  uint32_t NumberOf(TextId function) {
    uint32_t& number = numbers_[function.value];
    if (number == 0) {
      number = static_cast<uint32_t>(tree_.frames.size());
      tree_.frames.push_back(FrameFrom(table_, table_.At(places_[function.value])));
    }
    return number;
  }

  const FrameTable& table_;
  const std::vector<FrameId> places_;
  std::vector<uint32_t> numbers_;  // of frames in the tree, by function; 0 before the first use
  ValueTree tree_;
  absl::flat_hash_map<uint64_t, uint32_t> children_;  // by parent and frame
};

}  // namespace

absl::StatusOr<ValueTree> MakeValueTree(const StackSet& set) {
  Maker maker(set);
  for (const StackRow& row : set.rows)
    FLARE_RETURN_IF_ERROR(maker.Add(set.FramesOf(row), row.value));
  return std::move(maker).Finish();
}

absl::StatusOr<ValueTree> MakePivotTree(const StackSet& set, std::string_view function,
                                        PivotSide side) {
  Maker maker(set);
  std::vector<FrameId> callers;
  for (const StackRow& row : set.rows) {
    const auto frames = set.FramesOf(row);
    const auto at = std::ranges::find_if(
        frames, [&](FrameId id) { return set.table.FunctionOf(id) == function; });
    if (at == frames.end())
      continue;
    const auto outermost = static_cast<size_t>(at - frames.begin());
    if (side == PivotSide::kCallees) {
      FLARE_RETURN_IF_ERROR(maker.Add(frames.subspan(outermost), row.value));
      continue;
    }
    callers.assign(frames.begin(), at + 1);
    std::ranges::reverse(callers);
    FLARE_RETURN_IF_ERROR(maker.Add(callers, row.value));
  }
  return std::move(maker).Finish();
}

ValueTree MakeDiffTree(const TreeDiff& diff, const StackSet& before, const StackSet& after) {
  absl::flat_hash_map<std::string_view, TreeFrame> places;
  for (const StackSet* set : {&before, &after}) {
    const std::vector<FrameId> of_set = PlacesOf(set->table);
    for (const FrameId id : of_set) {
      if (id.value != UINT32_MAX) {
        const Frame& frame = set->table.At(id);
        places.try_emplace(set->table.Text(frame.function), FrameFrom(set->table, frame));
      }
    }
  }
  ValueTree tree;
  for (size_t i = 1; i < diff.tree.functions.size(); ++i) {
    const std::string& name = diff.tree.functions[i];
    const auto known = places.find(name);
    tree.frames.push_back(known == places.end() ? TreeFrame{.name = name} : known->second);
  }
  tree.nodes.clear();
  tree.self.resize(2);
  for (size_t i = 0; i < diff.tree.nodes.size(); ++i) {
    const UnionTree::Node& node = diff.tree.nodes[i];
    tree.nodes.push_back({.frame = node.function, .parent = node.parent});
    for (const size_t side : {0, 1})
      tree.self[side].push_back(node.self[side]);
    tree.probabilities.push_back(static_cast<float>(diff.verdicts[i].probability));
  }
  return tree;
}

}  // namespace flarestack::query
