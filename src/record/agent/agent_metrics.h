// SPDX-License-Identifier: Apache-2.0
//
// What the agent does and what it costs, as numbers with names; agent_metric_formats.h writes them.
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
    std::string label_value;  // of AgentMetric::label
  };

  std::string_view name;  // of words with _ between them
  std::string_view help;
  std::string_view unit;  // "s", "By", "1" or what is counted: "{sample}"
  bool is_counter = false;
  std::string_view label;  // empty: there is one point without
  std::vector<Point> points;
};

// `exporter` is null where nothing is sent.
std::vector<AgentMetric> AgentMetrics(const AgentStats& agent,
                                      const exporting::ExporterStats* exporter);

}  // namespace flarestack::record::agent
