// SPDX-License-Identifier: Apache-2.0
#include "query/diff/union_tree.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::query {
namespace {

class Maker {
 public:
  explicit Maker(uint32_t nodes_max) : nodes_max_(nodes_max) {
    tree_.nodes.emplace_back();
    tree_.functions.emplace_back();
  }

  absl::Status Add(const StackSet& set, int side) {
    std::vector<uint32_t> functions(set.table.text_count(), 0);  // 0 before the first use
    for (const StackRow& row : set.rows) {
      uint32_t node = 0;
      for (const FrameId id : set.FramesOf(row)) {
        const TextId name = set.table.At(id).function;
        uint32_t& function = functions[name.value];
        if (function == 0)
          function = FunctionNumber(std::string(set.table.Text(name)));
        const auto next = static_cast<uint32_t>(tree_.nodes.size());
        const auto [it, added] = children_.try_emplace({node, function}, next);
        if (added) {
          if (next >= nodes_max_) {
            return absl::ResourceExhaustedError(
                base::StrCat("the call tree has more than ", nodes_max_, " nodes"));
          }
          tree_.nodes.push_back({.function = function, .parent = node});
        }
        node = it->second;
      }
      tree_.row_nodes[side].push_back(node);
      int64_t& self = tree_.nodes[node].self[side];
      self = base::SaturatingAdd(self, row.value);
    }
    return absl::OkStatus();
  }

  UnionTree Finish() && {
    // Children come after their parents, so each total is complete before it is added to the
    // parent.
    for (size_t i = tree_.nodes.size(); i-- > 0;) {
      UnionTree::Node& node = tree_.nodes[i];
      for (const int side : {0, 1}) {
        node.total[side] = base::SaturatingAdd(node.total[side], node.self[side]);
        if (i == 0)
          continue;
        int64_t& above = tree_.nodes[node.parent].total[side];
        above = base::SaturatingAdd(above, node.total[side]);
      }
    }
    return std::move(tree_);
  }

 private:
  uint32_t FunctionNumber(std::string name) {
    const auto next = static_cast<uint32_t>(tree_.functions.size());
    const auto [it, added] = function_numbers_.try_emplace(std::move(name), next);
    if (added)
      tree_.functions.push_back(it->first);
    return it->second;
  }

  uint32_t nodes_max_;
  UnionTree tree_;
  absl::flat_hash_map<std::string, uint32_t> function_numbers_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> children_;  // by parent and function
};

}  // namespace

absl::StatusOr<UnionTree> MakeUnionTree(const StackSet& before, const StackSet& after,
                                        uint32_t nodes_max) {
  Maker maker(nodes_max);
  FLARE_RETURN_IF_ERROR(maker.Add(before, 0));
  FLARE_RETURN_IF_ERROR(maker.Add(after, 1));
  return std::move(maker).Finish();
}

}  // namespace flarestack::query
