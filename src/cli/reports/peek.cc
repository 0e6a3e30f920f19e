// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/inputs.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/terminal/terminal.h"
#include "query/reports/neighbours.h"

namespace flarestack::cli {
namespace {

class PeekCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string Text(const LoadedStacks& stacks,
                   const std::vector<query::Neighbourhood>& found) const;

  StackSource source_;
  std::string pattern_;
  std::vector<std::string> paths_;
  size_t rows_max_ = 10;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace

using query::Neighbour;
using query::Neighbourhood;

void PeekCommand::Define(CLI::App* app) {
  app->add_option("RE", pattern_, "regular expression for function names")->required();
  source_.DefineInputs(app, &paths_);
  app->add_option("-n,--nodecount", rows_max_,
                  "callers and callees to show per function; 0 is all (default 10)");
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  app->footer(
      "Callers and callees of the matching functions.\n\n"
      "Examples:\n"
      "  flarestack peek '^malloc$' cpu.pb.gz\n"
      "  flarestack peek 'json.*Decode' --format csv profile.otlp");
}

int PeekCommand::Run() {
  int code = kSuccess;
  const std::optional<query::Pattern> pattern =
      ReadPattern(pattern_, "invalid function pattern", &code);
  if (!pattern.has_value())
    return code;
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  const std::vector<Neighbourhood> found = query::Neighbours(stacks->set, *pattern);
  if (found.empty() && !stacks->set.rows.empty()) {
    return Report({fmt::format("no function matches \"{}\"", pattern_), "names match as displayed",
                   "flarestack top -n 0 lists them"},
                  kNothingFound);
  }
  const query::FrameTable& names = stacks->set.table;
  const std::string link = LinkOf(
      *stacks, found.size() == 1 ? PageValues{{"view", "sandwich"},
                                              {"sel", std::string(names.Text(found[0].function))}}
                                 : PageValues{{"s", fmt::format("/{}/", pattern_)}});
  if (format_ == ReportFormat::kText) {
    Show(Text(*stacks, found));
    return PrintLink(link);
  }
  ReportRows table({"function", "relation", "neighbour", "value"});
  auto rows = nlohmann::ordered_json::array();
  for (const Neighbourhood& at : found) {
    const std::string function(names.Text(at.function));
    nlohmann::ordered_json row = {{"function", function}, {"self", at.self}, {"total", at.total}};
    const auto add = [&](const char* relation, const char* list,
                         const std::vector<Neighbour>& neighbours) {
      row[list] = nlohmann::ordered_json::array();
      for (const Neighbour& neighbour : neighbours) {
        const std::string name(names.Text(neighbour.function));
        row[list].push_back({{"function", name}, {"value", neighbour.value}});
        table.Add({function, std::string(relation), name, Cost{neighbour.value, stacks->set.unit}});
      }
    };
    add("caller", "callers", at.callers);
    add("callee", "callees", at.callees);
    rows.push_back(std::move(row));
  }
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(link);
  }
  nlohmann::ordered_json json = JsonHead("flarestack.peek/1", *stacks);
  json["rows"] = std::move(rows);
  return ShowJson(std::move(json), link);
}

std::string PeekCommand::Text(const LoadedStacks& stacks,
                              const std::vector<Neighbourhood>& found) const {
  const query::StackSet& set = stacks.set;
  constexpr size_t kNumberColumns = 27;
  const size_t width = source_.TextWidth();
  const size_t room =
      width == 0 ? 0 : std::max<size_t>(width, kNumberColumns + 20) - kNumberColumns;
  std::string text = Bold(Headline(stacks)) + "\n";
  for (const Neighbourhood& at : found) {
    const auto add = [&](const std::vector<Neighbour>& neighbours, std::string_view arrow) {
      const size_t shown =
          rows_max_ == 0 ? neighbours.size() : std::min(rows_max_, neighbours.size());
      for (const Neighbour& neighbour : std::span(neighbours).first(shown)) {
        text += fmt::format("{:>11} {:>8}    {} {}\n", base::HumanValue(neighbour.value, set.unit),
                            base::Percent(neighbour.value, at.total), arrow,
                            FitName(set.table.Text(neighbour.function), room));
      }
      if (shown < neighbours.size()) {
        text += fmt::format("{:>24}{} ... {} more (use -n 0 for all)\n", "", arrow,
                            neighbours.size() - shown);
      }
    };
    text += "\n";
    add(at.callers, "<-");
    text += Bold(fmt::format("{:>11} {:>8}  {}", base::HumanValue(at.total, set.unit),
                             base::Percent(at.total, set.Total()), set.table.Text(at.function)));
    text += Dim(fmt::format("  self {}", base::HumanValue(at.self, set.unit))) + "\n";
    add(at.callees, "->");
  }
  return text;
}

std::unique_ptr<Command> MakePeekCommand() { return std::make_unique<PeekCommand>(); }

}  // namespace flarestack::cli
