// SPDX-License-Identifier: Apache-2.0
//
// Symbol tables by module: those that are at hand at once, others in the background. Each is looked
// for in the places that the options name, in their order, once for all who want it at the same
// time; what is not found is not looked for again for a while. A place that tells no more than
// exported names or the bounds of functions does not end the search: the best table is kept.
//
//   symbolizer.Want(module);                            // returns at once
//   if (auto table = symbolizer.Ready(module.Key()))    // now, or the next time
//     table->Find(address, &code);
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/symbol_search.h"
#include "symbol/symbol_source.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/table_cache.h"

namespace flarestack::symbol {

struct SymbolizerOptions {
  std::vector<std::unique_ptr<SymbolSource>> sources;  // in the order in which they are asked
  TableMaker make_table;
  TableCacheOptions cache;
  int threads = 1;                               // that look for tables
  size_t waiting_max = 10'000;                   // modules in the queue; more are forgotten
  size_t known_max = 100'000;                    // modules whose last search is remembered
  std::chrono::seconds retry_unknown{3600};      // after nobody had it, or no good one
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
  // What is being looked for is let go, without waiting for a server, though for a table that is
  // being made.
  ~Symbolizer();

  // The table, if it is at hand: in memory, or a file in the cache. Never waits for a source.
  std::shared_ptr<const SymbolTable> Ready(const std::string& key);

  // Has it looked for in the background, unless it is at hand, on its way, or was missing lately.
  void Want(const Module& module);

  // Looks for it now and waits, unless it is at hand or was missing lately (Forget it first to look
  // again). The attempts of this or the last search are told in any case; they may be null.
  // kNotFound, kUnavailable when a server did not answer, kFailedPrecondition when its files could
  // not be read, kCancelled when the symbolizer goes, kInvalidArgument for a module without id.
  absl::StatusOr<std::shared_ptr<const SymbolTable>> Find(const Module& module,
                                                          std::vector<Attempt>* attempts);

  // Something new is known of a module, such as an upload: what was found or missed is forgotten,
  // and a search that is under way begins anew. Say it for each key under which it may be asked
  // for.
  void Forget(const std::string& key);

  ModuleState State(const std::string& key) const;

  // Grows whenever a table comes or goes, so that answers with names in them may have changed.
  uint64_t generation() const;

  // Waits until no search for these modules is queued or running. Returns false at the deadline.
  bool Await(const std::vector<std::string>& keys,
             std::chrono::steady_clock::time_point deadline) const;

  // Until nothing is waiting or being looked for. For tests and for programs that end.
  void AwaitIdle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::symbol
