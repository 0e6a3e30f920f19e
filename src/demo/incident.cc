// SPDX-License-Identifier: Apache-2.0
#include "demo/incident.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kWindowsAfter = 60;  // ten minutes after the deployment

const Span* FindSpan(const Request& request, std::string_view name, model::SpanKind kind) {
  for (const Span& span : request.spans) {
    if (span.process.service == Service::kCheckout && span.name == name && span.kind == kind)
      return &span;
  }
  return nullptr;
}

struct CpuUse {
  uint64_t cpu_nanos = 0;
  uint64_t windows = 0;  // summed over all instances

  double rate() const { return static_cast<double>(cpu_nanos) / static_cast<double>(windows); }
};

struct BothVersions {
  CpuUse before;
  CpuUse after;

  CpuUse* Of(const Process& process) {
    if (process.service != Service::kCheckout)
      return nullptr;
    return process.is_new_version ? &after : &before;
  }
};

void AddRequest(const Request& request, BothVersions* versions) {
  for (const Span& span : request.spans) {
    CpuUse* const use = versions->Of(span.process);
    if (use == nullptr)
      continue;
    for (const Stretch& stretch : span.stretches)
      use->cpu_nanos += stretch.is_wait() ? 0 : stretch.duration_nanos;
  }
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

double CheckoutCpuRise(const Timeline& timeline) {
  BothVersions versions;
  for (uint64_t i = 0; i < kWindowCount; ++i) {
    const Window window = timeline.Make(i);
    for (const Process& process : window.processes) {
      if (CpuUse* const use = versions.Of(process))
        ++use->windows;
    }
    for (const BackgroundTick& tick : window.background) {
      if (CpuUse* const use = versions.Of(tick.process))
        use->cpu_nanos += kTickNanos;
    }
    for (const Request& request : window.requests)
      AddRequest(request, &versions);
  }
  return versions.after.rate() / versions.before.rate() - 1;
}

}  // namespace flarestack::demo
