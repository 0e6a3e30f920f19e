// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/terminal/terminal.h"
#include "model/attribute_text.h"
#include "query/reports/breakdown.h"

namespace flarestack::cli {
namespace {

class TagsCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  struct Key {
    std::string name;
    int64_t total = 0;                        // of the samples with this attribute
    std::vector<query::BreakdownRow> values;  // the costliest first
  };

  static std::vector<Key> KeysOf(const LoadedStacks& stacks);
  std::string Text(const LoadedStacks& stacks, const std::vector<Key>& keys) const;
  size_t Shown(const Key& key) const;

  std::vector<std::string> paths_;
  std::string key_;
  size_t rows_max_ = 10;
  ReportFormat format_ = ReportFormat::kText;
  StackSource source_;
};

}  // namespace

void TagsCommand::Define(CLI::App* app) {
  source_.DefineInputs(app, &paths_);
  app->add_option("--key", key_, "only this attribute")->type_name("KEY");
  app->add_option("-n,--nodecount", rows_max_,
                  "values to show per attribute; 0 is all (default 10)");
  DefineFormat(app, &format_);
  source_.DefineFlags(app);
  app->footer(
      "The attributes of samples, profiles and resources (labels, in pprof), with the cost of "
      "each\n"
      "value. Use the names in filters such as --tag and reports such as top --by.\n\n"
      "Examples:\n"
      "  flarestack tags profile.otlp\n"
      "  flarestack tags --key thread.name -n 0 --only parse profile.otlp\n"
      "  flarestack tags --format json heap.pb.gz | jq '.keys[].key'");
}

int TagsCommand::Run() {
  int code = kSuccess;
  source_.KeepAllTags();
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  std::vector<Key> keys = KeysOf(*stacks);
  if (!key_.empty()) {
    std::string names;
    for (const Key& key : keys)
      names += (names.empty() ? "" : ", ") + key.name;
    std::erase_if(keys, [&](const Key& key) { return !model::SameAttributeKey(key.name, key_); });
    if (keys.empty()) {
      return Report({fmt::format("no attribute \"{}\"", key_),
                     names.empty() ? "the samples have none" : "available: " + names,
                     "--key with one of these"},
                    kNothingFound);
    }
  }
  if (format_ == ReportFormat::kText) {
    Show(Text(*stacks, keys));
    return PrintLink(LinkOf(*stacks, {}));
  }
  ReportRows table({"key", "value", "total"});
  auto list = nlohmann::ordered_json::array();
  for (const Key& key : keys) {
    auto values = nlohmann::ordered_json::array();
    for (const query::BreakdownRow& row : std::span(key.values).first(Shown(key))) {
      table.Add({key.name, row.value, Cost{row.total, stacks->set.unit}});
      values.push_back({{"value", row.value}, {"total", row.total}});
    }
    list.push_back({{"key", key.name},
                    {"total", key.total},
                    {"values", std::move(values)},
                    {"truncated", {{"shown", Shown(key)}, {"total", key.values.size()}}}});
  }
  if (format_ != ReportFormat::kJson) {
    Show(table.In(format_));
    return PrintLink(LinkOf(*stacks, {}));
  }
  nlohmann::ordered_json json = JsonHead("flarestack.tags/1", *stacks);
  json["keys"] = std::move(list);
  return ShowJson(std::move(json), LinkOf(*stacks, {}));
}

std::vector<TagsCommand::Key> TagsCommand::KeysOf(const LoadedStacks& stacks) {
  const query::StackSet& set = stacks.set;
  std::set<std::string> names;
  for (const query::StackRow& row : set.rows) {
    for (const query::Tag& tag : set.TagsOf(row))
      names.emplace(set.table.Text(tag.key));
  }
  std::vector<Key> keys;
  for (const std::string& name : names) {
    Key key = {.name = name, .values = query::Breakdown(set, name)};
    std::erase_if(key.values, [](const query::BreakdownRow& row) { return row.is_missing; });
    for (const query::BreakdownRow& row : key.values)
      key.total = base::SaturatingAdd(key.total, row.total);
    keys.push_back(std::move(key));
  }
  return keys;
}

size_t TagsCommand::Shown(const Key& key) const {
  return rows_max_ == 0 ? key.values.size() : std::min(rows_max_, key.values.size());
}

std::string TagsCommand::Text(const LoadedStacks& stacks, const std::vector<Key>& keys) const {
  const query::StackSet& set = stacks.set;
  const int64_t total = set.Total();
  std::string text = Bold(Headline(stacks)) + "\n";
  if (keys.empty() && !set.rows.empty())
    text += "no attributes\n";
  for (const Key& key : keys) {
    text += "\n" + Bold(key.name);
    text +=
        Dim(fmt::format("  {} value{}", base::GroupDigits(static_cast<int64_t>(key.values.size())),
                        key.values.size() == 1 ? "" : "s"));
    if (key.total != total)
      text += Dim(fmt::format(", on {} of the total", base::Percent(key.total, total)));
    text += "\n";
    for (const query::BreakdownRow& row : std::span(key.values).first(Shown(key))) {
      text += fmt::format("{:>11} {:>8}  {}\n", base::HumanValue(row.total, set.unit),
                          base::Percent(row.total, total), Printable(row.value));
    }
    if (Shown(key) < key.values.size())
      text += fmt::format("... {} more (use -n 0 for all)\n", key.values.size() - Shown(key));
  }
  return text;
}

std::unique_ptr<Command> MakeTagsCommand() { return std::make_unique<TagsCommand>(); }

}  // namespace flarestack::cli
