// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent_metrics.h"

#include <utility>

#include "record/trace/location_writer.h"

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
  // Adds a counter without points; the caller adds them.
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
  metrics->Counter("samples", "{sample}", "On-CPU samples.", stats.samples);
  metrics->Counter("waits", "{wait}", "Context switches off the CPU.", stats.waits);
  metrics->Counter("waits_recorded", "{wait}", "Context switches recorded with a stack.",
                   stats.waits_recorded);
  metrics->Counter("samples_lost", "{sample}", "Samples dropped because the ring was full.",
                   stats.lost);
  metrics->Counter("waits_lost", "{wait}", "Waits or wake-ups dropped because the ring was full.",
                   stats.lost_waits);
  metrics->Counter("walked_after_the_fact", "{stack}",
                   "Stacks copied to user space because their unwind tables were not loaded yet.",
                   stats.walked_by_us);
  AgentMetric& truncated = metrics->CounterBy("reason", "truncated", "{stack}",
                                              "Stacks truncated in the kernel, by reason.");
  for (size_t end = 0; end < stats.ends.size(); ++end) {
    if (const std::string_view why = ToText(static_cast<bpf::unwind_end>(end)); !why.empty())
      truncated.points.push_back(
          {.value = static_cast<double>(stats.ends[end]), .label_value = std::string(why)});
  }
  metrics->Gauge("processes", "{process}", "Known processes.", stats.processes);
  metrics->Counter("processes_taken", "{process}", "Processes with samples, per batch.",
                   stats.processes_taken);
  metrics->Counter("resources_taken", "{resource}", "Resources the processes were grouped into.",
                   stats.resources_taken);
  metrics->Counter("processes_merged", "{process}",
                   "Processes grouped into the service \"other\" at the limit.",
                   stats.processes_merged);
  metrics->Gauge("files", "{file}", "Mapped files with code.", stats.files);
  metrics->Gauge("mappings_left_out", "{mapping}",
                 "Mappings that did not fit the kernel tables (maximum 2048 per process).",
                 stats.mappings_left_out);
  metrics->Counter("pages_loaded", "{page}", "Unwind table pages built.", stats.pages_loaded);
  metrics->Gauge("kernel_table_bytes", "By", "Memory of kernel tables and rings.",
                 stats.table_bytes);
  metrics->Counter("language_frames", "{frame}",
                   "Frames of language runtimes such as Python, in stacks read from the kernel.",
                   stats.language_frames);
  metrics->Counter("language_frames_unnamed", "{frame}",
                   "Frames of language runtimes without a name.", stats.language_frames_unnamed);
  metrics->Counter("language_naming_seconds", "s",
                   "CPU time of naming the frames of language runtimes.",
                   static_cast<double>(stats.language_naming_ns) / 1e9);
  AgentMetric& programs =
      metrics->CounterBy("program", "program_seconds", "s", "CPU time of the BPF programs.");
  for (const ProgramCost& cost : stats.costs)
    programs.points.push_back(
        {.value = static_cast<double>(cost.run_ns) / 1e9, .label_value = cost.name});
}

void AddExporter(const exporting::ExporterStats& stats, Metrics* metrics) {
  metrics->Counter("requests_offered", "{request}", "Requests queued for sending.", stats.offered);
  metrics->Counter("requests_sent", "{request}", "Requests accepted by the server.", stats.sent);
  metrics->Counter("sent_bytes", "By", "Bytes of accepted requests before compression.",
                   stats.sent_bytes);
  metrics->Counter("retries", "{try}", "Failed attempts that are retried.", stats.retries);
  metrics->Counter("requests_refused", "{request}", "Requests rejected permanently by the server.",
                   stats.rejected);
  metrics->Counter("profiles_rejected", "{profile}", "Profiles rejected by the server.",
                   stats.rejected_profiles);
}

}  // namespace

std::vector<AgentMetric> AgentMetrics(const AgentStats& agent,
                                      const exporting::ExporterStats* exporter) {
  Metrics metrics;
  AddRecorder(agent.recorder, &metrics);
  metrics.Gauge("cpu_share", "1", "Recent CPU share used for recording.", agent.governor.cpu_share);
  metrics.Gauge("wait_unit_seconds", "s", "Waits of at least this length are always recorded.",
                static_cast<double>(agent.governor.wait_unit_ns) / 1e9);
  metrics.Counter("throttled", "{step}",
                  "Times recording was reduced to stay within the CPU budget.",
                  agent.governor.steps_down);
  metrics.Counter("batches", "{batch}", "Profile batches exported.", agent.batches);
  metrics.Counter("batches_dropped", "{batch}",
                  "Profile batches dropped because earlier ones took too long.",
                  agent.dropped_batches);
  metrics.Counter("batches_failed", "{batch}",
                  "Profile batches that could not be recorded or stored.", agent.failed_batches);
  metrics.Counter("frames_named", "{frame}", "Native frames symbolized by the agent.",
                  agent.named_frames);
  metrics.Counter("frames_unnamed", "{frame}", "Native frames not symbolized.",
                  agent.unnamed_frames);
  if (exporter != nullptr)
    AddExporter(*exporter, &metrics);
  return std::move(metrics).Take();
}

}  // namespace flarestack::record::agent
