// SPDX-License-Identifier: Apache-2.0
//
// Builds each symbol table in a separate process: files are untrusted, and libdw is not safe
// against hostile ones. Any failure there (a crash, an endless loop, running out of memory) becomes
// a status with a readable reason here.
//
//   TableWorker worker({});
//   options.make_table = [&worker](const SymbolFiles& files) { return worker.Make(files); };
//
// The worker is this program, started again with a special subcommand. It gets only the files, as
// open descriptors: see sandbox.h. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/symbol_source.h"
#include "symbol/worker/sandbox.h"
#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::symbol {

struct TableWorkerOptions {
  std::string program = "/proc/self/exe";
  SandboxLimits limits;                           // file_bytes limits the table
  uint64_t input_bytes_max = uint64_t{16} << 30;  // of all files of a module
  std::chrono::milliseconds time_max = std::chrono::minutes(10);
  // If the kernel has no system call filter: true rejects the files; false reads them without one
  // and calls `warn` with the reason, once.
  bool needs_filter = false;
  std::function<void(const std::string& warning)> warn = {};  // called on any thread; may be null
};

struct MadeTable {
  std::string bytes;
  std::vector<std::string> notes;  // from BuildTable
};

class TableWorker {
 public:
  explicit TableWorker(TableWorkerOptions options) : options_(std::move(options)) {}

  // The bytes are untrusted: SymbolTable::Open checks them.
  //
  // Returns the errors of BuildTable, and: kNotFound or kPermissionDenied if a file cannot be
  // opened, kInvalidArgument if it is not a regular file, kResourceExhausted for files that are too
  // large, too much memory or a table that is too large, kDeadlineExceeded if it took too long,
  // kInternal if the worker crashed or was killed, and kUnavailable if it could not be started.
  absl::StatusOr<MadeTable> MakeWithNotes(const SymbolFiles& files);
  absl::StatusOr<std::string> Make(const SymbolFiles& files);

  // Ends current and future Make calls with kCancelled.
  void Cancel() { is_cancelled_ = true; }

 private:
  void Warn(const std::string& warning);

  const TableWorkerOptions options_;
  std::atomic<bool> has_warned_ = false;
  std::atomic<bool> is_cancelled_ = false;
};

// The other side, in the worker process: maps the files, drops its permissions, and builds the
// table. Ends the process directly, because normal exit handlers are no longer allowed.
[[noreturn]] void RunTableWorker(const WorkerOrder& order);

}  // namespace flarestack::symbol
