// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/comparison.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/terminal/terminal.h"
#include "query/diff/diff.h"
#include "query/diff/threshold.h"

namespace flarestack::cli {
namespace {

class DiffCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  struct Result {
    query::Diff diff;
    std::vector<query::Explanation> explanations;
    std::vector<std::string> exceeded;
    size_t shown = 0;  // rows
    std::string link;  // to the page with the same comparison
  };

  int ParseThresholds(std::vector<query::Threshold>* thresholds) const;
  std::string Text(const Result& result) const;
  std::string Markdown(const Result& result) const;
  std::string Json(const Result& result) const;
  std::string Rows(const Result& result) const;

  StackSource source_;
  Comparison comparison_;
  std::string before_;
  std::string after_;
  std::vector<std::string> fail_on_;
  size_t rows_max_ = 20;
  ReportFormat format_ = ReportFormat::kText;
};

using query::Diff;
using query::DiffRow;
using query::Explanation;

std::string ChangeOf(const DiffRow& row) {
  return row.after == 0 && row.before != 0 ? "gone" : ChangeText(row.ratio);
}

// Further digits differ between machines.
double ThreeDigits(double number) { return std::stod(fmt::format("{:.3g}", number)); }

// "leaf < caller < its caller": the leaf end of a path is the most useful.
std::string PathText(const std::vector<std::string>& path) {
  constexpr size_t kNamesMax = 3;
  std::string text;
  for (size_t i = 0; i < std::min(kNamesMax, path.size()); ++i)
    text += (i == 0 ? "" : " < ") + path[path.size() - 1 - i];
  return text;
}

}  // namespace

void DiffCommand::Define(CLI::App* app) {
  app->add_option("BEFORE", before_,
                  "a profile in any format; - reads standard input; with --server SERVICE@VERSION, "
                  "'{...}' or a page link");
  app->add_option("AFTER", after_, "the profile to compare with BEFORE");
  source_.DefineServer(app);
  comparison_.DefineFlags(app);
  app->add_option("--fail-on", fail_on_,
                  "exit with 4 when exceeded: 'total>+5%' or 'fn:REGEX>+10%'; repeatable")
      ->type_name("LIMIT")
      ->allow_extra_args(false);
  app->add_option("-n,--nodecount", rows_max_, "functions to show; 0 is all (default 20)");
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  app->footer(
      "Compares the total cost of functions, callees included. Values are scaled to the first\n"
      "profile: share by total, rate by duration, request by number of requests. A * marks "
      "changes\n"
      "that are significant at a false discovery rate of 5 %. With five or more instances\n"
      "(processes, by their resource) on each side, instances are resampled. With fewer, samples\n"
      "are treated as independent, which overstates significance.\n\n"
      "Examples:\n"
      "  flarestack diff before.pb.gz after.pb.gz\n"
      "  flarestack diff a1.pb.gz b1.pb.gz --before a2.pb.gz --after b2.pb.gz\n"
      "  flarestack diff --norm rate --fail-on 'total>+5%' main.otlp branch.otlp\n"
      "  flarestack diff --format md base.pb.gz head.pb.gz >> comment.md\n"
      "  flarestack diff --server http://127.0.0.1:4040 --type cpu cart@1.4.1 cart@1.4.2\n"
      "  flarestack diff --server http://127.0.0.1:4040 -q '{service.name=\"cart\"}' --from now-1h "
      "\\\n"
      "    --before-from now-25h --before-to now-24h");
}

int DiffCommand::ParseThresholds(std::vector<query::Threshold>* thresholds) const {
  for (const std::string& text : fail_on_) {
    auto threshold = query::Threshold::Parse(text);
    if (!threshold.ok()) {
      return Report({"invalid --fail-on", std::string(base::Message(threshold.status())),
                     "fix the limit and retry"},
                    kUsage);
    }
    thresholds->push_back(*std::move(threshold));
  }
  return kSuccess;
}

int DiffCommand::Run() {
  std::vector<query::Threshold> thresholds;
  int code = ParseThresholds(&thresholds);
  if (code != kSuccess)
    return code;
  std::optional<ComparedStacks> compared = comparison_.Load(before_, after_, &source_, &code);
  if (!compared.has_value())
    return code;
  Result result;
  result.link = LinkOf(*compared, {});
  result.diff = std::move(compared->diff);
  auto explanations = query::ExplainChange(compared->before.set, compared->after.set, result.diff);
  if (!explanations.ok()) {
    return Report({"cannot compare the profiles", std::string(base::Message(explanations.status())),
                   "reduce the stacks with a filter such as --only or --recursion"},
                  kFailed);
  }
  result.explanations = *std::move(explanations);
  for (const query::Threshold& threshold : thresholds) {
    for (std::string& sentence : threshold.Exceeded(result.diff))
      result.exceeded.push_back(std::move(sentence));
  }
  const size_t row_count = result.diff.rows.size();
  result.shown = rows_max_ == 0 ? row_count : std::min(rows_max_, row_count);
  switch (format_) {
    case ReportFormat::kText:
      Show(Text(result));
      break;
    case ReportFormat::kMarkdown:
      Show(Markdown(result));
      break;
    case ReportFormat::kJson:
      Show(Json(result));
      break;
    default:
      Show(Rows(result));
  }
  PrintLink(result.link);
  return result.exceeded.empty() ? kSuccess : kCheckFailed;
}

std::string DiffCommand::Text(const Result& result) const {
  const Diff& diff = result.diff;
  std::string text = Bold(DiffHeadline(diff)) + "\n" + Dim(NormText(diff.norm)) + "\n" +
                     Dim(NoiseTestText(diff)) + "\n";
  if (!result.explanations.empty()) {
    text += "\n" + Bold("what explains the change") + "\n";
    for (const Explanation& explanation : result.explanations) {
      text += fmt::format("{:>12} {:>7}  {}\n", SignedValue(explanation.delta, diff.unit),
                          fmt::format("{:.0f} %", explanation.part * 100),
                          PathText(explanation.path) + (explanation.before == 0  ? "  (new)"
                                                        : explanation.after == 0 ? "  (gone)"
                                                                                 : ""));
    }
  }
  text += "\n" +
          Dim(fmt::format("{:>11}  {:>11}  {:>11}  {:>9}  {:>11}  function", "before", "after",
                          "change", "", "self change")) +
          "\n";
  constexpr size_t kNumberColumns = 65;
  const size_t width = source_.TextWidth();
  for (const DiffRow& row : std::span(diff.rows).first(result.shown)) {
    text += fmt::format(
        "{:>11}  {:>11}  {:>11}  {:>9}{} {:>11}  {}\n", base::HumanValue(row.before, diff.unit),
        base::HumanValue(row.after, diff.unit), SignedValue(row.delta, diff.unit), ChangeOf(row),
        row.is_significant ? "*" : " ", SignedValue(row.self_delta, diff.unit),
        FitName(row.function,
                width == 0 ? 0 : std::max<size_t>(width, kNumberColumns + 20) - kNumberColumns));
  }
  if (result.shown < diff.rows.size())
    text += fmt::format("... {} more (use -n 0 for all)\n", diff.rows.size() - result.shown);
  for (const std::string& sentence : result.exceeded)
    text += Bold("REGRESSION: ") + sentence + "\n";
  return text;
}

std::string DiffCommand::Markdown(const Result& result) const {
  const Diff& diff = result.diff;
  std::string text = fmt::format("**{}**, {}; {}\n\n", DiffHeadline(diff), NormText(diff.norm),
                                 NoiseTestText(diff));
  for (const std::string& sentence : result.exceeded)
    text += fmt::format("> :warning: **{}**\n\n", sentence);
  if (!result.explanations.empty()) {
    ReportRows table({"change", "of the change", "where"});
    for (const Explanation& explanation : result.explanations) {
      table.Add({SignedValue(explanation.delta, diff.unit),
                 fmt::format("{:.0f} %", explanation.part * 100), PathText(explanation.path)});
    }
    text += table.Markdown() + "\n";
  }
  ReportRows table({"function", "before", "after", "change", "", "self change", "significant"});
  for (const DiffRow& row : std::span(diff.rows).first(result.shown)) {
    table.Add({row.function, base::HumanValue(row.before, diff.unit),
               base::HumanValue(row.after, diff.unit), SignedValue(row.delta, diff.unit),
               ChangeOf(row), SignedValue(row.self_delta, diff.unit),
               std::string(row.is_significant ? "yes" : "no")});
  }
  text += "<details><summary>functions</summary>\n\n" + table.Markdown();
  if (result.shown < diff.rows.size())
    text += fmt::format("\n{} more functions\n", diff.rows.size() - result.shown);
  return text + "\n</details>\n";
}

std::string DiffCommand::Json(const Result& result) const {
  const Diff& diff = result.diff;
  nlohmann::ordered_json json;
  json["schema"] = "flarestack.diff/1";
  json["sample_type"] = diff.type;
  json["unit"] = diff.unit;
  json["norm"] = NormName(diff.norm);
  json["total"] = {{"before", diff.before.total},
                   {"after", diff.after.total},
                   {"delta", diff.after.total - diff.before.total},
                   {"significant", diff.total_verdict.is_significant},
                   {"probability", ThreeDigits(diff.total_verdict.probability)}};
  json["samples"] = {{"before", diff.before.events}, {"after", diff.after.events}};
  json["scale"] = diff.scale;
  const bool is_bootstrap = diff.noise_test == query::NoiseTest::kBootstrap;
  json["noise_test"] = is_bootstrap ? "bootstrap" : "optimistic";
  json["instances"] = {{"before", diff.before.instance_count},
                       {"after", diff.after.instance_count}};
  json["rows"] = nlohmann::ordered_json::array();
  for (const DiffRow& row : std::span(diff.rows).first(result.shown)) {
    nlohmann::ordered_json object;
    object["function"] = row.function;
    object["before"] = row.before;
    object["after"] = row.after;
    object["delta"] = std::llround(row.delta);
    object["ratio"] = nullptr;
    if (row.ratio.has_value())
      object["ratio"] = *row.ratio;
    object["significant"] = row.is_significant;
    object["probability"] = ThreeDigits(row.probability);
    object["self_before"] = row.self_before;
    object["self_after"] = row.self_after;
    object["self_delta"] = std::llround(row.self_delta);
    json["rows"].push_back(std::move(object));
  }
  json["truncated"] = {{"shown", result.shown}, {"total", diff.rows.size()}};
  json["explanations"] = nlohmann::ordered_json::array();
  for (const Explanation& explanation : result.explanations) {
    json["explanations"].push_back({{"path", explanation.path},
                                    {"before", explanation.before},
                                    {"after", explanation.after},
                                    {"delta", std::llround(explanation.delta)},
                                    {"part", explanation.part}});
  }
  json["exceeded"] = result.exceeded;
  if (!result.link.empty())
    json["link"] = result.link;
  return JsonText(json);
}

std::string DiffCommand::Rows(const Result& result) const {
  ReportRows table({"function", "before", "after", "delta", "ratio", "significant", "self_before",
                    "self_after", "self_delta"});
  for (const DiffRow& row : std::span(result.diff.rows).first(result.shown)) {
    table.Add({row.function, row.before, row.after, int64_t{std::llround(row.delta)},
               row.ratio.has_value() ? Cell(*row.ratio) : Cell(std::string()),
               std::string(row.is_significant ? "true" : "false"), row.self_before, row.self_after,
               int64_t{std::llround(row.self_delta)}});
  }
  return table.In(format_);
}

std::unique_ptr<Command> MakeDiffCommand() { return std::make_unique<DiffCommand>(); }

}  // namespace flarestack::cli
