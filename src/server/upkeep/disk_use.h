// SPDX-License-Identifier: Apache-2.0
//
// Disk space of a data directory, and the part of it used by tables and logs of the stores.
#pragma once

#include <cstdint>
#include <string>

namespace flarestack::server {

struct DiskUse {
  uint64_t bytes = 0;        // everything: telemetry, symbols, uploads, logs
  uint64_t store_bytes = 0;  // tables and write-ahead logs, including those about to be deleted
};

DiskUse MeasureDisk(const std::string& data_dir);

}  // namespace flarestack::server
