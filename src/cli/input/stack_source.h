// SPDX-License-Identifier: Apache-2.0
//
// What the reports have in common: which profiles, which sample type, which filters. It defines the
// flags, reads the inputs one after the other and hands on the stacks.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/warnings.h"
#include "cli/command/exit_code.h"
#include "cli/flags/filter_flags.h"
#include "cli/input/page_link.h"
#include "cli/input/server_source.h"
#include "codec/input.h"
#include "model/batch.h"
#include "query/stacks/filter.h"
#include "query/stacks/prune_frames.h"
#include "query/stacks/stack_set.h"

namespace flarestack::cli {

struct LoadedStacks {
  query::StackSet set;           // after the filters; without rows where the profile has no sample
  int64_t unfiltered_total = 0;  // before them
  std::vector<std::string> tag_keys = {};  // all that the profiles have; filled by WithTagKeys
  std::optional<PageLink> page;            // that shows the same, of a server
};

using PageValues = std::vector<std::pair<std::string, std::string>>;

// The address of the page that shows the stacks, with what the report adds to it, such as
// {{"view", "table"}}. Empty where they come from files.
std::string LinkOf(const LoadedStacks& stacks, const PageValues& values);

// "link: ..." on standard error, behind the report; nothing for an empty one. Answers kSuccess.
int PrintLink(const std::string& link);

class StackSource {
 public:
  // The paths themselves are the command's own.
  void DefineFlags(CLI::App* app);

  // For commands that look at one set of profiles: the option for the paths, or a server that is
  // asked instead.
  void DefineInputs(CLI::App* app, std::vector<std::string>* paths);

  // A server alone, for commands whose paths are not a list.
  void DefineServer(CLI::App* app) { server_.emplace().DefineFlags(app); }
  const ServerSource* server() const { return server_.has_value() ? &*server_ : nullptr; }

  // An attribute that the report needs beside those of the filters.
  void KeepTag(const std::string& key) { tag_keys_.push_back(key); }

  // All attributes, for a report on them.
  void KeepAllTags() { keeps_all_tags_ = true; }

  // The report wants to know which attributes there are.
  void WithTagKeys() { wants_tag_keys_ = true; }

  // ... or where functions begin, and which programs have them.
  void WithPlaces() { wants_places_ = true; }

  // For comparisons: counts in the unit of the period, and instances told apart. See
  // query::StackSetOptions.
  void ForComparison() { is_for_comparison_ = true; }

  // Columns that text has; 0 where names are to be shown in full.
  size_t TextWidth() const;

  // Files, or the link of a page that is pasted whole, or what the flags ask a server for. Nothing
  // after an error was reported; `code` is then the exit status.
  std::optional<LoadedStacks> Load(const std::vector<std::string>& paths, int* code);

  // Of the server, whatever the flags say of its scope.
  std::optional<LoadedStacks> LoadFromServer(const ServerScope& scope, int* code);

  // The link that was pasted, with the server set to where it leads. Nothing after an error was
  // reported.
  std::optional<PageLink> ReadLink(const std::string& text, int* code);

  // What a page with this state shows. Of a baseline ("b.q"), what it does not say is as on the
  // other side.
  enum class PageSide { kOwn, kBaseline };
  std::optional<LoadedStacks> LoadFromPage(const PageState& state, PageSide side, int* code);

 private:
  struct Collected;
  using ReadInto = std::function<int(Collected* collected)>;

  // Filters what `read` collects.
  std::optional<LoadedStacks> LoadWith(const ReadInto& read, int* code);
  int NoSuchType(const Collected& collected) const;
  absl::Status EditStacks(const query::UninterestingFrames& uninteresting,
                          const query::Filter& filter, LoadedStacks* loaded);

  // Those of a link first, then those of the flags.
  int ParseFilters(query::Filter* filter);
  PageLink PageOf(const ServerScope& scope, const query::StackSet& set) const;
  absl::Status Take(const model::Batch& batch, Collected* collected) const;
  int ReadFiles(const std::vector<std::string>& paths, Collected* collected);
  int ReadServer(const ServerScope& scope, Collected* collected);

  FilterFlags filters_;
  std::optional<ServerSource> server_;  // where a command takes one
  bool is_for_comparison_ = false;
  std::vector<std::string> tag_keys_;
  std::string sample_type_;
  std::vector<std::string> steps_of_link_;
  std::vector<std::string> steps_;  // of all filters that were applied
  bool wants_tag_keys_ = false;
  bool wants_places_ = false;
  bool keeps_all_tags_ = false;
  bool shows_scheduler_ = false;
  bool shows_all_ = false;
  bool has_full_names_ = false;
  std::string progress_ = "auto";
  uint64_t bytes_max_ = codec::InputLimits{}.bytes_max;
  base::Warnings warnings_;
};

// Prints the report as JSON, with the link as its last field.
int ShowJson(nlohmann::ordered_json json, const std::string& link);

// What the JSON of every report begins with: schema, sample type, unit and totals.
nlohmann::ordered_json JsonHead(std::string_view schema, const LoadedStacks& stacks);

// "cpu, 1.20 s of 3.40 s" for the first line of a report.
std::string Headline(const LoadedStacks& stacks);

}  // namespace flarestack::cli
