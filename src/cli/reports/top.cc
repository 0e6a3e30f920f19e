// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/output/top_text.h"
#include "cli/terminal/terminal.h"
#include "query/reports/breakdown.h"
#include "query/reports/top.h"

namespace flarestack::cli {
namespace {

class TopCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ShowBreakdown(const LoadedStacks& stacks) const;

  StackSource source_;
  std::vector<std::string> paths_;
  std::string by_;
  size_t rows_max_ = 20;
  query::TopOrder order_ = query::TopOrder::kSelf;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace

void TopCommand::Define(CLI::App* app) {
  source_.DefineInputs(app, &paths_);
  app->add_option("-n,--nodecount", rows_max_, "rows to show; 0 is all (default 20)");
  app->add_option("--sort", order_, "self or total; pprof: flat or cum (default self)")
      ->type_name("ORDER")
      ->transform(OneOf(std::map<std::string, query::TopOrder>{{"self", query::TopOrder::kSelf},
                                                               {"flat", query::TopOrder::kSelf},
                                                               {"total", query::TopOrder::kTotal},
                                                               {"cum", query::TopOrder::kTotal}}));
  app->add_option("--by", by_, "cost by the values of an attribute instead of by function")
      ->type_name("KEY");
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  app->footer(
      "Self is the cost of a function itself, total includes its callees. Recursive functions "
      "count\n"
      "once per stack.\n\n"
      "Examples:\n"
      "  flarestack top cpu.pb.gz\n"
      "  flarestack top -n 0 --sort total *.pb.gz\n"
      "  flarestack top --type alloc_space --drop '^runtime\\.' heap.pb.gz\n"
      "  flarestack top --by thread.name --only parse profile.otlp\n"
      "  flarestack top --format json profile.otlp | jq '.rows[0]'\n"
      "  flarestack top --server http://127.0.0.1:4040 -q '{service.name=\"cart\"}' --type cpu");
}

int TopCommand::Run() {
  int code = kSuccess;
  if (!by_.empty()) {
    source_.KeepTag(by_);
    source_.WithTagKeys();
  }
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  if (!by_.empty())
    return ShowBreakdown(*stacks);
  const std::string link = LinkOf(*stacks, {{"view", "table"}});
  const query::StackSet& set = stacks->set;
  const std::vector<query::TopRow> rows = query::Top(set, order_);
  const size_t shown = rows_max_ == 0 ? rows.size() : std::min(rows_max_, rows.size());
  if (format_ == ReportFormat::kText) {
    Show(TopText(Headline(*stacks), set, rows, {.rows = shown, .width = source_.TextWidth()}));
    return PrintLink(link);
  }
  ReportRows table({"function", "file", "line", "module", "self", "total"});
  for (const query::TopRow& row : std::span(rows).first(shown)) {
    const query::Frame& frame = set.table.At(row.frame);
    table.Add({std::string(set.table.Text(frame.function)), std::string(set.table.Text(frame.file)),
               frame.line, std::string(set.table.Text(frame.module)), Cost{row.self, set.unit},
               Cost{row.total, set.unit}});
  }
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(link);
  }
  nlohmann::ordered_json json = JsonHead("flarestack.top/1", *stacks);
  json["rows"] = table.Json();
  json["truncated"] = {{"shown", shown}, {"total", rows.size()}};
  return ShowJson(std::move(json), link);
}

int TopCommand::ShowBreakdown(const LoadedStacks& stacks) const {
  const query::StackSet& set = stacks.set;
  const std::vector<query::BreakdownRow> rows = query::Breakdown(set, by_);
  if (!rows.empty() && std::ranges::all_of(rows, &query::BreakdownRow::is_missing)) {
    std::string keys;
    for (const std::string& key : stacks.tag_keys)
      keys += (keys.empty() ? "" : ", ") + key;
    return Report({fmt::format("no sample has the attribute \"{}\"", by_),
                   keys.empty() ? "the samples have none" : "available: " + keys,
                   "--by with one of these; flarestack tags shows their values"},
                  kNothingFound);
  }
  const size_t shown = rows_max_ == 0 ? rows.size() : std::min(rows_max_, rows.size());
  const auto shown_rows = std::span(rows).first(shown);
  const std::string link = LinkOf(stacks, {{"by", by_}});
  if (format_ == ReportFormat::kText) {
    std::string text = Bold(Headline(stacks)) + "\n";
    text += Dim(fmt::format("{:>11} {:>8}  {}", "total", "", by_)) + "\n";
    for (const query::BreakdownRow& row : shown_rows) {
      text +=
          fmt::format("{:>11} {:>8}  {}\n", base::HumanValue(row.total, set.unit),
                      base::Percent(row.total, set.Total()), row.is_missing ? "[none]" : row.value);
    }
    if (shown < rows.size())
      text += fmt::format("... {} more (use -n 0 for all)\n", rows.size() - shown);
    Show(text);
    return PrintLink(link);
  }
  ReportRows table({"value", "total"});
  for (const query::BreakdownRow& row : shown_rows)
    table.Add({row.value, Cost{row.total, set.unit}});
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(link);
  }
  nlohmann::ordered_json json = JsonHead("flarestack.breakdown/1", stacks);
  json["by"] = by_;
  json["rows"] = table.Json();
  json["truncated"] = {{"shown", shown}, {"total", rows.size()}};
  return ShowJson(std::move(json), link);
}

std::unique_ptr<Command> MakeTopCommand() { return std::make_unique<TopCommand>(); }

}  // namespace flarestack::cli
