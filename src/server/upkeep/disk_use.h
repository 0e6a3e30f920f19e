// SPDX-License-Identifier: Apache-2.0
//
// What a data directory takes on disk, and how much of it are tables and logs of the stores.
#pragma once

#include <cstdint>
#include <string>

namespace flarestack::server {

struct DiskUse {
  uint64_t bytes = 0;        // everything: telemetry, symbols, uploads, logs
  uint64_t store_bytes = 0;  // tables and write-ahead logs, also those that are about to go
};

DiskUse MeasureDisk(const std::string& data_dir);

}  // namespace flarestack::server
