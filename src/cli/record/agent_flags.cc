// SPDX-License-Identifier: Apache-2.0
#include "cli/record/agent_flags.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/text/text.h"
#include "cli/command/usage_error.h"
#include "cli/flags/byte_limit.h"
#include "cli/flags/event_list.h"
#include "cli/input/symbolize_flags.h"
#include "query/scope/time_expression.h"
#include "symbol/sources/debuginfod.h"

namespace flarestack::cli {
namespace {

constexpr uint32_t kFrequencyMax = 10'000;
constexpr uint64_t kMemoryBudgetMin = uint64_t{1} << 20;

// "1%", "0.5%".
std::optional<double> ParsePercent(std::string_view text) {
  if (!text.ends_with('%'))
    return std::nullopt;
  text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || percent <= 0 || percent > 100)
    return std::nullopt;
  return percent / 100;
}

}  // namespace

void AgentFlags::Define(CLI::App* app, Symbols symbols) {
  app->option_defaults()->group("Recording");
  app->add_option("-F,--frequency", frequency_hz_, "samples per second and CPU")
      ->check(CLI::Range(1u, kFrequencyMax))
      ->capture_default_str();
  app->add_option("-e,--events", events_, "comma-separated: cpu, off_cpu, wall")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(OneOf({"cpu", "off_cpu", "wall"}))
      ->transform(CanonicalEvent)
      ->default_str("cpu,off_cpu");
  app->add_option("--interval", interval_, "export interval of profiles")->capture_default_str();
  app->add_option("--cpu-budget", cpu_budget_,
                  "maximum CPU share used for recording; above it, fewer waits are recorded")
      ->capture_default_str();
  app->add_flag("--goroutines", reads_goroutine_ids_,
                "add goroutine.id to samples of Go programs: one sample per goroutine and stack");
  AddSize(app, "--memory-budget", &memory_budget_,
          "maximum memory for samples not yet exported (default 64 MiB)");
  app->add_option("--source-maps", source_maps_,
                  "directory with source maps of JavaScript, such as app.js.map")
      ->check(CLI::ExistingDirectory);
  app->option_defaults()->group("Which processes");
  app->add_option("-p,--pid", pids_, "record only this process and its child processes; repeatable")
      ->allow_extra_args(false);
  choice_.Define(app);
  app->add_flag("--per-process", is_per_process_,
                "one resource per process (default: one per service, executable and container)");
  app->option_defaults()->group(kFlags);
  if (symbols == Symbols::kOfTheCommand)
    return;
  app->add_option("--symbol-path", symbol_paths_, "directory or file with symbols; repeatable")
      ->allow_extra_args(false);
  app->add_flag("!--no-symbolize", names_frames_,
                "send native frames as addresses, for the server to symbolize");
}

absl::StatusOr<record::agent::AgentOptions> AgentFlags::Read() const {
  record::agent::AgentOptions options;
  options.recorder.frequency_hz = frequency_hz_;
  FLARE_ASSIGN(options.recorder.types, ParseEvents(events_));
  FLARE_ASSIGN(options.recorder.choice, choice_.Read());
  options.recorder.choice.processes.assign(pids_.begin(), pids_.end());
  options.recorder.grouping =
      is_per_process_ ? record::agent::Grouping::kProcess : record::agent::Grouping::kExecutable;
  options.recorder.reads_goroutine_ids = reads_goroutine_ids_;
  const auto interval = query::ParseDuration(interval_);
  if (!interval.ok() || *interval < 100'000'000)
    return absl::InvalidArgumentError(
        base::StrCat("--interval: '", interval_, "' is not a duration of at least 100ms"));
  options.interval =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(*interval));
  const std::optional<double> budget = ParsePercent(cpu_budget_);
  if (!budget)
    return absl::InvalidArgumentError(
        base::StrCat("--cpu-budget: '", cpu_budget_, "' is not a percentage such as 1%"));
  options.cpu_share_max = *budget;
  if (memory_budget_ < kMemoryBudgetMin)
    return absl::InvalidArgumentError("--memory-budget: the minimum is 1 MiB");
  options.recorder.memory_bytes_max = memory_budget_;
  options.recorder.source_map_folder = source_maps_;
  return options;
}

std::optional<record::agent::HostSymbolsOptions> AgentFlags::SymbolOptions() const {
  if (!names_frames_)
    return std::nullopt;
  record::agent::HostSymbolsOptions options;
  options.cache_directory = SymbolCacheDirectory();
  options.symbol_paths = symbol_paths_;
  if (const char* const urls = std::getenv("DEBUGINFOD_URLS"); urls != nullptr)
    options.debuginfod_urls = symbol::ParseDebuginfodUrls(urls);
  if (!options.cache_directory.empty())
    options.download_directory = options.cache_directory + "/downloads";
  return options;
}

}  // namespace flarestack::cli
