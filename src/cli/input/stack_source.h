// SPDX-License-Identifier: Apache-2.0
//
// Common part of the reports: selects profiles, sample type and filters. Defines the flags, reads
// the inputs one after another and returns the stacks.
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
#include "codec/input_collector.h"
#include "model/batch.h"
#include "query/stacks/filter.h"
#include "query/stacks/prune_frames.h"
#include "query/stacks/stack_set.h"

namespace flarestack::cli {

struct LoadedStacks {
  query::StackSet set;           // after filtering; has no rows if the profile has no samples
  int64_t unfiltered_total = 0;  // before filtering
  std::vector<std::string> tag_keys = {};  // all keys in the profiles; only set with WithTagKeys
  std::optional<PageLink> page;            // the server page with the same data
};

using PageValues = std::vector<std::pair<std::string, std::string>>;

// URL of the page that shows the stacks, plus the report's own values, such as {{"view", "table"}}.
// Empty if the stacks come from files.
std::string LinkOf(const LoadedStacks& stacks, const PageValues& values);

// Prints "link: ..." to standard error after the report, unless the link is empty. Returns
// kSuccess.
int PrintLink(const std::string& link);

class StackSource {
 public:
  // The command itself defines the paths.
  void DefineFlags(CLI::App* app);

  // For commands that read one set of profiles: defines the paths, and a server as the alternative.
  void DefineInputs(CLI::App* app, std::vector<std::string>* paths);

  // Defines only the server, for commands whose paths are not a list.
  void DefineServer(CLI::App* app) { server_.emplace().DefineFlags(app); }
  const ServerSource* server() const { return server_.has_value() ? &*server_ : nullptr; }

  // Keeps an attribute that the report needs in addition to those of the filters.
  void KeepTag(const std::string& key) { tag_keys_.push_back(key); }

  // Keeps all attributes.
  void KeepAllTags() { keeps_all_tags_ = true; }

  // Collects the keys of all attributes.
  void WithTagKeys() { wants_tag_keys_ = true; }

  // Collects the start lines of functions and the build ids of their modules.
  void WithPlaces() { wants_places_ = true; }

  // For comparisons: converts counts to the unit of the period, and keeps instances separate. See
  // query::StackSetOptions.
  void ForComparison() { is_for_comparison_ = true; }

  // Width of text in columns; 0: show full names.
  size_t TextWidth() const;

  // Loads files, a pasted page link, or the server query given by the flags. On error, reports it,
  // sets `code` to the exit code and returns nullopt.
  std::optional<LoadedStacks> Load(const std::vector<std::string>& paths, int* code);

  // Loads from the server and ignores the scope given by the flags.
  std::optional<LoadedStacks> LoadFromServer(const ServerScope& scope, int* code);

  // Parses a pasted link and sets the server to its address. Returns nullopt after reporting an
  // error.
  std::optional<PageLink> ReadLink(const std::string& text, int* code);

  // Loads the data that a page with this state shows. A baseline ("b.q") takes missing values from
  // the other side.
  enum class PageSide { kOwn, kBaseline };
  std::optional<LoadedStacks> LoadFromPage(const PageState& state, PageSide side, int* code);

 private:
  struct Collected;
  using ReadInto = std::function<int(Collected* collected)>;

  // Filters the stacks that `read` collects.
  std::optional<LoadedStacks> LoadWith(const ReadInto& read, int* code);
  int NoSuchType(const Collected& collected) const;
  absl::Status EditStacks(const query::UninterestingFrames& uninteresting,
                          const query::Filter& filter, LoadedStacks* loaded);

  // Filters of a link come before those of the flags.
  int ParseFilters(query::Filter* filter);
  PageLink PageOf(const ServerScope& scope, const query::StackSet& set) const;
  absl::Status Take(const model::Batch& batch, Collected* collected) const;
  int ReadFiles(const std::vector<std::string>& paths, Collected* collected);
  int ReadServer(const ServerScope& scope, Collected* collected);

  FilterFlags filters_;
  std::optional<ServerSource> server_;  // set if the command supports a server
  bool is_for_comparison_ = false;
  std::vector<std::string> tag_keys_;
  std::string sample_type_;
  std::vector<std::string> steps_of_link_;
  std::vector<std::string> steps_;  // of all applied filters
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

// The common head of all JSON reports: schema, sample type, unit and totals.
nlohmann::ordered_json JsonHead(std::string_view schema, const LoadedStacks& stacks);

// "cpu, 1.20 s of 3.40 s" for the first line of a report.
std::string Headline(const LoadedStacks& stacks);

}  // namespace flarestack::cli
