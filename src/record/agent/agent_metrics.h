// SPDX-License-Identifier: Apache-2.0
//
// What the agent does and what it costs, as numbers with names: for /metrics, in the text format of
// Prometheus.
#pragma once

#include <string>

#include "record/agent/agent.h"
#include "record/export/exporter.h"

namespace flarestack::record::agent {

std::string AgentMetricsText(const AgentStats& agent, const exporting::ExporterStats& exporter);

}  // namespace flarestack::record::agent
