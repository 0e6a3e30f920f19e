// SPDX-License-Identifier: Apache-2.0
//
// Makes symbol tables in a process of its own for each: files are those of others, and libdw is not
// safe against hostile ones. Whatever happens there (a crash, no end, all of the memory), here it
// is a status with the reason in words.
//
//   TableWorker worker({});
//   options.make_table = [&worker](const SymbolFiles& files) { return worker.Make(files); };
//
// The worker is this program, started anew with a subcommand of its own. It gets the files as open
// descriptors and nothing else: see sandbox.h. Thread-safe.
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

namespace flarestack::symbol {

struct TableWorkerOptions {
  std::string program = "/proc/self/exe";
  SandboxLimits limits;                           // file_bytes is the largest table
  uint64_t input_bytes_max = uint64_t{16} << 30;  // of all files of a module together
  std::chrono::milliseconds time_max = std::chrono::minutes(10);
  // Where the kernel has no filter of system calls, files are read without one and `warn` gets the
  // reason, once, unless this asks for a refusal.
  bool needs_filter = false;
  std::function<void(const std::string& warning)> warn = {};  // from any thread; may be null
};

struct MadeTable {
  std::string bytes;
  std::vector<std::string> notes;  // of BuildTable
};

class TableWorker {
 public:
  explicit TableWorker(TableWorkerOptions options) : options_(std::move(options)) {}

  // The bytes are untrusted: SymbolTable::Open looks at them.
  //
  // What BuildTable says, and: kNotFound or kPermissionDenied when a file cannot be opened,
  // kInvalidArgument when it is no regular file, kResourceExhausted for files too large, too much
  // memory or too large a table, kDeadlineExceeded when it took too long, kInternal when the worker
  // crashed or was killed, kUnavailable when it could not be started.
  absl::StatusOr<MadeTable> MakeWithNotes(const SymbolFiles& files);
  absl::StatusOr<std::string> Make(const SymbolFiles& files);

  // Ends what is being made, now and from now on, with kCancelled.
  void Cancel() { is_cancelled_ = true; }

 private:
  void Warn(const std::string& warning);

  const TableWorkerOptions options_;
  std::atomic<bool> has_warned_ = false;
  std::atomic<bool> is_cancelled_ = false;
};

}  // namespace flarestack::symbol
