// SPDX-License-Identifier: Apache-2.0
//
// What readers and the writer of the module snapshot share.
#pragma once

#include <array>
#include <atomic>

#include "sdk/unwind/modules.h"

namespace flarestack::sdk {

struct ModuleReaders {
  std::atomic<const ModuleSnapshot*> current = nullptr;
  // Readers count themselves under the parity of the generation they began in, so that the writer
  // can wait for those that may still read the previous snapshot.
  std::atomic<unsigned> generation = 0;
  std::array<std::atomic<int>, 2> readers = {};
};

extern constinit ModuleReaders g_modules;

}  // namespace flarestack::sdk
