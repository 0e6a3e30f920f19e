// SPDX-License-Identifier: Apache-2.0
#include "cli/input/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/failure.h"
#include "cli/command/usage_error.h"
#include "cli/input/comparison_side.h"
#include "cli/input/inputs.h"

namespace flarestack::cli {
namespace {

using query::Diff;
using query::DiffNorm;

const std::map<std::string, DiffNorm>& NormNames() {
  static const std::map<std::string, DiffNorm> kNames = {{"share", DiffNorm::kShare},
                                                         {"rate", DiffNorm::kRate},
                                                         {"request", DiffNorm::kRequest},
                                                         {"none", DiffNorm::kNone}};
  return kNames;
}

std::vector<std::string> Joined(const std::string& first, const std::vector<std::string>& more) {
  std::vector<std::string> paths = {first};
  paths.insert(paths.end(), more.begin(), more.end());
  return paths;
}

int RejectUsage(const std::string& why) {
  return Report({"invalid profile selection", why,
                 "two files, or --server URL with SERVICE@VERSION or '{...}' twice"},
                kUsage);
}

}  // namespace

void Comparison::DefineFlags(CLI::App* app) {
  const auto more = [&](const char* flag, std::vector<std::string>* paths, const char* help) {
    flags_.push_back(
        app->add_option(flag, *paths, help)->type_name("PATH")->allow_extra_args(false));
  };
  more("--before", &more_before_, "additional profile for the baseline; repeatable");
  more("--after", &more_after_, "additional profile to compare with the baseline; repeatable");
  flags_.push_back(app->add_option("--norm", options_.norm,
                                   "normalization: share, rate, request or none (default share)")
                       ->type_name("NORM")
                       ->transform(OneOf(NormNames())));
  flags_.push_back(app->add_option("--requests-before", options_.requests_before,
                                   "requests served, for --norm request"));
  flags_.push_back(app->add_option("--requests-after", options_.requests_after,
                                   "requests served, for --norm request"));
  const auto time = [&](const char* flag, std::string* to, const char* help) {
    flags_.push_back(app->add_option(flag, *to, help)->type_name("TIME"));
  };
  time("--before-from", &before_from_, "with --server: start time of the baseline, if different");
  time("--before-to", &before_to_, "with --server: end time of the baseline, if different");
}

bool Comparison::is_requested() const {
  return std::ranges::any_of(flags_, [](const CLI::Option* flag) { return flag->count() > 0; });
}

std::optional<Comparison::Pair> Comparison::LoadFiles(const std::string& before,
                                                      const std::string& after, StackSource* source,
                                                      int* code) const {
  if (has_before_range()) {
    *code = RejectUsage("--before-from and --before-to need --server, not files");
    return std::nullopt;
  }
  const std::vector<std::string> before_paths = Joined(before, more_before_);
  const std::vector<std::string> after_paths = Joined(after, more_after_);
  std::vector<std::string> all = before_paths;
  all.insert(all.end(), after_paths.begin(), after_paths.end());
  *code = RejectRepeatedStandardInput(all);
  if (*code != kSuccess)
    return std::nullopt;
  std::optional<LoadedStacks> first = source->Load(before_paths, code);
  if (!first.has_value())
    return std::nullopt;
  std::optional<LoadedStacks> second = source->Load(after_paths, code);
  if (!second.has_value())
    return std::nullopt;
  return Pair(*std::move(first), *std::move(second));
}

std::optional<Comparison::Pair> Comparison::LoadServer(const std::string& before,
                                                       const std::string& after,
                                                       StackSource* source, int* code) const {
  const ServerSource* server = source->server();
  if (server == nullptr || server->url().empty()) {
    *code = RejectUsage(before.empty() ? "neither a file nor --server is given"
                                       : before + " is not a file, and --server is not given");
    return std::nullopt;
  }
  if (!more_before_.empty() || !more_after_.empty()) {
    *code = RejectUsage("--before and --after take files and cannot be combined with --server");
    return std::nullopt;
  }
  if (before.empty() && !has_before_range()) {
    *code = RejectUsage("both sides are the same; set --before-from and --before-to");
    return std::nullopt;
  }
  ServerScope scope = server->scope();
  const ServerScope common = scope;
  scope.selector = SelectorOf(common.selector, before);
  if (!before_from_.empty())
    scope.from = before_from_;
  if (!before_to_.empty())
    scope.to = before_to_;
  std::optional<LoadedStacks> first = source->LoadFromServer(scope, code);
  if (!first.has_value())
    return std::nullopt;
  scope = common;
  scope.selector = SelectorOf(common.selector, after);
  std::optional<LoadedStacks> second = source->LoadFromServer(scope, code);
  if (!second.has_value())
    return std::nullopt;
  return Pair(*std::move(first), *std::move(second));
}

// Loads one link to a comparison page, or one link per side.
std::optional<Comparison::Pair> Comparison::LoadLinks(const std::string& before,
                                                      const std::string& after, StackSource* source,
                                                      int* code) const {
  if (!more_before_.empty() || !more_after_.empty() || has_before_range()) {
    *code = RejectUsage("profiles are given both by flags and by the link");
    return std::nullopt;
  }
  const std::optional<PageLink> link = source->ReadLink(before, code);
  if (!link.has_value())
    return std::nullopt;
  const bool is_one = after.empty();
  if (is_one != (link->page == "/diff")) {
    *code = RejectUsage(is_one ? "the link has only one side"
                               : "the first link already has both sides");
    return std::nullopt;
  }
  using Side = StackSource::PageSide;
  std::optional<LoadedStacks> first =
      source->LoadFromPage(link->state, is_one ? Side::kBaseline : Side::kOwn, code);
  if (!first.has_value())
    return std::nullopt;
  const std::optional<PageLink> other = is_one ? link : source->ReadLink(after, code);
  if (!other.has_value())
    return std::nullopt;
  std::optional<LoadedStacks> second = source->LoadFromPage(other->state, Side::kOwn, code);
  if (!second.has_value())
    return std::nullopt;
  return Pair(*std::move(first), *std::move(second));
}

std::optional<ComparedStacks> Comparison::Load(const std::string& before, const std::string& after,
                                               StackSource* source, int* code) const {
  const bool has_links = source->server() != nullptr && IsPageLink(before);
  const bool is_clear = has_links
                            ? after.empty() || IsPageLink(after)
                            : before.empty() == after.empty() &&
                                  (before.empty() || IsServerSide(before) == IsServerSide(after));
  if (!is_clear) {
    *code = RejectUsage(after.empty() ? "diff needs two profiles"
                                      : "one side is a file and the other is not");
    return std::nullopt;
  }
  source->ForComparison();
  std::optional<Pair> sides = has_links ? LoadLinks(before, after, source, code)
                              : before.empty() || IsServerSide(before)
                                  ? LoadServer(before, after, source, code)
                                  : LoadFiles(before, after, source, code);
  if (!sides.has_value())
    return std::nullopt;
  auto& [first, second] = *sides;
  auto diff = query::Compare(first.set, second.set, options_);
  if (!diff.ok()) {
    const bool is_request = options_.norm == DiffNorm::kRequest;
    *code = Report({"cannot compare the profiles", std::string(base::Message(diff.status())),
                    is_request ? "add --requests-before and --requests-after"
                               : "use another --norm or --type"},
                   kFailed);
    return std::nullopt;
  }
  if (diff->is_unbalanced)
    fmt::print(stderr, "warning: one side has more than four times the samples of the other\n");
  return ComparedStacks{
      .before = std::move(first), .after = std::move(second), .diff = *std::move(diff)};
}

std::string LinkOf(const ComparedStacks& compared, PageValues values) {
  const std::optional<PageLink>& before = compared.before.page;
  if (!before.has_value() || !compared.after.page.has_value() ||
      before->server != compared.after.page->server)
    return "";
  PageLink link = *compared.after.page;
  link.page = "/diff";
  for (const char* key : {"q", "type", "from", "to", "scratch"}) {
    if (const std::string value = before->state.Get(key); value != link.state.Get(key))
      link.state.values[base::StrCat("b.", key)] = value;
  }
  if (before->state.steps != link.state.steps)
    link.state.baseline_steps = before->state.steps;
  values.emplace_back("norm", NormName(compared.diff.norm));
  for (auto& [key, value] : values)
    link.state.values[key] = std::move(value);
  return FormatPageLink(link);
}

std::string NormName(DiffNorm norm) {
  return std::ranges::find(NormNames(), norm, [](const auto& entry) { return entry.second; })
      ->first;
}

std::string SignificanceText(const query::Verdict& verdict) {
  constexpr double kLeast = 0.001;
  const std::string probability = verdict.probability < kLeast
                                      ? fmt::format("p < {}", kLeast)
                                      : fmt::format("p = {:.2g}", verdict.probability);
  return (verdict.is_significant ? "significant, " : "within noise, ") + probability;
}

std::string DiffHeadline(const Diff& diff) {
  const auto side = [&](const query::DiffSide& at) {
    return base::HumanValue(at.total, diff.unit);
  };
  const auto measured = static_cast<double>(diff.after.total) /
                        static_cast<double>(std::max<int64_t>(1, diff.before.total));
  std::string text = fmt::format(
      "{}: {} -> {} ({}, {:+.1f} %; {})", diff.type, side(diff.before), side(diff.after),
      SignedValue(static_cast<double>(diff.after.total) - static_cast<double>(diff.before.total),
                  diff.unit),
      (measured - 1) * 100, SignificanceText(diff.total_verdict));
  text += fmt::format(", {} vs {} samples", base::GroupDigits(diff.before.events),
                      base::GroupDigits(diff.after.events));
  const auto duration = [](uint64_t nanos) {
    return base::HumanValue(static_cast<int64_t>(nanos), "nanoseconds");
  };
  if (diff.before.duration_nanos > 0 && diff.after.duration_nanos > 0) {
    text += fmt::format(", {} vs {}", duration(diff.before.duration_nanos),
                        duration(diff.after.duration_nanos));
  }
  return text;
}

std::string NormText(DiffNorm norm) {
  switch (norm) {
    case DiffNorm::kShare:
      return "compared as shares of the total";
    case DiffNorm::kRate:
      return "compared per second";
    case DiffNorm::kRequest:
      return "compared per request";
    case DiffNorm::kNone:
      return "compared as measured";
  }
  return "";
}

std::string NoiseTestText(const Diff& diff) {
  const uint32_t before = diff.before.instance_count;
  const uint32_t after = diff.after.instance_count;
  if (diff.noise_test == query::NoiseTest::kBootstrap)
    return fmt::format("significance: bootstrap over {} and {} instances", before, after);
  return fmt::format(
      "significance is approximate: {} and {} instances, samples treated as independent", before,
      after);
}

std::string SignedValue(double delta, std::string_view unit) {
  const auto value = static_cast<int64_t>(std::llround(delta));
  return (value > 0 ? "+" : "") + base::HumanValue(value, unit);
}

std::string ChangeText(std::optional<double> ratio) {
  return ratio.has_value() ? fmt::format("{:+.1f} %", (*ratio - 1) * 100) : "new";
}

}  // namespace flarestack::cli
