// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/inputs.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/output/source_text.h"
#include "cli/terminal/terminal.h"
#include "query/reports/line_costs.h"

namespace flarestack::cli {
namespace {

// `lines` shows lines with a cost, `list` all lines of the function.
class LinesCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // The lines of one function in one file.
  using FunctionCosts = std::span<const query::LineCost>;
  std::string Text(const LoadedStacks& stacks, std::span<const query::LineCost> costs);
  std::string FunctionText(const LoadedStacks& stacks, FunctionCosts costs);
  static std::string LineText(const LoadedStacks& stacks, const query::LineCost& cost,
                              std::string_view source);

  StackSource source_;
  std::string pattern_;
  std::vector<std::string> paths_;
  SourceText sources_;
  ReportFormat format_ = ReportFormat::kText;
  size_t rows_max_ = 0;

 protected:
  bool is_whole_ = false;
};

class ListCommand : public LinesCommand {
 public:
  ListCommand() { is_whole_ = true; }
};

}  // namespace

using query::LineCost;

void LinesCommand::Define(CLI::App* app) {
  app->add_option("RE", pattern_, "regular expression for function names")->required();
  source_.DefineInputs(app, &paths_);
  sources_.DefineFlags(app);
  app->add_option("-n,--nodecount", rows_max_,
                  "rows to show, the costliest functions first; 0 is all (default 0)");
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  if (is_whole_) {
    app->footer(
        "Prints all source lines of the function with their cost, or only the lines with cost when "
        "the\n"
        "file is not found. Without a start line in the profile, indentation marks the "
        "function.\n\n"
        "Examples:\n"
        "  flarestack list 'Checkout::apply_coupons' cpu.pb.gz\n"
        "  flarestack list '^main\\.work$' --source-path ~/src/shop cpu.pb.gz");
    return;
  }
  app->footer(
      "Cost per source line, with its text where the file is found. Self is the cost of stacks\n"
      "that end on the line, total of all stacks that contain it.\n\n"
      "Examples:\n"
      "  flarestack lines 'Checkout::apply_coupons' cpu.pb.gz\n"
      "  flarestack lines '^main\\.work$' --source-path ~/src/shop cpu.pb.gz");
}

int LinesCommand::Run() {
  int code = kSuccess;
  const std::optional<query::Pattern> pattern =
      ReadPattern(pattern_, "invalid function pattern", &code);
  if (!pattern.has_value())
    return code;
  source_.WithPlaces();
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  const query::StackSet& set = stacks->set;
  const std::vector<LineCost> all = query::LineCosts(set, *pattern);
  if (all.empty() && !set.rows.empty()) {
    return Report({fmt::format("no function matches \"{}\"", pattern_), "names match as displayed",
                   "flarestack top -n 0 lists them"},
                  kNothingFound);
  }
  const std::span<const LineCost> costs =
      std::span(all).first(rows_max_ == 0 ? all.size() : std::min(rows_max_, all.size()));
  const bool is_one = !all.empty() && std::ranges::all_of(all, [&](const LineCost& cost) {
    return cost.function == all[0].function;
  });
  const std::string link = LinkOf(
      *stacks,
      is_one ? PageValues{{"view", "lines"}, {"sel", std::string(set.table.Text(all[0].function))}}
             : PageValues{{"s", fmt::format("/{}/", pattern_)}});
  if (format_ == ReportFormat::kText) {
    std::string text = Text(*stacks, costs);
    if (costs.size() < all.size())
      text += fmt::format("... {} more (use -n 0 for all)\n", all.size() - costs.size());
    Show(text);
    return PrintLink(link);
  }
  ReportRows table({"function", "file", "line", "self", "total"});
  for (const LineCost& cost : costs) {
    table.Add({std::string(set.table.Text(cost.function)), std::string(set.table.Text(cost.file)),
               cost.line, Cost{cost.self, set.unit}, Cost{cost.total, set.unit}});
  }
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(link);
  }
  nlohmann::ordered_json json = JsonHead("flarestack.lines/1", *stacks);
  json["rows"] = table.Json();
  json["truncated"] = {{"shown", costs.size()}, {"total", all.size()}};
  return ShowJson(std::move(json), link);
}

std::string LinesCommand::Text(const LoadedStacks& stacks, std::span<const LineCost> costs) {
  std::string text = Bold(Headline(stacks)) + "\n";
  while (!costs.empty()) {
    const auto end = std::ranges::find_if(costs, [&](const LineCost& cost) {
      return cost.function != costs[0].function || cost.file != costs[0].file;
    });
    const auto count = static_cast<size_t>(end - costs.begin());
    text += FunctionText(stacks, costs.first(count));
    costs = costs.subspan(count);
  }
  return text;
}

std::string LinesCommand::FunctionText(const LoadedStacks& stacks, FunctionCosts costs) {
  const query::FrameTable& table = stacks.set.table;
  const query::FunctionPlace* const place = stacks.set.PlaceOf(costs[0].function, costs[0].file);
  const source::SourceName file = {
      .path = table.Text(costs[0].file),
      .build_id = place != nullptr ? std::string_view(place->build_id) : std::string_view()};
  std::string text = "\n" + Bold(table.Text(costs[0].function));
  text += file.path.empty() ? "\n" : fmt::format("  {}\n", file.path);
  text +=
      Dim(fmt::format("{:>11} {:>8}  {:>11} {:>8}  {:>7}", "self", "", "total", "", "line")) + "\n";
  const int64_t last = costs.back().line;
  const bool is_whole = is_whole_ && last > 0 && !sources_.Line(file, last).empty();
  source::LineRange shown;
  if (is_whole) {
    const auto first = std::ranges::find_if(costs, [](const LineCost& at) { return at.line > 0; });
    shown = sources_.FunctionAround(file, {.first = first->line, .last = last},
                                    place != nullptr ? place->start_line : 0);
  }
  int64_t next = shown.first;  // next line to show without a cost
  const auto add_plain = [&](int64_t end) {
    for (; is_whole && next < end; ++next)
      text += LineText(stacks, {.line = next}, sources_.Line(file, next));
  };
  for (const LineCost& cost : costs) {
    add_plain(cost.line);
    text += LineText(stacks, cost, sources_.Line(file, cost.line));
    next = std::max(next, cost.line + 1);
  }
  add_plain(shown.last + 1);
  return text;
}

std::string LinesCommand::LineText(const LoadedStacks& stacks, const LineCost& cost,
                                   std::string_view source) {
  const query::StackSet& set = stacks.set;
  const int64_t total = set.Total();
  constexpr size_t kNumberColumns = 53;
  const size_t width = TerminalWidth();
  const bool is_free = cost.self == 0 && cost.total == 0;
  const auto value = [&](int64_t number) {
    return is_free ? "." : base::HumanValue(number, set.unit);
  };
  const auto percent = [&](int64_t number) { return is_free ? "" : base::Percent(number, total); };
  const std::string line = fmt::format(
      "{:>11} {:>8}  {:>11} {:>8}  {:>7}  {}", value(cost.self), percent(cost.self),
      value(cost.total), percent(cost.total), cost.line > 0 ? fmt::format("{}", cost.line) : "?",
      Fit(source, width == 0 ? 0 : std::max<size_t>(width, kNumberColumns + 20) - kNumberColumns));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::unique_ptr<Command> MakeLinesCommand() { return std::make_unique<LinesCommand>(); }
std::unique_ptr<Command> MakeListCommand() { return std::make_unique<ListCommand>(); }

}  // namespace flarestack::cli
