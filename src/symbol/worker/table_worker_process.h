// SPDX-License-Identifier: Apache-2.0
//
// The other side of table_worker.h: the process that reads the files.
#pragma once

#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::symbol {

// Maps the files, drops its permissions, and builds the table. Ends the process directly, because
// normal exit handlers are no longer allowed.
[[noreturn]] void RunTableWorker(const WorkerOrder& order);

}  // namespace flarestack::symbol
