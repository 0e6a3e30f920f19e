// SPDX-License-Identifier: Apache-2.0
#include "cli/lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/human_value.h"
#include "cli/failure.h"
#include "cli/inputs.h"
#include "cli/source_text.h"
#include "cli/terminal.h"

namespace flarestack::cli {

using query::LineCost;

void LinesCommand::Define(CLI::App* app) {
  app->add_option("RE", pattern_, "regular expression for the names of functions")->required();
  source_.DefineInputs(app, &paths_);
  app->add_option("--source", source_folders_,
                  "folder with the sources, looked through for the end of each path")
      ->type_name("DIR")
      ->allow_extra_args(false);
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  app->footer(
      "Cost per source line, with its text where the file is at hand. Self is the cost of stacks\n"
      "that end on the line, total of all that it stands in.\n"
      "\nExamples:\n"
      "  flarestack lines 'Checkout::apply_coupons' cpu.pb.gz\n"
      "  flarestack lines '^main\\.work$' --source ~/src/shop cpu.pb.gz");
}

int LinesCommand::Run() {
  int code = kSuccess;
  const std::optional<query::Pattern> pattern =
      ReadPattern(pattern_, "cannot look for this name", &code);
  if (!pattern.has_value())
    return code;
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  const query::StackSet& set = stacks->set;
  const std::vector<LineCost> costs = query::LineCosts(set, *pattern);
  if (costs.empty()) {
    return Report({fmt::format("no function matches \"{}\"", pattern_),
                   "names are matched as they are shown", "flarestack top -n 0 lists them"},
                  kNothingFound);
  }
  const bool is_one = std::ranges::all_of(
      costs, [&](const LineCost& cost) { return cost.function == costs[0].function; });
  const std::string link =
      LinkOf(*stacks, is_one ? PageValues{{"view", "lines"},
                                          {"sel", std::string(set.table.Text(costs[0].function))}}
                             : PageValues{{"s", fmt::format("/{}/", pattern_)}});
  if (format_ == ReportFormat::kText) {
    Show(Text(*stacks, costs));
    return PrintLink(link);
  }
  ReportRows table({"function", "file", "line", "self", "total"});
  for (const LineCost& cost : costs) {
    table.Add({std::string(set.table.Text(cost.function)), std::string(set.table.Text(cost.file)),
               cost.line, cost.self, cost.total});
  }
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(link);
  }
  nlohmann::ordered_json json = JsonHead("flarestack.lines/1", *stacks);
  json["rows"] = table.Json();
  return ShowJson(std::move(json), link);
}

std::string LinesCommand::Text(const LoadedStacks& stacks,
                               const std::vector<LineCost>& costs) const {
  const query::StackSet& set = stacks.set;
  const int64_t total = set.Total();
  constexpr size_t kNumberColumns = 53;
  const size_t width = TerminalWidth();
  SourceText sources(source_folders_);
  std::string text = Bold(Headline(stacks)) + "\n";
  const LineCost* previous = nullptr;
  for (const LineCost& cost : costs) {
    const std::string_view file = set.table.Text(cost.file);
    if (previous == nullptr || previous->function != cost.function || previous->file != cost.file) {
      text += "\n" + Bold(set.table.Text(cost.function));
      text += file.empty() ? "\n" : fmt::format("  {}\n", file);
      text +=
          Dim(fmt::format("{:>11} {:>8}  {:>11} {:>8}  {:>7}", "self", "", "total", "", "line")) +
          "\n";
    }
    previous = &cost;
    const std::string line = fmt::format(
        "{:>11} {:>8}  {:>11} {:>8}  {:>7}  {}", base::HumanValue(cost.self, set.unit),
        base::Percent(cost.self, total), base::HumanValue(cost.total, set.unit),
        base::Percent(cost.total, total), cost.line > 0 ? fmt::format("{}", cost.line) : "?",
        Fit(sources.Line(file, cost.line),
            width == 0 ? 0 : std::max<size_t>(width, kNumberColumns + 20) - kNumberColumns));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace flarestack::cli
