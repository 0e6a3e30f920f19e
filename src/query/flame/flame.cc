// SPDX-License-Identifier: Apache-2.0
#include "query/flame/flame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/helper_pool.h"
#include "base/saturating.h"
#include "base/status.h"
#include "query/flame/tree_search.h"
#include "query/stacks/path_hash.h"

namespace flarestack::query {
namespace {

class Cutter {
 public:
  Cutter(ValueTree tree, const FlameOptions& options) : tree_(std::move(tree)), options_(options) {}

  absl::StatusOr<Flame> Cut() {
    FLARE_RETURN_IF_ERROR(FindRoot());
    FindDepths();
    const auto prepare = [&](size_t part) {
      if (part == 0) {
        Weigh();
        DecideWhatStays();
      } else {
        AddUp();
        LinkChildren();
      }
      return absl::OkStatus();
    };
    FLARE_RETURN_IF_ERROR(base::ParallelFor(2, prepare));
    Write();
    return std::move(flame_);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  absl::Status FindRoot() {
    if (options_.root.has_value() && *options_.root != kRootPathHash) {
      const auto found = FindPath(tree_, *options_.root);
      if (!found.has_value())
        return absl::NotFoundError("no call path in these profiles has this hash");
      root_ = *found;
    }
    for (uint32_t i = root_; i != 0;) {
      i = tree_.nodes[i].parent;
      if (i != 0)
        flame_.path.emplace_back(tree_.frames[tree_.nodes[i].frame].name);
    }
    std::ranges::reverse(flame_.path);
    return absl::OkStatus();
  }

  void FindDepths() {
    depths_.assign(tree_.nodes.size(), kNone);
    depths_[root_] = 0;
    for (uint32_t i = root_ + 1; i < tree_.nodes.size(); ++i) {
      const uint32_t above = depths_[tree_.nodes[i].parent];
      if (above != kNone)
        depths_[i] = above + 1;
    }
  }

  // The width of a node with its subtree on the screen. Values may be negative, so it is the sum of
  // their magnitudes.
  void Weigh() {
    weights_.assign(tree_.nodes.size(), 0);
    for (const std::vector<int64_t>& column : tree_.self) {
      for (size_t i = root_; i < column.size(); ++i)
        weights_[i] += std::abs(static_cast<double>(column[i]));
    }
    ForEachBelow([&](uint32_t i, uint32_t parent) { weights_[parent] += weights_[i]; });
  }

  // One list at a time: the lists are long, so each loop should touch few of them.
  void AddUp() {
    sizes_.assign(tree_.nodes.size(), 1);
    ForEachBelow([&](uint32_t i, uint32_t parent) { sizes_[parent] += sizes_[i]; });
    totals_ = tree_.self;
    for (std::vector<int64_t>& column : totals_) {
      ForEachBelow([&](uint32_t i, uint32_t parent) {
        column[parent] = base::SaturatingAdd(column[parent], column[i]);
      });
    }
  }

  // Visits each node below the shown root, with its parent; children before their parents.
  template <typename Visit>
  void ForEachBelow(Visit visit) const {
    for (auto i = static_cast<uint32_t>(tree_.nodes.size()); i-- > root_ + 1;) {
      if (depths_[i] != kNone)
        visit(i, tree_.nodes[i].parent);
    }
  }

  // As linked lists, so that the largest tree needs two flat arrays and no vector of vectors.
  void LinkChildren() {
    first_child_.assign(tree_.nodes.size(), kNone);
    next_sibling_.assign(tree_.nodes.size(), kNone);
    ForEachBelow([&](uint32_t i, uint32_t parent) {
      next_sibling_[i] = std::exchange(first_child_[parent], i);
    });
  }

  // A parent weighs at least as much as a child and precedes it, so whole branches are omitted.
  void DecideWhatStays() {
    const double weight_min = options_.share_min * weights_[root_];
    is_shown_.assign(tree_.nodes.size(), 0);
    std::vector<double> candidates;
    candidates.reserve(tree_.nodes.size() - root_);
    const auto is_candidate = [&](uint32_t i) {
      return depths_[i] != kNone && depths_[i] <= options_.depth_max &&
             (i == root_ || weights_[i] >= weight_min);
    };
    for (uint32_t i = root_; i < tree_.nodes.size(); ++i) {
      if (is_candidate(i))
        candidates.push_back(weights_[i]);
    }
    const size_t nodes_max = std::max<size_t>(1, options_.nodes_max);
    double last = 0;            // the weight at which only some nodes can be shown
    size_t of_last = SIZE_MAX;  // how many of those can be shown
    if (candidates.size() > nodes_max) {
      std::nth_element(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(nodes_max),
                       candidates.end(), std::greater());
      last = candidates[nodes_max];
      of_last = nodes_max - static_cast<size_t>(std::ranges::count_if(
                                candidates, [&](double weight) { return weight > last; }));
    }
    for (uint32_t i = root_; i < tree_.nodes.size(); ++i) {
      if (!is_candidate(i) || weights_[i] < last)
        continue;
      if (weights_[i] == last && of_last-- == 0) {
        of_last = 0;
        continue;
      }
      is_shown_[i] = 1;
    }
    is_shown_[root_] = 1;
  }

  void Write() {
    const size_t shown_count = static_cast<size_t>(std::ranges::count(is_shown_, 1));
    flame_.nodes.reserve(shown_count);
    flame_.self.resize(tree_.self.size());
    for (std::vector<int64_t>& column : flame_.self)
      column.reserve(shown_count);
    frame_numbers_.assign(tree_.frames.size(), kNone);
    std::vector<uint32_t> pending = {root_};
    std::vector<uint32_t> shown;
    while (!pending.empty()) {
      const uint32_t at = pending.back();
      pending.pop_back();
      if (at >= tree_.nodes.size()) {  // the "(other)" of a node, which follows its children
        WriteRest(at - static_cast<uint32_t>(tree_.nodes.size()));
        continue;
      }
      WriteNode(at);
      shown.clear();
      bool has_rest = false;
      for (uint32_t i = first_child_[at]; i != kNone; i = next_sibling_[i]) {
        if (is_shown_[i]) {
          shown.push_back(i);
        } else {
          has_rest = true;
        }
      }
      std::ranges::sort(shown, [&](uint32_t a, uint32_t b) { return IsBefore(a, b); });
      if (has_rest)
        pending.push_back(at + static_cast<uint32_t>(tree_.nodes.size()));
      pending.insert(pending.end(), shown.rbegin(), shown.rend());
    }
    TakeFrames();
  }

  bool IsBefore(uint32_t a, uint32_t b) const {
    if (options_.order == SiblingOrder::kValue && weights_[a] != weights_[b])
      return weights_[a] > weights_[b];
    return tree_.frames[tree_.nodes[a].frame].name < tree_.frames[tree_.nodes[b].frame].name;
  }

  void WriteNode(uint32_t at) {
    uint32_t& number = frame_numbers_[tree_.nodes[at].frame];
    if (number == kNone) {
      number = static_cast<uint32_t>(frames_shown_.size());
      frames_shown_.push_back(tree_.nodes[at].frame);
    }
    flame_.nodes.push_back({.depth = depths_[at], .frame = number});
    for (size_t i = 0; i < tree_.self.size(); ++i)
      flame_.self[i].push_back(tree_.self[i][at]);
    if (!tree_.probabilities.empty())
      flame_.probabilities.push_back(tree_.probabilities[at]);
  }

  void WriteRest(uint32_t parent) {
    if (rest_frame_ == kNone) {
      rest_frame_ = static_cast<uint32_t>(frames_shown_.size());
      frames_shown_.push_back(kNone);
    }
    uint32_t folded = 0;
    for (std::vector<int64_t>& column : flame_.self)
      column.push_back(0);
    for (uint32_t i = first_child_[parent]; i != kNone; i = next_sibling_[i]) {
      if (is_shown_[i])
        continue;
      folded += sizes_[i];
      for (size_t column = 0; column < totals_.size(); ++column) {
        int64_t& sum = flame_.self[column].back();
        sum = base::SaturatingAdd(sum, totals_[column][i]);
      }
    }
    flame_.nodes.push_back({.depth = depths_[parent] + 1, .frame = rest_frame_, .folded = folded});
    if (!tree_.probabilities.empty())
      flame_.probabilities.push_back(1);
  }

  void TakeFrames() {
    flame_.frames.reserve(frames_shown_.size());
    for (const uint32_t frame : frames_shown_) {
      if (frame == kNone) {
        flame_.frames.push_back({.name = "(other)", .flags = TreeFrame::kFolded});
      } else {
        flame_.frames.push_back(tree_.frames[frame].Copy());
      }
    }
  }

  ValueTree tree_;
  const FlameOptions& options_;
  Flame flame_;
  uint32_t root_ = 0;
  std::vector<double> weights_;               // of the subtree, by node
  std::vector<std::vector<int64_t>> totals_;  // of the subtree, by value and node
  std::vector<uint32_t> sizes_;               // number of nodes in the subtree
  std::vector<uint32_t> depths_;              // below the shown root; kNone: not below it
  std::vector<uint32_t> first_child_;
  std::vector<uint32_t> next_sibling_;
  std::vector<uint32_t> frame_numbers_;  // in the flame, by frame of the tree
  std::vector<uint32_t> frames_shown_;   // of the tree, by frame of the flame; kNone: "(other)"
  std::vector<uint8_t> is_shown_;        // 0 or 1, by node
  uint32_t rest_frame_ = kNone;
};

}  // namespace

absl::StatusOr<Flame> CutFlame(ValueTree tree, const FlameOptions& options) {
  return Cutter(std::move(tree), options).Cut();
}

}  // namespace flarestack::query
