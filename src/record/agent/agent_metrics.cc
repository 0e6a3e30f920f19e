// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent_metrics.h"

#include <utility>

#include "record/agent/location_writer.h"

namespace flarestack::record::agent {
namespace {

class Metrics {
 public:
  template <typename Number>
  void Counter(std::string_view name, std::string_view unit, std::string_view help, Number value) {
    Add(name, unit, help, true).points.push_back({.value = static_cast<double>(value)});
  }
  template <typename Number>
  void Gauge(std::string_view name, std::string_view unit, std::string_view help, Number value) {
    Add(name, unit, help, false).points.push_back({.value = static_cast<double>(value)});
  }
  // The caller adds its points.
  AgentMetric& CounterBy(std::string_view label, std::string_view name, std::string_view unit,
                         std::string_view help) {
    AgentMetric& metric = Add(name, unit, help, true);
    metric.label = label;
    return metric;
  }
  std::vector<AgentMetric> Take() && { return std::move(metrics_); }

 private:
  AgentMetric& Add(std::string_view name, std::string_view unit, std::string_view help,
                   bool is_counter) {
    return metrics_.emplace_back(
        AgentMetric{.name = name, .help = help, .unit = unit, .is_counter = is_counter});
  }

  std::vector<AgentMetric> metrics_;
};

void AddRecorder(const RecorderStats& stats, Metrics* metrics) {
  metrics->Counter("samples", "{sample}", "Samples on a processor.", stats.samples);
  metrics->Counter("waits", "{wait}", "Threads that left their processor.", stats.waits);
  metrics->Counter("waits_recorded", "{wait}", "Of these, with their stack.", stats.waits_recorded);
  metrics->Counter("samples_lost", "{sample}", "Samples that found no room.", stats.lost);
  metrics->Counter("waits_lost", "{wait}", "Waits, or their ends, that found no room.",
                   stats.lost_waits);
  metrics->Counter("walked_after_the_fact", "{stack}",
                   "Stacks that were copied, because their tables were not there yet.",
                   stats.walked_by_us);
  AgentMetric& truncated = metrics->CounterBy("reason", "truncated", "{stack}",
                                              "Stacks that the kernel's side left, by reason.");
  for (size_t end = 0; end < stats.ends.size(); ++end) {
    if (const std::string_view why = ToText(static_cast<bpf::unwind_end>(end)); !why.empty())
      truncated.points.push_back(
          {.value = static_cast<double>(stats.ends[end]), .label_value = std::string(why)});
  }
  metrics->Gauge("processes", "{process}", "Processes that are known.", stats.processes);
  metrics->Counter("processes_taken", "{process}", "Processes with samples, of each batch.",
                   stats.processes_taken);
  metrics->Counter("resources_taken", "{resource}", "Resources into which they were grouped.",
                   stats.resources_taken);
  metrics->Counter("processes_merged", "{process}",
                   "Of these processes, those in the service \"other\" for want of room.",
                   stats.processes_merged);
  metrics->Gauge("files", "{file}", "Files with code that are mapped.", stats.files);
  metrics->Gauge("mappings_left_out", "{mapping}",
                 "Mappings without room in the kernel's tables: a process has at most 2048 there.",
                 stats.mappings_left_out);
  metrics->Counter("pages_loaded", "{page}", "Pages of unwind tables that were made.",
                   stats.pages_loaded);
  metrics->Gauge("kernel_table_bytes", "By", "Memory of tables and rings in the kernel.",
                 stats.table_bytes);
  AgentMetric& programs =
      metrics->CounterBy("program", "program_seconds", "s", "Time of our programs in the kernel.");
  for (const ProgramCost& cost : stats.costs)
    programs.points.push_back(
        {.value = static_cast<double>(cost.run_ns) / 1e9, .label_value = cost.name});
}

void AddExporter(const exporting::ExporterStats& stats, Metrics* metrics) {
  metrics->Counter("requests_offered", "{request}", "Requests that were to be sent.",
                   stats.offered);
  metrics->Counter("requests_sent", "{request}", "Requests that the server took.", stats.sent);
  metrics->Counter("sent_bytes", "By", "Bytes of these, before compression.", stats.sent_bytes);
  metrics->Counter("retries", "{try}", "Tries that failed and are repeated.", stats.retries);
  metrics->Counter("requests_refused", "{request}", "Requests that the server will never take.",
                   stats.refused);
  metrics->Counter("profiles_rejected", "{profile}", "Profiles that the server left out.",
                   stats.rejected_profiles);
}

}  // namespace

std::vector<AgentMetric> AgentMetrics(const AgentStats& agent,
                                      const exporting::ExporterStats* exporter) {
  Metrics metrics;
  AddRecorder(agent.recorder, &metrics);
  metrics.Gauge("cpu_share", "1", "Of each processor, what recording took lately.",
                agent.governor.cpu_share);
  metrics.Gauge("wait_unit_seconds", "s", "A wait of this length is always recorded.",
                static_cast<double>(agent.governor.wait_unit_ns) / 1e9);
  metrics.Counter("throttled", "{step}", "So often less was recorded to stay within the budget.",
                  agent.governor.steps_down);
  metrics.Counter("batches", "{batch}", "Batches of profiles that were handed on.", agent.batches);
  metrics.Counter("batches_dropped", "{batch}",
                  "Batches that were not, because those before them took too long.",
                  agent.dropped_batches);
  metrics.Counter("frames_named", "{frame}", "Native frames that got a name here.",
                  agent.named_frames);
  metrics.Counter("frames_unnamed", "{frame}", "Native frames that got none.",
                  agent.unnamed_frames);
  if (exporter != nullptr)
    AddExporter(*exporter, &metrics);
  return std::move(metrics).Take();
}

}  // namespace flarestack::record::agent
