// SPDX-License-Identifier: Apache-2.0
//
// Files looked at in the pages of a server of their own, which lasts until somebody interrupts it
// and leaves nothing behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/input.h"
#include "server/symbols/source_service.h"

namespace flarestack::cli {

struct ViewOptions {
  uint16_t port = 0;  // 0: any that is free
  bool opens_browser = true;
  std::string format;                                   // of the files; empty: found by content
  server::SourceOptions sources;                        // without folders: the current one
  uint64_t bytes_max = codec::InputLimits{}.bytes_max;  // of each file, decompressed
};

// Answers the exit code, after an error was reported.
int ViewFiles(const std::vector<std::string>& paths, const ViewOptions& options);

// Whether this program has pages at all; reports it where it has none.
bool HasPages();

}  // namespace flarestack::cli
