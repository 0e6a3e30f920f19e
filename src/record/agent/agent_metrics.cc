// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent_metrics.h"

#include <fmt/format.h>

#include <string_view>

#include "record/agent/location_writer.h"

namespace flarestack::record::agent {
namespace {

class Text {
 public:
  void Head(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP flarestack_agent_{} {}\n# TYPE flarestack_agent_{} {}\n", name,
                         help, name, type);
  }
  template <typename Number>
  void Value(std::string_view name, Number value, std::string_view labels = "") {
    text_ += fmt::format("flarestack_agent_{}{} {}\n", name, labels, value);
  }
  template <typename Number>
  void Only(std::string_view name, std::string_view type, std::string_view help, Number value) {
    Head(name, type, help);
    Value(name, value);
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

void AddRecorder(const RecorderStats& stats, Text* text) {
  text->Only("samples_total", "counter", "Samples on a processor.", stats.samples);
  text->Only("waits_total", "counter", "Threads that left their processor.", stats.waits);
  text->Only("waits_recorded_total", "counter", "Of these, with their stack.",
             stats.waits_recorded);
  text->Only("lost_total", "counter", "Samples and waits that found no room.", stats.lost);
  text->Only("walked_after_the_fact_total", "counter",
             "Stacks that were copied, because their tables were not there yet.",
             stats.walked_by_us);
  text->Head("truncated_total", "counter", "Stacks that the kernel's side left, by reason.");
  for (size_t end = 0; end < stats.ends.size(); ++end) {
    if (const std::string_view why = ToText(static_cast<bpf::unwind_end>(end)); !why.empty())
      text->Value("truncated_total", stats.ends[end], fmt::format("{{reason=\"{}\"}}", why));
  }
  text->Only("processes", "gauge", "Processes that are known.", stats.processes);
  text->Only("files", "gauge", "Files with code that are mapped.", stats.files);
  text->Only("pages_loaded_total", "counter", "Pages of unwind tables that were made.",
             stats.pages_loaded);
  text->Only("kernel_table_bytes", "gauge", "Memory of tables and rings in the kernel.",
             stats.table_bytes);
  text->Head("program_seconds_total", "counter", "Time of our programs in the kernel.");
  for (const ProgramCost& cost : stats.costs) {
    text->Value("program_seconds_total", static_cast<double>(cost.run_ns) / 1e9,
                fmt::format("{{program=\"{}\"}}", cost.name));
  }
}

void AddExporter(const exporting::ExporterStats& stats, Text* text) {
  text->Only("requests_offered_total", "counter", "Requests that were to be sent.", stats.offered);
  text->Only("requests_sent_total", "counter", "Requests that the server took.", stats.sent);
  text->Only("sent_bytes_total", "counter", "Bytes of these, before compression.",
             stats.sent_bytes);
  text->Only("retries_total", "counter", "Tries that failed and are repeated.", stats.retries);
  text->Only("requests_refused_total", "counter", "Requests that the server will never take.",
             stats.refused);
  text->Only("profiles_rejected_total", "counter", "Profiles that the server left out.",
             stats.rejected_profiles);
}

}  // namespace

std::string AgentMetricsText(const AgentStats& agent, const exporting::ExporterStats& exporter) {
  Text text;
  AddRecorder(agent.recorder, &text);
  text.Only("cpu_share", "gauge", "Of each processor, what recording took lately.",
            agent.governor.cpu_share);
  text.Only("wait_unit_seconds", "gauge", "A wait of this length is always recorded.",
            static_cast<double>(agent.governor.wait_unit_ns) / 1e9);
  text.Only("throttled_total", "counter", "So often less was recorded to stay within the budget.",
            agent.governor.steps_down);
  text.Only("batches_total", "counter", "Batches of profiles that were handed on.", agent.batches);
  text.Only("frames_named_total", "counter", "Native frames that got a name here.",
            agent.named_frames);
  text.Only("frames_unnamed_total", "counter", "Native frames that got none.",
            agent.unnamed_frames);
  AddExporter(exporter, &text);
  return std::move(text).Take();
}

}  // namespace flarestack::record::agent
