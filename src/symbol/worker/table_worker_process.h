// SPDX-License-Identifier: Apache-2.0
//
// The other side of table_worker.h: the process that reads the files.
#pragma once

#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::symbol {

// Maps the files, gives up what it may do, and makes the table. Ends the process: what runs at a
// normal exit is no longer allowed.
[[noreturn]] void RunTableWorker(const WorkerOrder& order);

}  // namespace flarestack::symbol
