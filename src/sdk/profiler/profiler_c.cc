// SPDX-License-Identifier: Apache-2.0
#include "flarestack/profiler_c.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "sdk/config.h"
#include "sdk/context/thread_context.h"
#include "sdk/pause_signal.h"
#include "sdk/profiler/profiler.h"
#include "sdk/thread_state.h"

namespace flarestack::sdk {
namespace {

// A caller built against an older header has fewer fields.
flarestack_config WithAllFields(const flarestack_config* config) {
  flarestack_config all = FLARESTACK_CONFIG_INIT;
  if (config != nullptr)
    std::memcpy(&all, config, std::min(sizeof(all), config->struct_size));
  return all;
}

void Apply(const flarestack_config& own, Config* config) {
  const auto text = [](const char* value) {
    return value == nullptr ? std::string_view() : std::string_view(value);
  };
  ParseAttributes(text(own.resource_attributes), "resource_attributes", &config->resource,
                  &config->complaints);
  if (!text(own.service_name).empty())
    config->resource.emplace_back("service.name", own.service_name);
  ParseAttributes(text(own.headers), "headers", &config->headers, &config->complaints);
  if (!text(own.endpoint).empty()) {
    config->endpoint = own.endpoint;
    config->exporter = ExporterKind::kOtlp;
  }
  if (!text(own.file).empty()) {
    config->file = own.file;
    config->exporter = ExporterKind::kFile;
  }
  if (own.types != 0) {
    config->types = {.cpu = (own.types & FLARESTACK_CPU) != 0,
                     .allocations = (own.types & FLARESTACK_ALLOCATIONS) != 0,
                     .live_heap = (own.types & FLARESTACK_LIVE_HEAP) != 0};
  }
  if (own.cpu_interval_ms != 0)
    config->cpu_period_ns = uint64_t{own.cpu_interval_ms} * 1'000'000;
  if (own.allocation_interval_bytes != 0)
    config->allocation_mean_bytes = own.allocation_interval_bytes;
  if (own.export_interval_ms != 0)
    config->export_interval_ms = own.export_interval_ms;
}

// Of this thread. A pointer, because thread-local objects with destructors need registration.
thread_local constinit std::string* t_error = nullptr;

}  // namespace
}  // namespace flarestack::sdk

using flarestack::sdk::InsideScope;

extern "C" {

int flarestack_profiler_start(const struct flarestack_config* config) {
  const InsideScope inside;
  if (flarestack::sdk::t_error == nullptr)
    flarestack::sdk::t_error = new std::string;
  flarestack::sdk::t_error->clear();
  flarestack::sdk::Config complete = flarestack::sdk::ConfigFromEnvironment();
  flarestack::sdk::Apply(flarestack::sdk::WithAllFields(config), &complete);
  const auto result = flarestack::sdk::StartProfiler(std::move(complete), flarestack::sdk::t_error);
  return result == flarestack::sdk::StartResult::kFailed ? -1 : 0;
}

const char* flarestack_profiler_error(void) {
  return flarestack::sdk::t_error == nullptr ? "" : flarestack::sdk::t_error->c_str();
}

int flarestack_profiler_flush(uint32_t timeout_ms) {
  return flarestack::sdk::FlushProfiler(timeout_ms) ? 0 : -1;
}

int flarestack_profiler_stop(uint32_t timeout_ms) {
  return flarestack::sdk::StopProfiler(timeout_ms) ? 0 : -1;
}

void flarestack_profiler_pause(void) { flarestack::sdk::Pause(); }
void flarestack_profiler_resume(void) { flarestack::sdk::Resume(); }

void flarestack_span_attach(const struct flarestack_span* span) {
  flarestack::sdk::AttachSpan(span->trace_id, span->span_id, span->trace_flags);
}

void flarestack_span_detach(void) { flarestack::sdk::DetachSpan(); }

int flarestack_span_current(struct flarestack_span* span) {
  const flarestack::sdk::ActiveSpan active = flarestack::sdk::CurrentSpan();
  std::memcpy(span->trace_id, active.trace_id.data(), sizeof(span->trace_id));
  std::memcpy(span->span_id, active.span_id.data(), sizeof(span->span_id));
  span->trace_flags = active.trace_flags;
  return active.is_set ? 1 : 0;
}

int flarestack_label_key(const char* name) {
  return name == nullptr ? -1 : flarestack::sdk::AddLabelKey(name);
}

int flarestack_label_set(int key, const char* value, size_t value_bytes) {
  if (key < 0 || key > 255)
    return -1;
  return flarestack::sdk::SetLabel(static_cast<uint8_t>(key), {value, value_bytes}) ? 0 : -1;
}

size_t flarestack_label_current(int key, char value[255]) {
  if (key < 0 || key > 255)
    return 0;
  const std::string_view text = flarestack::sdk::CurrentLabel(static_cast<uint8_t>(key));
  if (!text.empty())
    std::memcpy(value, text.data(), text.size());
  return text.size();
}

void flarestack_profiler_stats(struct flarestack_stats* stats) {
  const flarestack::sdk::WorkerStats& now = flarestack::sdk::ProfilerStats();
  // Relaxed: counters.
  const flarestack_stats all = {
      .struct_size = stats->struct_size,
      .samples = now.samples.load(std::memory_order_relaxed),
      .lost_samples = now.lost_samples.load(std::memory_order_relaxed),
      .exports_sent = now.exports_sent.load(std::memory_order_relaxed),
      .exports_dropped = now.exports_dropped.load(std::memory_order_relaxed)};
  std::memcpy(stats, &all, std::min(sizeof(all), stats->struct_size));
}
}
