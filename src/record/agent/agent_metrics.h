// SPDX-License-Identifier: Apache-2.0
//
// The agent's activity and cost as named metrics; agent_metric_formats.h encodes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/agent/agent.h"
#include "record/export/exporter.h"

namespace flarestack::record::agent {

struct AgentMetric {
  struct Point {
    double value = 0;
    std::string label_value;  // value of AgentMetric::label
  };

  std::string_view name;  // words joined with _
  std::string_view help;
  std::string_view unit;  // "s", "By", "1" or the counted item: "{sample}"
  bool is_counter = false;
  std::string_view label;  // empty: one point without a label
  std::vector<Point> points;
};

// `exporter` is null if nothing is sent.
std::vector<AgentMetric> AgentMetrics(const AgentStats& agent,
                                      const exporting::ExporterStats* exporter);

}  // namespace flarestack::record::agent
