// SPDX-License-Identifier: Apache-2.0
//
// Limits on input from clients. Each has a flag of `flarestack serve`; docs/reference/serve.md
// describes what happens beyond each limit.
#pragma once

#include <chrono>
#include <cstdint>

namespace flarestack::server {

struct Limits {
  // Per request.
  uint64_t request_bytes_max = 64 << 20;
  uint64_t decompressed_bytes_max = 0;  // 0: same as request_bytes_max
  uint64_t compression_ratio_max = 200;
  uint32_t samples_max = 1 << 23;
  uint32_t items_max = 1 << 22;          // spans, log records, data points, ...
  uint32_t table_entries_max = 1 << 22;  // per dictionary table
  uint32_t attributes_max = 1024;        // per item
  uint64_t attribute_value_bytes_max = 64 << 10;

  // In total.
  uint64_t series_max = 1'000'000;         // of samples
  uint64_t metric_series_max = 1'000'000;  // of data points

  // Uploaded files (scratch_uploads.h).
  uint64_t scratch_bytes_max = 1 << 30;  // total on disk; 0: uploads are disabled
  uint32_t scratch_uploads_max = 64;     // of all tenants together

  // Concurrent.
  uint64_t in_flight_bytes_max = 0;  // 0: an eighth of the memory limit
  uint32_t connections_max = 1024;   // per port
  uint32_t requests_max = 256;       // per port

  // For requests waiting in a queue.
  std::chrono::milliseconds queue_timeout{1'000};

  // For slow clients.
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds idle_timeout{60'000};
};

// How long a client should wait before a retry, when the store could not serve its request.
inline constexpr std::chrono::seconds kRetryDelay{1};

}  // namespace flarestack::server
