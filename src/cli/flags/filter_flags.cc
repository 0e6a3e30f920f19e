// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/filter_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "cli/command/failure.h"

namespace flarestack::cli {
namespace {

struct FilterFlag {
  const char* flag;     // without dashes
  const char* aliases;  // with dashes; may be empty
  std::string_view verb;
  const char* argument;  // null for a switch
  const char* help;
  std::optional<FilterUse> use = {};  // unset: both
};

constexpr FilterFlag kFilterFlags[] = {
    {"only", ",--focus", "only", "RE", "keep stacks matching"},
    {"drop", ",--ignore", "drop", "RE", "remove stacks matching"},
    {"hide", "", "hide", "RE", "hide matching frames (merge into caller)"},
    {"frame-type", "", "type", "RE",
     "keep only frames of matching types, such as cpython (merge others into caller)"},
    {"hide-frame-type", "", "hidetype", "RE",
     "hide frames of matching types, such as kernel (merge into caller)"},
    {"from-frame", ",--show-from,--show_from", "from", "RE", "start stacks at the outermost match"},
    {"until", ",--prune-from,--prune_from", "until", "RE",
     "end stacks at the match, which takes the cost"},
    {"module", "", "module", "NAME", "collapse consecutive frames of this binary into one"},
    {"recursion", "", "recursion", nullptr, "fold direct and mutual recursion"},
    {"tag", ",--tagfocus", "tag", "KEY=RE",
     "keep samples whose attribute matches; KEY!=RE: does not; KEY=4kb:64kb: a range"},
    {"tagignore", "", "tagignore", "KEY=RE", "remove samples whose attribute matches"},
    {"tagroot", "", "tagroot", "KEY", "put the attribute's value above the root"},
    {"tagleaf", "", "tagleaf", "KEY", "put the attribute's value below the leaf"},
    {"internals", "", "internals", nullptr,
     "show interpreter frames, which reports merge into their callers", FilterUse::kReport},
    {"hide-internals", "", "hideinternals", nullptr,
     "hide interpreter frames, as reports do (merge into caller)", FilterUse::kFile},
    {"preset", "", "preset", "ID", nullptr},
};

std::string PresetHelp() {
  std::string help = "a predefined set of filters:";
  for (const query::FilterPreset& preset : query::FilterPresets())
    help += fmt::format(" {}", preset.id);
  return help;
}

const FilterFlag* FindFlag(const CLI::Option& option) {
  const auto flag = std::ranges::find_if(kFilterFlags, [&](const FilterFlag& candidate) {
    return option.check_lname(candidate.flag);
  });
  return flag == std::end(kFilterFlags) ? nullptr : flag;
}

}  // namespace

void FilterFlags::Define(CLI::App* app, FilterUse use) {
  app_ = app;
  for (const FilterFlag& filter : kFilterFlags) {
    if (filter.use.value_or(use) != use)
      continue;
    const std::string name = fmt::format("--{}{}", filter.flag, filter.aliases);
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
    option->group("Filters, applied in the given order");
  }
}

bool FilterFlags::empty() const {
  return std::ranges::none_of(
      app_->parse_order(), [](const CLI::Option* option) { return FindFlag(*option) != nullptr; });
}

// Steps are applied in command-line order.
int FilterFlags::Parse(query::Filter* filter, std::vector<std::string>* steps) const {
  std::map<const CLI::Option*, size_t> taken;
  for (const CLI::Option* option : app_->parse_order()) {
    const FilterFlag* flag = FindFlag(*option);
    if (flag == nullptr)
      continue;
    std::string step(flag->verb);
    if (flag->argument != nullptr)
      step += ":" + option->results()[taken[option]++];
    const int code = AddFilterStep(fmt::format("--{}", flag->flag), std::move(step), filter, steps);
    if (code != kSuccess)
      return code;
  }
  return kSuccess;
}

int AddFilterStep(const std::string& where, std::string step, query::Filter* filter,
                  std::vector<std::string>* steps) {
  if (const absl::Status status = filter->Add(step); !status.ok()) {
    return Report(
        {"cannot use " + where, std::string(base::Message(status)), "fix the filter and retry"},
        kUsage);
  }
  steps->push_back(std::move(step));
  return kSuccess;
}

}  // namespace flarestack::cli
