// SPDX-License-Identifier: Apache-2.0
//
// The endpoints of the API below /api/v1, by subject. Each group is defined in the file named in
// its comment.
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

// All endpoints, in the order of the documentation.
std::vector<Endpoint> Endpoints();

// flame.cc: /flame /callers /top /lines
std::vector<Endpoint> FlameEndpoints();

// source.cc: /source, source code and links to its repository
std::vector<Endpoint> SourceEndpoints();

// compare.cc: /diff. Parameters with the prefix `b.` select the baseline.
std::vector<Endpoint> CompareEndpoints();

// series.cc: /series and /heat, cost over time
std::vector<Endpoint> SeriesEndpoints();

// samples.cc: /samples in time order, /profiles as received
std::vector<Endpoint> SampleEndpoints();

// attributes.cc: /services /attrs /attr-values /attr-breakdown
std::vector<Endpoint> AttributeEndpoints();

// export.cc: /export, the merged profiles of a time range in any output format
std::vector<Endpoint> ExportEndpoints();

// traces.cc: /traces, search by the attributes of a span
Endpoint TracesEndpoint();

// trace.cc: /trace/{id}, one trace for a waterfall: spans in tree order, critical path, counts of
// log records and samples per span; or the spans as OTLP/JSON
Endpoint TraceEndpoint();

// logs.cc: /logs page by page, /logs/volume over time
std::vector<Endpoint> LogEndpoints();

// metrics.cc: /metrics and /metrics/query
std::vector<Endpoint> MetricEndpoints();

// links.cc: /links from a span, a trace, a log record, a function, a metric or a time range to the
// related data of the other signals
std::vector<Endpoint> LinkEndpoints();

// deployments.cc: /deployments and /regressions, versions of a service and their cost
std::vector<Endpoint> DeploymentEndpoints();

// scratch.cc: /scratch and /scratch/{id}, uploaded files
std::vector<Endpoint> ScratchEndpoints();

// shortlinks.cc: /shortlinks, /shortlinks/{id} and, outside of /api/v1, /s/{id}
std::vector<Endpoint> ShortlinkEndpoints();

// health.cc: /health, state of the server with problems and advice
std::vector<Endpoint> HealthEndpoints();

// guide.cc: /guide, the steps of a tour, if the server has one
std::vector<Endpoint> GuideEndpoints();

// symbols.cc: /symbols/health, /symbols and /symbols/{id}, modules without names and pushed files
std::vector<Endpoint> SymbolEndpoints();

}  // namespace flarestack::server::api
