// SPDX-License-Identifier: Apache-2.0
//
// Shows files in the UI of a temporary server, which runs until it is interrupted and leaves
// nothing behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/input_collector.h"
#include "server/symbols/source_service.h"

namespace flarestack::cli {

struct ViewOptions {
  uint16_t port = 0;  // 0: any free port
  bool opens_browser = true;
  std::string format;             // of the files; empty: detect from the content
  server::SourceOptions sources;  // without folders: the current directory
  uint64_t bytes_max = codec::InputLimits{}.bytes_max;  // per file, decompressed
};

// Returns the exit code. Reports errors.
int ViewFiles(const std::vector<std::string>& paths, const ViewOptions& options);

// Whether the UI is embedded in this program. Reports an error if not.
bool HasPages();

}  // namespace flarestack::cli
