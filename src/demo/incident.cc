// SPDX-License-Identifier: Apache-2.0
#include "demo/incident.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kWindowsAfter = 60;  // ten minutes: close to the deployment

const Span* FindSpan(const Request& request, std::string_view name, model::SpanKind kind) {
  for (const Span& span : request.spans) {
    if (span.process.service == Service::kCheckout && span.name == name && span.kind == kind)
      return &span;
  }
  return nullptr;
}

}  // namespace

Incident FindIncident(const Timeline& timeline) {
  Incident worst;
  for (uint64_t i = 0; i < kWindowsAfter; ++i) {
    const Window window = timeline.Make(kRolloutWindows[0] + i);
    for (const Request& request : window.requests) {
      const Span* const coupons = FindSpan(request, "apply coupons", model::SpanKind::kInternal);
      const Span* const server = FindSpan(request, "POST /orders", model::SpanKind::kServer);
      if (coupons == nullptr || coupons->duration_nanos() <= worst.coupons_nanos)
        continue;
      worst = {.trace_id = request.trace_id,
               .server_span_id = server->span_id,
               .coupons_span_id = coupons->span_id,
               .start_nanos = request.spans.front().start_nanos,
               .duration_nanos = server->duration_nanos(),
               .coupons_nanos = coupons->duration_nanos()};
    }
  }
  return worst;
}

}  // namespace flarestack::demo
