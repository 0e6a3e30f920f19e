// SPDX-License-Identifier: Apache-2.0
//
// What a server takes from outside. Each has a flag of `flarestack serve`, and
// docs/reference/serve.md says what happens beyond.
#pragma once

#include <chrono>
#include <cstdint>

namespace flarestack::server {

struct Limits {
  // Of one request.
  uint64_t request_bytes_max = 64 << 20;
  uint64_t decompressed_bytes_max = 0;  // 0: as many as a request
  uint64_t compression_ratio_max = 200;
  uint32_t samples_max = 1 << 23;
  uint32_t items_max = 1 << 22;          // spans, log records, points, ...
  uint32_t table_entries_max = 1 << 22;  // of each table of the dictionary
  uint32_t attributes_max = 1024;        // of each item
  uint64_t attribute_value_bytes_max = 64 << 10;

  // Of all there is.
  uint64_t series_max = 1'000'000;         // of samples
  uint64_t metric_series_max = 1'000'000;  // of points

  // Of files that were uploaded to be looked at (scratch_uploads.h).
  uint64_t scratch_bytes_max = 1 << 30;  // of all, on the disk; 0: none are taken
  uint32_t scratch_uploads_max = 64;     // of all tenants

  // At the same time.
  uint64_t in_flight_bytes_max = 0;  // 0: an eighth of the memory
  uint32_t connections_max = 1024;   // of each port
  uint32_t requests_max = 256;       // of each port

  // For requests that wait for their turn.
  std::chrono::milliseconds queue_timeout{1'000};

  // For slow clients.
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds idle_timeout{60'000};
};

}  // namespace flarestack::server
