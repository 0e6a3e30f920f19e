// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stack_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/failure.h"
#include "cli/command/usage_error.h"
#include "cli/flags/byte_limit.h"
#include "cli/input/api_client.h"
#include "cli/input/inputs.h"
#include "cli/output/report_format.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "codec/pprof/message/mapping_keys.h"
#include "model/sample_type.h"
#include "query/stacks/stack_set_builder.h"
#include "query/stacks/tag_keys.h"
#include "query/stacks/wait_frames.h"

namespace flarestack::cli {
namespace {

// Uses the drop_frames of the first profile that has them, as pprof does when it merges several.
void TakeUninteresting(const model::Batch& batch, query::UninterestingFrames* frames) {
  const model::Dictionary& tables = batch.dictionary;
  for (const model::Profile& profile : batch.profiles) {
    for (const model::AttributeIndex index :
         model::In(tables.attribute_indices, profile.attributes)) {
      const model::Attribute& attribute = tables.attributes[index.value];
      const std::string_view key = tables.Text(attribute.key);
      if (!tables.IsString(attribute.value))
        continue;
      if (key == codec::pprof::kDropFramesKey)
        frames->drop = tables.String(attribute.value);
      if (key == codec::pprof::kKeepFramesKey)
        frames->keep = tables.String(attribute.value);
    }
    if (!frames->drop.empty())
      return;
    frames->keep.clear();
  }
}

}  // namespace

struct StackSource::Collected {
  query::StackSetBuilder builder;
  std::string wanted;                   // the sample type; if empty, the first batch decides
  std::vector<std::string> seen_types;  // of all batches, for the error message
  bool has_match = false;
  bool has_tags = false;
  query::UninterestingFrames uninteresting = {};
  std::set<std::string> tag_keys = {};
};

void StackSource::DefineInputs(CLI::App* app, std::vector<std::string>* paths) {
  app->add_option("PATH", *paths, "profiles in any format, merged; - reads standard input");
  DefineServer(app);
}

void StackSource::DefineFlags(CLI::App* app) {
  app->add_option("--type,--sample-index,--sample_index", sample_type_,
                  "sample type, such as cpu or cpu/nanoseconds (default: from the profile)");
  filters_.Define(app, FilterUse::kReport);
  app->add_flag("--scheduler-frames", shows_scheduler_,
                "for waits (off_cpu, wall): show kernel frames of system call entry and scheduler");
  app->add_flag("--all-frames", shows_all_,
                "ignore drop_frames of pprof: show the frames it hides");
  app->add_flag("-v,--full-names", has_full_names_, "do not shorten names to the terminal width");
  AddByteLimit(app, &bytes_max_);
  app->add_option("--progress", progress_, "auto, plain or none")
      ->check(OneOf({"auto", "plain", "none"}));
}

size_t StackSource::TextWidth() const { return has_full_names_ ? 0 : TerminalWidth(); }

int StackSource::ParseFilters(query::Filter* filter) {
  steps_.clear();
  for (const std::string& step : steps_of_link_) {
    const int code = AddFilterStep("the filter of the link", step, filter, &steps_);
    if (code != kSuccess)
      return code;
  }
  return filters_.Parse(filter, &steps_);
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
  if (wants_tag_keys_)
    query::ListTagKeys(batch, *type, &collected->tag_keys);
  return collected->builder.Add(batch, *type);
}

int StackSource::ReadFiles(const std::vector<std::string>& paths, Collected* collected) {
  Progress progress(ProgressModeFrom(progress_));
  const codec::InputLimits limits =
      LimitsOf(bytes_max_, server_.has_value() ? server_->format_of_files() : "");
  for (size_t i = 0; i < paths.size(); ++i) {
    progress.Step(fmt::format("reading {} ({} of {})", InputName(paths[i]), i + 1, paths.size()));
    collected->builder.BeginInput();
    auto bytes = base::ReadFile(paths[i], bytes_max_);
    absl::Status status = bytes.status();
    if (bytes.ok()) {
      status = codec::ReadInput(&*bytes, limits, &warnings_, [&](const model::Batch& batch) {
                 if (collected->uninteresting.drop.empty())
                   TakeUninteresting(batch, &collected->uninteresting);
                 return Take(batch, collected);
               }).status();
    }
    if (!status.ok()) {
      return Report({"cannot read " + InputName(paths[i]), std::string(base::Message(status)),
                     bytes.ok() ? "flarestack help convert lists the formats" : ""},
                    kFailed);
    }
  }
  return kSuccess;
}

// The server resolves the name of the sample type, so accept the types that it sends.
int StackSource::ReadServer(const ServerScope& scope, Collected* collected) {
  Progress progress(ProgressModeFrom(progress_));
  progress.Step("asking " + server_->url());
  // A comparison needs the number of samples, which sums do not have.
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
  *code = RejectRepeatedStandardInput(paths);
  if (*code != kSuccess)
    return std::nullopt;
  const absl::StatusOr<bool> is_server_wanted =
      server_.has_value() ? server_->IsWanted(paths) : absl::StatusOr<bool>(false);
  if (!is_server_wanted.ok() || (!*is_server_wanted && paths.empty())) {
    *code = Report({"invalid profile selection",
                    is_server_wanted.ok() ? "neither a file nor --server is given"
                                          : std::string(base::Message(is_server_wanted.status())),
                    "give a file, or a server: --server http://127.0.0.1:4040 -q '{...}'"},
                   kUsage);
    return std::nullopt;
  }
  if (*is_server_wanted && !paths.empty()) {
    const std::optional<PageLink> link = ReadLink(paths[0], code);
    if (!link.has_value())
      return std::nullopt;
    if (link->page == "/diff") {
      *code = Report({"invalid profile selection", "the link compares two profiles",
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

// Uses absolute times, so that the link shows the same data later.
PageLink StackSource::PageOf(const ServerScope& scope, const query::StackSet& set) const {
  PageLink link = {.server = server_->url(), .page = "/explore"};
  std::map<std::string, std::string>& values = link.state.values;
  values["q"] = scope.selector;
  // A comparison may have converted counts to time, a type that the server does not have.
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
  *code = Report({"invalid link", std::string(base::Message(link.status())),
                  "copy the link of an Explore or Compare page from the browser"},
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
      *code = Report({"invalid link", "it shows span profiles, which reports do not support",
                      "open it in a browser"},
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
    return Report({"nothing to show", "the input has no profile", ""}, kNothingFound);
  std::string types;
  for (const std::string& type : collected.seen_types)
    types += (types.empty() ? "" : ", ") + type;
  return Report({fmt::format("no sample type \"{}\"", sample_type_),
                 types.empty() ? "the input has no profile" : "available: " + types,
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
  const bool has_tags = !tag_keys.empty() || keeps_all_tags_;
  Collected collected = {.builder = query::StackSetBuilder({.tag_keys = std::move(tag_keys),
                                                            .keeps_all_tags = keeps_all_tags_,
                                                            .in_period_units = is_for_comparison_,
                                                            .by_instance = is_for_comparison_,
                                                            .keeps_places = wants_places_}),
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
  LoadedStacks loaded = {.set = std::move(collected.builder).Finish(),
                         .tag_keys = {collected.tag_keys.begin(), collected.tag_keys.end()}};
  loaded.unfiltered_total = loaded.set.Total();
  const bool was_empty = loaded.set.rows.empty();
  if (const absl::Status status = EditStacks(collected.uninteresting, filter, &loaded);
      !status.ok()) {
    *code = Report({"cannot filter", std::string(base::Message(status)), ""}, kFailed);
    return std::nullopt;
  }
  if (loaded.set.rows.empty() && !was_empty) {
    *code = Report({"nothing to show", "the filters removed all stacks", "use fewer filters"},
                   kNothingFound);
    return std::nullopt;
  }
  return loaded;
}

// First drops uninteresting frames, as pprof does, then folds wait frames, then applies the
// filters.
absl::Status StackSource::EditStacks(const query::UninterestingFrames& uninteresting,
                                     const query::Filter& filter, LoadedStacks* loaded) {
  query::StackSet* const set = &loaded->set;
  if (!shows_all_) {
    if (const absl::Status status = query::PruneFrames(uninteresting, set); !status.ok())
      fmt::print(stderr, "warning: ignoring drop_frames of the profile: {}\n",
                 base::Message(status));
  }
  const bool folds = !shows_scheduler_ && query::HoldsWaits(set->type);
  // Call paths in a link contain all frames, as on the page, so fold after filtering.
  const bool has_paths = std::ranges::any_of(
      steps_, [](const std::string& step) { return step.starts_with("subtree:"); });
  if (folds && !has_paths)
    query::FoldWaitFrames(set);
  FLARE_RETURN_IF_ERROR(filter.Apply(set));
  if (folds && has_paths)
    query::FoldWaitFrames(set);
  return absl::OkStatus();
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
    std::fflush(stdout);  // on a shared terminal, the link must follow the report
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
  if (set.rows.empty())
    return fmt::format("{}: no samples", set.type.empty() ? "samples" : set.type);
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
