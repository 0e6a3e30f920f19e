// SPDX-License-Identifier: Apache-2.0
//
// Symbol tables by module: those that are at hand at once, others in the background. Each is looked
// for in the places that the options name, in their order, once for all who want it at the same
// time; what is not found is not looked for again for a while.
//
//   symbolizer.Want(module);                            // returns at once
//   if (auto table = symbolizer.Ready(module.Key()))    // now, or the next time
//     table->Find(address, &code);
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/source.h"
#include "symbol/symbol_table.h"
#include "symbol/table_cache.h"

namespace flarestack::symbol {

// Makes the bytes of a table out of files; in a process of its own, outside of tests.
using TableMaker = std::function<absl::StatusOr<std::string>(const SymbolFiles&)>;

struct SymbolizerOptions {
  std::vector<std::unique_ptr<SymbolSource>> sources;  // in the order in which they are asked
  TableMaker make_table;
  TableCacheOptions cache;
  int threads = 1;                               // that look for tables
  size_t waiting_max = 10'000;                   // modules in the queue; more are forgotten
  std::chrono::seconds retry_unknown{3600};      // after nobody had it
  std::chrono::seconds retry_failed{24 * 3600};  // after its files could not be read
  std::chrono::seconds retry_unreachable{60};    // after a server did not answer
  std::function<std::chrono::steady_clock::time_point()> now;  // null: the clock
};

// What is known about a module that was wanted.
struct ModuleState {
  enum class Kind { kUnknown, kWaiting, kReady, kMissing, kFailed };
  Kind kind = Kind::kUnknown;
  std::string path;
  std::vector<Attempt> attempts;  // of the last search
  uint64_t table_bytes = 0;
  uint64_t function_count = 0;
};

class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options);
  ~Symbolizer();  // what is being looked for is let go

  // The table, if it is at hand: in memory, or a file in the cache. Never waits for a source.
  std::shared_ptr<const SymbolTable> Ready(const std::string& key);

  // Has it looked for in the background, unless it is at hand, on its way, or was missing lately.
  void Want(const Module& module);

  // Looks for it now and waits. The attempts are told in any case.
  absl::StatusOr<std::shared_ptr<const SymbolTable>> Find(const Module& module,
                                                          std::vector<Attempt>* attempts);

  // Something new is known of a module, such as an upload: what was found or missed is forgotten.
  void Forget(const std::string& key);

  ModuleState State(const std::string& key) const;

  // Grows whenever a table comes or goes, so that answers with names in them may have changed.
  uint64_t generation() const;

  // Until nothing is waiting or being looked for. For tests and for programs that end.
  void AwaitIdle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::symbol
