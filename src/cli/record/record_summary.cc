// SPDX-License-Identifier: Apache-2.0
#include "cli/record/record_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/human_value.h"
#include "cli/output/top_text.h"
#include "cli/terminal/terminal.h"
#include "model/sample_type.h"
#include "query/reports/top.h"
#include "query/stacks/filter.h"
#include "query/stacks/stack_set_builder.h"
#include "query/stacks/wait_frames.h"

namespace flarestack::cli {
namespace {

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

// The line above the tables already reports lost samples.
bool HasTable(const model::SampleTypeView& type) {
  return type.type != "samples" && type.type != "lost_samples";
}

std::string TableOf(const model::Batch& batch, const model::SampleTypeView& type, size_t rows_max) {
  query::StackSetBuilder builder({});
  if (!builder.Add(batch, type).ok())
    return "";
  query::StackSet set = std::move(builder).Finish();
  query::HideInternalFrames(&set);
  if (query::HoldsWaits(set.type))
    query::FoldWaitFrames(&set);
  const std::vector<query::TopRow> rows = query::Top(set, query::TopOrder::kSelf);
  return TopText(fmt::format("{}: {}", set.type, base::HumanValue(set.Total(), set.unit)), set,
                 rows, {.rows = std::min(rows_max, rows.size()), .width = TerminalWidth()});
}

}  // namespace

std::string SecondsText(std::chrono::steady_clock::duration duration) {
  return fmt::format("{:.1f}s", std::chrono::duration<double>(duration).count());
}

std::string RecordedText(const std::string& what, std::chrono::steady_clock::duration took,
                         const record::agent::RecorderStats& stats) {
  const uint64_t walked = stats.samples + stats.waits_recorded;
  const uint64_t lost = stats.lost + stats.lost_waits;
  std::string text =
      fmt::format("recorded {} in {}: {} samples", Printable(what), SecondsText(took), walked);
  if (stats.walked_by_us > 0)
    text += fmt::format(" ({} unwound offline)", stats.walked_by_us);
  if (lost > 0)
    text += fmt::format(", {} lost", lost);
  if (stats.mappings_left_out > 0)
    text += fmt::format("; {} mappings did not fit the kernel tables", stats.mappings_left_out);
  if (stats.language_frames_unnamed > 0) {
    text += fmt::format("; {} of {} language frames have no name", stats.language_frames_unnamed,
                        stats.language_frames);
  }
  if (const uint64_t missed = stats.own_stops.missed(); missed > 0) {
    text += fmt::format("; {} of {} samples of interpreters have native frames only", missed,
                        missed + stats.own_stops.walked);
  }
  if (stats.lacks_goroutines)
    text += "\nno labels of Go programs: this kernel rejects the program that reads them";
  for (const std::string& problem : stats.runtime_problems)
    text += fmt::format("\nno names of functions: {}", Printable(problem));
  return text;
}

std::string MissedText(const record::agent::RecorderStats& stats, uint32_t frequency_hz) {
  if (stats.own_time_ns == 0)
    return "";
  const auto time = [](uint64_t ns) {
    return base::HumanValue(static_cast<int64_t>(ns), "nanoseconds");
  };
  const uint64_t seen_ns =
      std::min(stats.own_time_ns, stats.samples * (kNanosecondsPerSecond / frequency_hz));
  const uint64_t blind_ns =
      stats.short_period_ns != 0 ? stats.short_period_ns : kNanosecondsPerSecond / frequency_hz;
  return fmt::format(
      "samples cover {} of {} CPU time; the rest was kernel time, or threads that ran for less "
      "than {}",
      time(seen_ns), time(stats.own_time_ns), time(blind_ns));
}

std::string RecordedTables(const model::Batch& batch, size_t rows_max) {
  std::string text;
  for (const model::SampleTypeView& type : model::ListSampleTypes(batch)) {
    if (!HasTable(type))
      continue;
    const std::string table = TableOf(batch, type, rows_max);
    if (!text.empty() && !table.empty())
      text += "\n";
    text += table;
  }
  return text;
}

}  // namespace flarestack::cli
