// SPDX-License-Identifier: Apache-2.0
#include "server/api/signals.h"

#include <iterator>

#include "server/api/logs.h"
#include "server/api/metrics.h"
#include "server/api/trace.h"
#include "server/api/traces.h"

namespace flarestack::server::api {

std::vector<Endpoint> SignalEndpoints() {
  std::vector<Endpoint> endpoints = {TracesEndpoint(), TraceEndpoint(), LogsEndpoint(),
                                     LogVolumeEndpoint()};
  std::vector<Endpoint> metrics = MetricEndpoints();
  endpoints.insert(endpoints.end(), std::make_move_iterator(metrics.begin()),
                   std::make_move_iterator(metrics.end()));
  return endpoints;
}

}  // namespace flarestack::server::api
