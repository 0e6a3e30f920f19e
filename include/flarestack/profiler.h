// SPDX-License-Identifier: Apache-2.0
//
// Flarestack's in-process profiler for C++: profiles of CPU time, allocations and live heap, each
// sample linked to the active span of its thread, exported as OTLP.
//
//   auto provider = flarestack::ProfilerProvider::Create(
//       {.exporter = flarestack::OtlpHttpExporter{"http://127.0.0.1:4318/v1development/profiles"},
//        .types = {flarestack::ProfileType::kCpu, flarestack::ProfileType::kLiveHeap},
//        .service_name = "cart"});
//   flarestack::SetProfilerProvider(provider);  // profiles are taken from here on
//   ...
//   flarestack::SpanScope scope(span);          // samples of this thread link to the span
//
// Header-only over the C functions of profiler_c.h. What is not set comes from OTEL_* variables.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "flarestack/profiler_c.h"

namespace flarestack {

enum class ProfileType : uint32_t {
  kCpu = FLARESTACK_CPU,
  kAllocations = FLARESTACK_ALLOCATIONS,
  kLiveHeap = FLARESTACK_LIVE_HEAP,
};

// OTLP over HTTP. An empty endpoint is that of OTEL_EXPORTER_OTLP_ENDPOINT.
struct OtlpHttpExporter {
  std::string endpoint = {};  // a complete URL
  std::string headers = {};   // "key=value,key=value"
};

// Appends OTLP messages to a file; %p in the path is the process id.
struct FileExporter {
  std::string path;
};

struct ProfilerOptions {
  std::variant<OtlpHttpExporter, FileExporter> exporter = OtlpHttpExporter{};
  std::vector<ProfileType> types = {};  // empty: OTEL_PROFILING_TYPES, or CPU
  std::string service_name = {};
  std::string resource_attributes = {};  // "key=value,key=value"
  std::chrono::milliseconds cpu_interval{0};
  uint64_t allocation_interval_bytes = 0;
  std::chrono::milliseconds export_interval{0};
};

class ProfilerProvider {
 public:
  static std::shared_ptr<ProfilerProvider> Create(ProfilerOptions options = {}) {
    return std::shared_ptr<ProfilerProvider>(new ProfilerProvider(std::move(options)));
  }

  // Exports what was recorded so far. False: it takes longer.
  bool ForceFlush(std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    return flarestack_profiler_flush(static_cast<uint32_t>(timeout.count())) == 0;
  }

  // Stops and exports the rest.
  bool Shutdown(std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    return flarestack_profiler_stop(static_cast<uint32_t>(timeout.count())) == 0;
  }

  // Called by SetProfilerProvider(). False: no profile can be taken, and error() says why.
  bool Start() {
    uint32_t types = 0;
    for (const ProfileType type : options_.types)
      types |= static_cast<uint32_t>(type);
    flarestack_config config = FLARESTACK_CONFIG_INIT;
    config.service_name = options_.service_name.c_str();
    config.resource_attributes = options_.resource_attributes.c_str();
    if (const auto* const otlp = std::get_if<OtlpHttpExporter>(&options_.exporter)) {
      config.endpoint = otlp->endpoint.c_str();
      config.headers = otlp->headers.c_str();
    } else if (const auto* const file = std::get_if<FileExporter>(&options_.exporter)) {
      config.file = file->path.c_str();
    }
    config.types = types;
    config.cpu_interval_ms = static_cast<uint32_t>(options_.cpu_interval.count());
    config.allocation_interval_bytes = options_.allocation_interval_bytes;
    config.export_interval_ms = static_cast<uint32_t>(options_.export_interval.count());
    const bool is_running = flarestack_profiler_start(&config) == 0;
    error_ = flarestack_profiler_error();
    return is_running;
  }

  // What does not work; empty: everything works.
  const std::string& error() const { return error_; }

 private:
  explicit ProfilerProvider(ProfilerOptions options) : options_(std::move(options)) {}

  ProfilerOptions options_;
  std::string error_;
};

// The provider of this process. nullptr stops the current one.
inline std::shared_ptr<ProfilerProvider>& InstalledProfilerProvider() {
  static std::shared_ptr<ProfilerProvider> installed;
  return installed;
}

inline std::shared_ptr<ProfilerProvider> GetProfilerProvider() {
  return InstalledProfilerProvider();
}

// Call it from one thread, such as in main(). Returns whether profiles are taken now.
inline bool SetProfilerProvider(std::shared_ptr<ProfilerProvider> provider) {
  auto& installed = InstalledProfilerProvider();
  if (installed != nullptr)
    installed->Shutdown();
  installed = std::move(provider);
  return installed != nullptr && installed->Start();
}

using SpanContext = flarestack_span;

// The span of this thread from now on, for tracers that announce each change.
inline void SetSpanContext(const SpanContext& span) { flarestack_span_attach(&span); }
inline void ClearSpanContext() { flarestack_span_detach(); }

// The span of this thread for the life of the object; then the previous one.
class SpanScope {
 public:
  explicit SpanScope(const SpanContext& span)
      : had_span_(flarestack_span_current(&previous_) != 0) {
    flarestack_span_attach(&span);
  }
  ~SpanScope() {
    if (had_span_)
      flarestack_span_attach(&previous_);
    else
      flarestack_span_detach();
  }
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

 private:
  SpanContext previous_;
  bool had_span_;
};

// A key of labels. Make it once: `static const flarestack::LabelKey kRoute("http.route");`.
class LabelKey {
 public:
  explicit LabelKey(const char* name) : index_(flarestack_label_key(name)) {}
  int index() const { return index_; }

 private:
  int index_;
};

// A label of this thread for the life of the object; then its previous value.
class LabelScope {
 public:
  LabelScope(const LabelKey& key, std::string_view value)
      : key_(key.index()), previous_bytes_(flarestack_label_current(key_, previous_.data())) {
    flarestack_label_set(key_, value.data(), value.size());
  }
  ~LabelScope() { flarestack_label_set(key_, previous_.data(), previous_bytes_); }
  LabelScope(const LabelScope&) = delete;
  LabelScope& operator=(const LabelScope&) = delete;

 private:
  int key_;
  std::array<char, 255> previous_;
  size_t previous_bytes_;
};

// No samples are taken, in any thread, while the object lives.
class PauseScope {
 public:
  PauseScope() { flarestack_profiler_pause(); }
  ~PauseScope() { flarestack_profiler_resume(); }
  PauseScope(const PauseScope&) = delete;
  PauseScope& operator=(const PauseScope&) = delete;
};

}  // namespace flarestack
