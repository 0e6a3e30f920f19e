// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/mcp_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.h"
#include "base/text/human_value.h"
#include "query/stacks/path_hash.h"

namespace flarestack::cli {
namespace {

using Kind = QueryColumn::Kind;

std::string Place(const Json& row) {
  const std::string file = TextOf(At(row, "file"));
  if (file.empty())
    return TextOf(At(row, "module"));
  const int64_t line = IntOf(At(row, "line"));
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

std::string ChangeText(const Json& row) {
  const Json& ratio = At(row, "ratio");
  return ratio.is_number() ? fmt::format("{:+.1f} %", (NumberOf(ratio) - 1) * 100) : "new";
}

class Values {
 public:
  explicit Values(const Json& response) : unit_(TextOf(At(response, "unit"))) {}

  std::string Text(const Json& value) const { return base::HumanValue(IntOf(value), unit_); }
  std::string Text(int64_t value) const { return base::HumanValue(value, unit_); }
  std::string Signed(const Json& delta) const {
    const int64_t value = IntOf(delta);
    return (value > 0 ? "+" : "") + Text(value);
  }

 private:
  std::string unit_;
};

struct TreeNode {
  size_t depth = 0;
  std::string name;
  std::string hash;
  int64_t self = 0;
  int64_t total = 0;
};

// Nodes are in preorder: each node is followed by its subtree.
std::vector<TreeNode> NodesOf(const Json& response) {
  const Json& columns = At(response, "nodes");
  const Json& depths = At(columns, "depth");
  const Json& self = At(At(columns, "self"), size_t{0});
  uint64_t above = query::kRootPathHash;
  for (const Json& name : At(response, "path"))
    above = query::PathHash(above, TextOf(name));
  std::vector<TreeNode> nodes;
  std::vector<uint64_t> hashes;  // of the path to the current node, by depth
  for (size_t i = 0; i < depths.size(); ++i) {
    const auto frame = static_cast<size_t>(IntOf(At(At(columns, "frame"), i)));
    // A depth that skips a level is invalid; clamp it to the next level.
    const auto depth = std::min(static_cast<size_t>(IntOf(At(depths, i))), hashes.size());
    TreeNode node = {.depth = depth,
                     .name = TextOf(At(At(At(response, "frames"), frame), "name")),
                     .hash = {},
                     .self = IntOf(At(self, i))};
    hashes.resize(depth);
    const uint64_t parent = depth == 0 ? above : hashes.back();
    // The root has no name and is not part of a path.
    hashes.push_back(node.name.empty() ? parent : query::PathHash(parent, node.name));
    const int64_t folded = IntOf(At(At(columns, "folded"), std::to_string(i)));
    if (folded != 0)
      node.name += fmt::format(" {} more", folded);
    else if (!node.name.empty())
      node.hash = query::PathHashText(hashes.back());
    nodes.push_back(std::move(node));
  }
  std::vector<size_t> open;  // the path to the current node, by depth
  std::vector<size_t> parents;
  for (size_t i = 0; i < nodes.size(); ++i) {
    open.resize(nodes[i].depth);
    parents.push_back(open.empty() ? i : open.back());
    open.push_back(i);
    nodes[i].total = nodes[i].self;
  }
  for (size_t i = nodes.size(); i-- > 0;) {
    if (parents[i] != i)
      nodes[parents[i]].total = base::SaturatingAdd(nodes[parents[i]].total, nodes[i].total);
  }
  return nodes;
}

}  // namespace

QueryTable TopTable(const Json& response, TableFor /*reader*/) {
  const Values values(response);
  const int64_t total = IntOf(At(response, "total"));
  QueryTable table({{"self"}, {"%"}, {"total"}, {"%"}, {"function"}, {"where"}});
  for (const Json& row : At(response, "rows")) {
    table.Add({values.Text(At(row, "self")), base::Percent(IntOf(At(row, "self")), total),
               values.Text(At(row, "total")), base::Percent(IntOf(At(row, "total")), total),
               At(row, "function"), Place(row)});
  }
  table.set_headline(fmt::format("{}: {}", TextOf(At(response, "type")), values.Text(total)));
  return table;
}

QueryTable FlameTable(const Json& response, TableFor /*reader*/) {
  const Values values(response);
  const int64_t whole = IntOf(At(response, "total"));
  QueryTable table({{"total"}, {"%"}, {"self"}, {"path hash"}, {"call"}});
  for (const TreeNode& node : NodesOf(response)) {
    table.Add({values.Text(node.total), base::Percent(node.total, whole), values.Text(node.self),
               node.hash, node.name.empty() ? "(all)" : node.name},
              node.depth);
  }
  std::string headline = fmt::format("{}: {}", TextOf(At(response, "type")), values.Text(whole));
  if (const std::string path = Joined(At(response, "path"), " > "); !path.empty())
    headline += ", below " + path;
  table.set_headline(headline);
  return table;
}

QueryTable DiffTable(const Json& response, TableFor /*reader*/) {
  const Values values(response);
  QueryTable table(
      {{"before"}, {"after"}, {"change"}, {"%"}, {"significant", Kind::kMark}, {"function"}});
  for (const Json& row : At(response, "rows")) {
    table.Add({values.Text(At(row, "before")), values.Text(At(row, "after")),
               values.Signed(At(row, "delta")), ChangeText(row), At(row, "significant"),
               At(row, "function")});
  }
  table.set_headline(fmt::format("{}: {} -> {}, compared by {}, significance test {}",
                                 TextOf(At(response, "type")),
                                 values.Text(At(At(response, "before"), "total")),
                                 values.Text(At(At(response, "after"), "total")),
                                 TextOf(At(response, "norm")), TextOf(At(response, "noise_test"))));
  for (const Json& one : At(response, "explain")) {
    table.AddNote(fmt::format("explains {:.0f} % of the change: {} in {}",
                              NumberOf(At(one, "part")) * 100, values.Signed(At(one, "delta")),
                              Joined(At(one, "path"), " > ")));
  }
  const auto left =
      IntOf(At(response, "row_count")) - static_cast<int64_t>(At(response, "rows").size());
  if (left > 0)
    table.AddNote(fmt::format("... {} more functions", base::GroupDigits(left)));
  return table;
}

QueryTable RegressionsTable(const Json& response, TableFor /*reader*/) {
  const Values values(response);
  QueryTable table({{"before"}, {"after"}, {"change"}, {"%"}, {"function"}});
  for (const Json& row : At(response, "rows")) {
    table.Add({values.Text(At(row, "before")), values.Text(At(row, "after")),
               values.Signed(At(row, "delta")), ChangeText(row), At(row, "function")});
  }
  const auto side = [&](const char* name) {
    const Json& version = At(response, name);
    return fmt::format("{} ({})", TextOf(At(version, "version")),
                       values.Text(At(version, "total")));
  };
  table.set_headline(fmt::format("{}: {} -> {}, compared by {}", TextOf(At(response, "type")),
                                 side("before"), side("after"), TextOf(At(response, "norm"))));
  return table;
}

}  // namespace flarestack::cli
