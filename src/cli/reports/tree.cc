// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/terminal/terminal.h"
#include "model/call_tree.h"
#include "query/reports/stack_tree.h"

namespace flarestack::cli {
namespace {

class TreeCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // In preorder, the costliest child first.
  std::vector<uint32_t> Walk(const model::CallTree& tree) const;
  std::string Text(const LoadedStacks& stacks, const model::CallTree& tree,
                   const std::vector<uint32_t>& nodes, size_t shown) const;

  StackSource source_;
  std::vector<std::string> paths_;
  size_t rows_max_ = 100;
  double percent_min_ = 0.5;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace

void TreeCommand::Define(CLI::App* app) {
  source_.DefineInputs(app, &paths_);
  app->add_option("-n,--nodecount", rows_max_, "rows to show; 0 is all (default 100)");
  app->add_option("--min", percent_min_, "hide calls below this percentage (default 0.5)")
      ->check(CLI::Range(0.0, 100.0));
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  app->footer(
      "Call tree from callers to callees, costliest first.\n\n"
      "Examples:\n"
      "  flarestack tree cpu.pb.gz\n"
      "  flarestack tree --from-frame 'http.*ServeHTTP' cpu.pb.gz\n"
      "  flarestack tree --tagroot thread.name --min 5 profile.otlp");
}

int TreeCommand::Run() {
  int code = kSuccess;
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  const auto tree = query::StackTree(stacks->set);
  if (!tree.ok()) {
    return Report({"cannot build the tree", std::string(base::Message(tree.status())),
                   "reduce the stacks with a filter such as --only or --recursion"},
                  kFailed);
  }
  const std::string link = LinkOf(*stacks, {{"view", "tree"}});
  const std::vector<uint32_t> nodes = Walk(*tree);
  const size_t shown = rows_max_ == 0 ? nodes.size() : std::min(rows_max_, nodes.size());
  if (format_ == ReportFormat::kText) {
    Show(Text(*stacks, *tree, nodes, shown));
    return PrintLink(link);
  }
  ReportRows table({"depth", "function", "module", "self", "total"});
  for (const uint32_t index : std::span(nodes).first(shown)) {
    const model::CallTree::Node& node = tree->nodes[index];
    table.Add({int64_t{node.depth} - 1, tree->FrameOf(node).name, tree->FrameOf(node).module,
               Cost{node.self, stacks->set.unit}, Cost{node.total, stacks->set.unit}});
  }
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(link);
  }
  nlohmann::ordered_json json = JsonHead("flarestack.tree/1", *stacks);
  json["rows"] = table.Json();
  json["truncated"] = {{"shown", shown}, {"total", tree->nodes.size() - 1}};
  return ShowJson(std::move(json), link);
}

std::vector<uint32_t> TreeCommand::Walk(const model::CallTree& tree) const {
  const double least = static_cast<double>(tree.root().total) * percent_min_ / 100;
  std::vector<uint32_t> walked;
  std::vector<uint32_t> waiting = {0};  // a stack
  while (!waiting.empty()) {
    const uint32_t index = waiting.back();
    waiting.pop_back();
    if (index != 0)
      walked.push_back(index);
    const model::Slice children = tree.nodes[index].children;
    std::vector<uint32_t> order(children.count);
    std::iota(order.begin(), order.end(), children.begin);
    std::erase_if(order, [&](uint32_t child) {
      return std::abs(static_cast<double>(tree.nodes[child].total)) < least;
    });
    // Stable: equal children stay sorted by name.
    std::ranges::stable_sort(order, std::greater(),
                             [&](uint32_t child) { return tree.nodes[child].total; });
    waiting.insert(waiting.end(), order.rbegin(), order.rend());
  }
  return walked;
}

std::string TreeCommand::Text(const LoadedStacks& stacks, const model::CallTree& tree,
                              const std::vector<uint32_t>& nodes, size_t shown) const {
  constexpr uint32_t kIndentMax = 40;  // deeper levels are shown as a number
  constexpr size_t kNumberColumns = 33;
  std::string text = Bold(Headline(stacks)) + "\n";
  text += Dim(fmt::format("{:>11} {:>8}  {:>9}  function", "total", "", "self")) + "\n";
  const size_t width = source_.TextWidth();
  for (const uint32_t index : std::span(nodes).first(shown)) {
    const model::CallTree::Node& node = tree.nodes[index];
    const uint32_t depth = node.depth - 1;
    std::string name = depth <= kIndentMax
                           ? std::string(size_t{depth} * 2, ' ')
                           : fmt::format("{:>{}} ", fmt::format("[{}]", depth), kIndentMax * 2);
    const size_t room =
        width == 0 ? 0 : std::max<size_t>(width, kNumberColumns + 20) - kNumberColumns;
    // Deeply nested names keep a few columns.
    constexpr size_t kNameColumnsMin = 20;
    const size_t left = room == 0 ? 0 : std::max(room, name.size() + kNameColumnsMin) - name.size();
    name += FitName(tree.FrameOf(node).name, left);
    text += fmt::format("{:>11} {:>8}  {:>9}  {}\n", base::HumanValue(node.total, stacks.set.unit),
                        base::Percent(node.total, tree.root().total),
                        node.self == 0 ? "" : base::HumanValue(node.self, stacks.set.unit),
                        Fit(name, room));
  }
  if (shown < nodes.size())
    text += fmt::format("... {} more (use -n 0 for all)\n", nodes.size() - shown);
  if (const size_t small = tree.nodes.size() - 1 - nodes.size(); small > 0)
    text += fmt::format("... {} below {} % (use --min 0 for all)\n", small, percent_min_);
  return text;
}

std::unique_ptr<Command> MakeTreeCommand() { return std::make_unique<TreeCommand>(); }

}  // namespace flarestack::cli
