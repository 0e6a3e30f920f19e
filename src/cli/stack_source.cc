// SPDX-License-Identifier: Apache-2.0
#include "cli/stack_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/human_value.h"
#include "base/status.h"
#include "cli/api_client.h"
#include "cli/byte_limit.h"
#include "cli/failure.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/report_format.h"
#include "cli/terminal.h"
#include "model/sample_type.h"
#include "query/stack_set_builder.h"
#include "query/wait_frames.h"

namespace flarestack::cli {
namespace {

struct FilterFlag {
  const char* flag;  // without the dashes
  std::string_view verb;
  const char* argument;  // nothing for a switch
  const char* help;
};

constexpr FilterFlag kFilterFlags[] = {
    {"only", "only", "RE", "keep stacks that have a match"},
    {"drop", "drop", "RE", "remove stacks that have a match"},
    {"hide", "hide", "RE", "remove matching frames; their cost goes to the caller"},
    {"from-frame", "from", "RE", "cut everything above the outermost match"},
    {"until", "until", "RE", "cut everything below the match, which takes the cost"},
    {"module", "module", "NAME", "make one frame of each run of frames of this binary"},
    {"recursion", "recursion", nullptr, "fold direct and mutual recursion"},
    {"tag", "tag", "KEY=RE", "keep samples whose attribute matches"},
    {"tagroot", "tagroot", "KEY", "put the attribute's value above the root"},
    {"tagleaf", "tagleaf", "KEY", "put the attribute's value below the leaf"},
    {"preset", "preset", "ID", nullptr},
};

std::string PresetHelp() {
  std::string help = "a bundle of filters:";
  for (const query::FilterPreset& preset : query::FilterPresets())
    help += fmt::format(" {}", preset.id);
  return help;
}

}  // namespace

struct StackSource::Collected {
  query::StackSetBuilder builder;
  std::string wanted;                   // the sample type; found out by the first batch if empty
  std::vector<std::string> seen_types;  // of all batches, for the error
  bool has_match = false;
  bool has_tags = false;
};

void StackSource::DefineInputs(CLI::App* app, std::vector<std::string>* paths) {
  app->add_option("PATH", *paths, "profiles of any format, added up; - is standard input");
  DefineServer(app);
}

void StackSource::DefineFlags(CLI::App* app) {
  app_ = app;
  app->add_option("--type", sample_type_,
                  "sample type, such as cpu or cpu/nanoseconds (default: the profile's own)");
  for (const FilterFlag& filter : kFilterFlags) {
    const std::string name = fmt::format("--{}", filter.flag);
    CLI::Option* option = nullptr;
    if (filter.argument == nullptr) {
      option = app->add_flag(name, filter.help);
    } else {
      const std::string help = filter.help == nullptr ? PresetHelp() : filter.help;
      option = app->add_option(name, help)
                   ->type_name(filter.argument)
                   ->allow_extra_args(false)
                   ->expected(1)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    option->group("Filters, applied in the order they are given");
  }
  app->add_flag(
      "--scheduler-frames", shows_scheduler_,
      "of waits (off_cpu, wall): show the kernel's frames of system call entry and of the "
      "scheduler");
  AddByteLimit(app, &bytes_max_);
  app->add_option("--progress", progress_, "auto, plain or none")
      ->check(CLI::IsMember({"auto", "plain", "none"}));
}

// The order of the command line is the order of the steps.
int StackSource::ParseFilters(query::Filter* filter) {
  steps_.clear();
  const auto add = [&](const std::string& where, std::string step) {
    if (const absl::Status status = filter->Add(step); !status.ok()) {
      return Report({"cannot use " + where, std::string(base::Message(status)),
                     "the same with the filter mended"},
                    kUsage);
    }
    steps_.push_back(std::move(step));
    return static_cast<int>(kSuccess);
  };
  for (const std::string& step : steps_of_link_) {
    if (const int code = add("the filter of the link", step); code != kSuccess)
      return code;
  }
  std::map<const CLI::Option*, size_t> taken;
  for (const CLI::Option* option : app_->parse_order()) {
    const auto flag = std::ranges::find_if(kFilterFlags, [&](const FilterFlag& candidate) {
      return option->check_lname(candidate.flag);
    });
    if (flag == std::end(kFilterFlags))
      continue;
    std::string step(flag->verb);
    if (flag->argument != nullptr)
      step += ":" + option->results()[taken[option]++];
    if (const int code = add(fmt::format("--{}", flag->flag), std::move(step)); code != kSuccess)
      return code;
  }
  return kSuccess;
}

absl::Status StackSource::Take(const model::Batch& batch, Collected* collected) const {
  const std::vector<model::SampleTypeView> types = model::ListSampleTypes(batch);
  for (const model::SampleTypeView& type : types) {
    std::string name = fmt::format("{}/{}", type.type, type.unit);
    if (std::ranges::find(collected->seen_types, name) == collected->seen_types.end())
      collected->seen_types.push_back(std::move(name));
  }
  if (types.empty())
    return absl::OkStatus();
  const auto type = model::SelectSampleType(batch, collected->wanted);
  if (!type.ok())
    return absl::OkStatus();  // another message may have it
  if (sample_type_.empty())
    collected->wanted = fmt::format("{}/{}", type->type, type->unit);
  collected->has_match = true;
  return collected->builder.Add(batch, *type);
}

int StackSource::ReadFiles(const std::vector<std::string>& paths, Collected* collected) {
  Progress progress(ProgressModeFrom(progress_));
  for (size_t i = 0; i < paths.size(); ++i) {
    progress.Step(fmt::format("reading {} ({} of {})", InputName(paths[i]), i + 1, paths.size()));
    collected->builder.BeginInput();
    auto bytes = base::ReadFile(paths[i], bytes_max_);
    absl::Status status = bytes.status();
    if (bytes.ok()) {
      status = codec::ReadInput(&*bytes, {.bytes_max = bytes_max_}, &warnings_,
                                [&](const model::Batch& batch) { return Take(batch, collected); })
                   .status();
    }
    if (!status.ok()) {
      return Report({"cannot read " + InputName(paths[i]), std::string(base::Message(status)),
                     bytes.ok() ? "flarestack help convert lists the formats" : ""},
                    kFailed);
    }
  }
  return kSuccess;
}

// The server knows which sample types a name stands for, so what it sends is what was meant.
int StackSource::ReadServer(const ServerScope& scope, Collected* collected) {
  Progress progress(ProgressModeFrom(progress_));
  progress.Step("asking " + server_->url());
  // A comparison counts samples, and sums have lost their number.
  auto bytes = server_->Fetch(scope, {.type = sample_type_,
                                      .with_samples = collected->has_tags || is_for_comparison_,
                                      .bytes_max = bytes_max_});
  const std::string what = "no profiles from " + server_->url();
  if (!bytes.ok())
    return ReportApiFailure(what, bytes.status());
  const absl::Status status =
      codec::ReadInput(&*bytes, {.bytes_max = bytes_max_}, &warnings_,
                       [&](const model::Batch& batch) {
                         if (!model::SelectSampleType(batch, collected->wanted).ok())
                           collected->wanted.clear();
                         return Take(batch, collected);
                       })
          .status();
  return status.ok() ? kSuccess : Report({what, std::string(base::Message(status)), ""}, kFailed);
}

std::optional<LoadedStacks> StackSource::Load(const std::vector<std::string>& paths, int* code) {
  *code = RefuseStandardInputTwice(paths);
  if (*code != kSuccess)
    return std::nullopt;
  const absl::StatusOr<bool> is_server_wanted =
      server_.has_value() ? server_->IsWanted(paths) : absl::StatusOr<bool>(false);
  if (!is_server_wanted.ok() || (!*is_server_wanted && paths.empty())) {
    *code = Report({"cannot tell which profiles are meant",
                    is_server_wanted.ok() ? "no file is named, and no server"
                                          : std::string(base::Message(is_server_wanted.status())),
                    "name a file, or a server: --server http://127.0.0.1:4040 -q '{...}'"},
                   kUsage);
    return std::nullopt;
  }
  if (*is_server_wanted && !paths.empty()) {
    const std::optional<PageLink> link = ReadLink(paths[0], code);
    if (!link.has_value())
      return std::nullopt;
    if (link->page == "/diff") {
      *code = Report({"cannot tell which profiles are meant", "the link compares two",
                      "flarestack diff, with the same link"},
                     kUsage);
      return std::nullopt;
    }
    return LoadFromPage(link->state, PageSide::kOwn, code);
  }
  if (*is_server_wanted)
    return LoadFromServer(server_->scope(), code);
  return LoadWith([&](Collected* collected) { return ReadFiles(paths, collected); }, code);
}

std::optional<LoadedStacks> StackSource::LoadFromServer(const ServerScope& scope, int* code) {
  auto loaded = LoadWith([&](Collected* collected) { return ReadServer(scope, collected); }, code);
  if (loaded.has_value())
    loaded->page = PageOf(scope, loaded->set);
  return loaded;
}

// Times are frozen: whoever opens the link later sees what the report told of.
PageLink StackSource::PageOf(const ServerScope& scope, const query::StackSet& set) const {
  PageLink link = {.server = server_->url(), .page = "/explore"};
  std::map<std::string, std::string>& values = link.state.values;
  values["q"] = scope.selector;
  // A comparison may have turned counts into time, which is no type of the server.
  values["type"] = !sample_type_.empty() || is_for_comparison_
                       ? sample_type_
                       : fmt::format("{}:{}", set.type, set.unit);
  if (scope.scratch.empty()) {
    const uint64_t now = base::NowNanos();
    values["from"] = FrozenTime(scope.from, now);
    values["to"] = FrozenTime(scope.to, now);
  } else {
    values["scratch"] = scope.scratch;
  }
  link.state.steps = steps_;
  return link;
}

std::optional<PageLink> StackSource::ReadLink(const std::string& text, int* code) {
  auto link = ParsePageLink(text);
  if (link.ok()) {
    server_->set_url(link->server);
    link = server_->Resolve(*std::move(link));
    if (!link.ok() && !absl::IsInvalidArgument(link.status())) {
      *code = ReportApiFailure("no profiles from " + server_->url(), link.status());
      return std::nullopt;
    }
  }
  if (link.ok())
    return *std::move(link);
  *code = Report({"cannot use the link", std::string(base::Message(link.status())),
                  "a link of the pages Explore or Compare, as the browser has it"},
                 kUsage);
  return std::nullopt;
}

std::optional<LoadedStacks> StackSource::LoadFromPage(const PageState& state, PageSide side,
                                                      int* code) {
  const bool is_baseline = side == PageSide::kBaseline;
  const auto get = [&](const std::string& key) {
    const auto own = state.values.find("b." + key);
    return is_baseline && own != state.values.end() ? own->second : state.Get(key);
  };
  for (const char* key : {"trace", "span", "spanname"}) {
    if (!get(key).empty()) {
      *code = Report({"cannot use the link", "it shows samples of spans, which a report has not",
                      "look at it in a browser"},
                     kUsage);
      return std::nullopt;
    }
  }
  const std::string type_of_flag = sample_type_;
  if (type_of_flag.empty())
    sample_type_ = get("type");
  steps_of_link_ =
      is_baseline && !state.baseline_steps.empty() ? state.baseline_steps : state.steps;
  std::optional<LoadedStacks> loaded = LoadFromServer(
      {.selector = get("q"), .from = get("from"), .to = get("to"), .scratch = get("scratch")},
      code);
  sample_type_ = type_of_flag;
  steps_of_link_.clear();
  return loaded;
}

int StackSource::NoSuchType(const Collected& collected) const {
  if (sample_type_.empty())
    return Report({"nothing to show", "the input holds no profile", ""}, kNothingFound);
  std::string types;
  for (const std::string& type : collected.seen_types)
    types += (types.empty() ? "" : ", ") + type;
  return Report({fmt::format("no sample type \"{}\"", sample_type_),
                 types.empty() ? "the input holds no profile" : "there is " + types,
                 "--type with one of these"},
                kNothingFound);
}

std::optional<LoadedStacks> StackSource::LoadWith(const ReadInto& read, int* code) {
  query::Filter filter;
  *code = ParseFilters(&filter);
  if (*code != kSuccess)
    return std::nullopt;
  std::vector<std::string> tag_keys = filter.TagKeys();
  for (const std::string& key : tag_keys_) {
    if (std::ranges::find(tag_keys, key) == tag_keys.end())
      tag_keys.push_back(key);
  }
  const bool has_tags = !tag_keys.empty();
  Collected collected = {.builder = query::StackSetBuilder({.tag_keys = std::move(tag_keys),
                                                            .in_period_units = is_for_comparison_,
                                                            .by_instance = is_for_comparison_}),
                         .wanted = sample_type_,
                         .seen_types = {},
                         .has_tags = has_tags};
  *code = read(&collected);
  if (*code != kSuccess)
    return std::nullopt;
  PrintWarnings(std::exchange(warnings_, {}));
  if (!collected.has_match) {
    *code = NoSuchType(collected);
    return std::nullopt;
  }
  LoadedStacks loaded = {.set = std::move(collected.builder).Finish()};
  loaded.unfiltered_total = loaded.set.Total();
  const bool folds = !shows_scheduler_ && query::HoldsWaits(loaded.set.type);
  // A link names call paths as the page shows them, with all frames.
  const bool has_paths = std::ranges::any_of(
      steps_, [](const std::string& step) { return step.starts_with("subtree:"); });
  if (folds && !has_paths)
    query::FoldWaitFrames(&loaded.set);
  const bool was_empty = loaded.set.rows.empty();
  if (const absl::Status status = filter.Apply(&loaded.set); !status.ok()) {
    *code = Report({"cannot filter", std::string(base::Message(status)), ""}, kFailed);
    return std::nullopt;
  }
  if (folds && has_paths)
    query::FoldWaitFrames(&loaded.set);
  if (loaded.set.rows.empty()) {
    *code = Report({"nothing to show",
                    was_empty ? "the profile holds no sample" : "no stack is left by the filters",
                    was_empty ? "" : "the same with fewer filters"},
                   kNothingFound);
    return std::nullopt;
  }
  return loaded;
}

std::string LinkOf(const LoadedStacks& stacks, const PageValues& values) {
  if (!stacks.page.has_value())
    return "";
  PageLink link = *stacks.page;
  for (const auto& [key, value] : values)
    link.state.values[key] = value;
  return FormatPageLink(link);
}

int PrintLink(const std::string& link) {
  if (!link.empty()) {
    std::fflush(stdout);  // it stands behind the report, where both are the same terminal
    fmt::print(stderr, "link: {}\n", link);
  }
  return kSuccess;
}

int ShowJson(nlohmann::ordered_json json, const std::string& link) {
  if (!link.empty())
    json["link"] = link;
  Show(JsonText(json));
  return PrintLink(link);
}

nlohmann::ordered_json JsonHead(std::string_view schema, const LoadedStacks& stacks) {
  nlohmann::ordered_json json;
  json["schema"] = schema;
  json["sample_type"] = stacks.set.type;
  json["unit"] = stacks.set.unit;
  json["total"] = stacks.set.Total();
  json["unfiltered_total"] = stacks.unfiltered_total;
  return json;
}

std::string Headline(const LoadedStacks& stacks) {
  const query::StackSet& set = stacks.set;
  const int64_t total = set.Total();
  std::string text = fmt::format("{}: {}", set.type.empty() ? "samples" : set.type,
                                 base::HumanValue(total, set.unit));
  if (total != stacks.unfiltered_total) {
    text += fmt::format(" ({} of {})", base::Percent(total, stacks.unfiltered_total),
                        base::HumanValue(stacks.unfiltered_total, set.unit));
  }
  if (set.duration_nanos > 0 && set.profile_count == 1) {
    text += fmt::format(" in {}",
                        base::HumanValue(static_cast<int64_t>(set.duration_nanos), "nanoseconds"));
  }
  return text;
}

}  // namespace flarestack::cli
