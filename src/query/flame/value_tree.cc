// SPDX-License-Identifier: Apache-2.0
#include "query/flame/value_tree.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"
#include "base/helper_pool.h"
#include "base/saturating.h"
#include "base/text/text.h"

namespace flarestack::query {
namespace {

constexpr uint32_t kNodesMax = 1U << 24;

// Enough parts to balance the load, because they take different times. Each must be large enough to
// be worth a task.
constexpr size_t kParts = 16;
constexpr size_t kPartMin = 1'000;

bool IsAddress(std::string_view name) {
  return name.starts_with("0x") || name.find("!0x") != std::string_view::npos ||
         name == "[unknown]";
}

TreeFrameView FrameFrom(const FrameTable& table, const Frame& frame) {
  const std::string_view name = table.Text(frame.function);
  return {.name = name,
          .file = table.Text(frame.file),
          .module = table.Text(frame.module),
          .type = table.Text(frame.type),
          .line = frame.line,
          .flags = (frame.is_inlined ? TreeFrame::kInlined : 0u) |
                   (IsAddress(name) ? TreeFrame::kUnsymbolised : 0u)};
}

// The location to show for each function of a table: its lowest line, which is closest to its
// start.
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

// Stacks are sorted before they become a tree: each then shares a prefix with its predecessor, and
// the rest are new nodes. Looking up each frame among the children of its caller takes several
// times as long, because that table is large and its accesses are scattered.
class Maker {
 public:
  explicit Maker(const StackSet& set)
      : table_(set.table),
        places_(PlacesOf(set.table)),
        numbers_(set.table.text_count(), 0),
        numbers_of_frames_(set.table.frame_count(), 0) {
    paths_.reserve(set.rows.size());
    frames_.reserve(set.stack_frames.size());
    tree_.frames.reserve(std::min(numbers_.size(), numbers_of_frames_.size()) + 1);
  }

  template <typename Frames>
  void Add(const Frames& frames, int64_t value) {
    const auto begin = static_cast<uint32_t>(frames_.size());
    for (const FrameId id : frames) {
      uint32_t& number = numbers_of_frames_[id.value];
      if (number == 0)
        number = NumberOf(table_.At(id).function);
      frames_.push_back(number);
    }
    paths_.push_back(
        {.begin = begin, .count = static_cast<uint32_t>(frames_.size()) - begin, .value = value});
  }

  absl::StatusOr<ValueTree> Finish() && {
    SortPaths();
    const std::vector<uint32_t> shared = CountShared();
    size_t node_count = 1;
    for (size_t i = 0; i < paths_.size(); ++i)
      node_count += paths_[i].count - shared[i];
    if (node_count > kNodesMax) {
      return absl::ResourceExhaustedError(
          base::StrCat("the call tree has more than ", kNodesMax, " nodes"));
    }
    tree_.nodes.reserve(node_count);
    std::vector<int64_t>& self = tree_.self.emplace_back(node_count, 0);
    std::vector<uint32_t> open = {0};  // nodes on the previous path, root first
    for (size_t i = 0; i < paths_.size(); ++i) {
      open.resize(shared[i] + 1);
      for (const uint32_t frame : FramesOf(paths_[i]).subspan(shared[i])) {
        tree_.nodes.push_back({.frame = frame, .parent = open.back()});
        open.push_back(static_cast<uint32_t>(tree_.nodes.size() - 1));
      }
      self[open.back()] = base::SaturatingAdd(self[open.back()], paths_[i].value);
    }
    return std::move(tree_);
  }

 private:
  // Indices into frames_.
  struct Path {
    uint32_t begin;
    uint32_t count;
    int64_t value;
  };

  // How many frames each path shares with its predecessor.
  std::vector<uint32_t> CountShared() const {
    std::vector<uint32_t> shared;
    shared.reserve(paths_.size());
    std::span<const uint32_t> before;
    for (const Path& path : paths_) {
      const std::span<const uint32_t> frames = FramesOf(path);
      shared.push_back(
          static_cast<uint32_t>(std::ranges::mismatch(before, frames).in1 - before.begin()));
      before = frames;
    }
    return shared;
  }

  std::span<const uint32_t> FramesOf(const Path& path) const {
    return std::span(frames_).subspan(path.begin, path.count);
  }

  // Frames are never 0, so a path that ends sorts before those that continue.
  uint32_t FrameAt(const Path& path, size_t depth) const {
    return depth < path.count ? frames_[path.begin + depth] : 0;
  }

  // Paths with a common prefix.
  struct Part {
    size_t begin;
    size_t end;
    size_t depth;  // length of the common prefix
    size_t size() const { return end - begin; }
  };

  // Sorts by frames, in parts that several threads can process.
  void SortPaths() {
    const size_t size_max = std::max(kPartMin, paths_.size() / kParts);
    std::vector<Part> pending = {{.begin = 0, .end = paths_.size(), .depth = 0}};
    std::vector<Part> parts;
    while (!pending.empty()) {
      const Part part = pending.back();
      pending.pop_back();
      if (part.size() > size_max)
        Split(part, &pending);
      else if (part.size() > 1)
        parts.push_back(part);
    }
    base::ParallelFor(parts.size(), [&](size_t i) {
      SortPart(parts[i]);
      return absl::OkStatus();
    }).IgnoreError();  // it cannot fail
  }

  void SortPart(const Part& all) {
    std::vector<Part> pending = {all};
    while (!pending.empty()) {
      const Part part = pending.back();
      pending.pop_back();
      if (part.size() > 1)
        Split(part, &pending);
    }
  }

  // Stacks share long prefixes, and comparing two would visit the whole prefix. This sorts by one
  // frame at a time (multikey quicksort), so each shared frame is visited once.
  void Split(const Part& part, std::vector<Part>* parts) {
    const auto [begin, end, depth] = part;
    // Any pivot will do, as long as no order of the stacks makes it bad every time.
    const size_t middle = begin + base::Mix64(begin, end) % (end - begin);
    const uint32_t pivot = FrameAt(paths_[middle], depth);
    size_t less = begin;  // elements before it are less than the pivot
    size_t more = end;    // elements from it on are greater
    for (size_t i = begin; i < more;) {
      const uint32_t frame = FrameAt(paths_[i], depth);
      if (frame < pivot) {
        std::swap(paths_[less++], paths_[i++]);
      } else if (frame > pivot) {
        std::swap(paths_[i], paths_[--more]);
      } else {
        ++i;
      }
    }
    parts->push_back({.begin = begin, .end = less, .depth = depth});
    parts->push_back({.begin = more, .end = end, .depth = depth});
    if (pivot != 0)
      parts->push_back({.begin = less, .end = more, .depth = depth + 1});
  }

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
  std::vector<uint32_t> numbers_;            // tree frame by function; 0 before the first use
  std::vector<uint32_t> numbers_of_frames_;  // tree frame by frame of the table
  std::vector<Path> paths_;
  std::vector<uint32_t> frames_;  // tree frames of all paths, root first
  ValueTree tree_;
};

}  // namespace

absl::StatusOr<ValueTree> MakeValueTree(const StackSet& set) {
  Maker maker(set);
  for (const StackRow& row : set.rows)
    maker.Add(set.FramesOf(row), row.value);
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
      maker.Add(frames.subspan(outermost), row.value);
      continue;
    }
    callers.assign(frames.begin(), at + 1);
    std::ranges::reverse(callers);
    maker.Add(callers, row.value);
  }
  return std::move(maker).Finish();
}

absl::StatusOr<ValueTree> MakeInvertedTree(const StackSet& set) {
  Maker maker(set);
  std::vector<FrameId> leaf_first;
  for (const StackRow& row : set.rows) {
    const auto frames = set.FramesOf(row);
    leaf_first.assign(frames.rbegin(), frames.rend());
    maker.Add(leaf_first, row.value);
  }
  return std::move(maker).Finish();
}

ValueTree MakeDiffTree(const TreeDiff& diff, const StackSet& before, const StackSet& after) {
  absl::flat_hash_map<std::string_view, TreeFrameView> places;
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
    tree.frames.push_back(known == places.end() ? TreeFrameView{.name = name} : known->second);
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
