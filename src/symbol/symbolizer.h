// SPDX-License-Identifier: Apache-2.0
//
// Symbol tables by module. Available tables are returned immediately; others are searched for in
// the background. A search queries the configured sources in order, once for all callers that want
// the module at the same time. A failed search is not repeated for a while. A source that has only
// exported names or function bounds does not end the search: the best table is kept.
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
  std::vector<std::unique_ptr<SymbolSource>> sources;  // queried in this order
  TableMaker make_table;
  TableCacheOptions cache;
  int threads = 1;                               // for searches
  size_t waiting_max = 10'000;                   // modules in the queue; more are dropped
  size_t known_max = 100'000;                    // modules whose last search is remembered
  std::chrono::seconds retry_unknown{3600};      // no source had it, or only a poor table
  std::chrono::seconds retry_failed{24 * 3600};  // its files could not be read
  std::chrono::seconds retry_unreachable{60};    // a server did not respond
  std::function<std::chrono::steady_clock::time_point()> now;  // null: steady_clock
};

// The state of a module that was wanted.
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
  // Cancels running searches. Does not wait for servers, but waits for a table that is being built.
  ~Symbolizer();

  // Returns the table if it is in memory or in the cache on disk, else null. Never waits for a
  // source.
  std::shared_ptr<const SymbolTable> Ready(const std::string& key);

  // Starts a search in the background, unless the table is available, already being searched for,
  // or was recently missing.
  void Want(const Module& module);

  // Searches now and waits, unless the table is available or was recently missing (call Forget
  // first to search again). Always returns the attempts of this or the last search; `attempts` may
  // be null. Returns kNotFound, kUnavailable if a server did not respond, kFailedPrecondition if
  // its files could not be read, kCancelled if the symbolizer is being destroyed, or
  // kInvalidArgument for a module without an id.
  absl::StatusOr<std::shared_ptr<const SymbolTable>> Find(const Module& module,
                                                          std::vector<Attempt>* attempts);

  // Call this when there is something new for a module, such as an upload. Drops its table or its
  // missing state, and restarts a running search. Call it for each key under which the module may
  // be requested.
  void Forget(const std::string& key);

  ModuleState State(const std::string& key) const;

  // Increases whenever a table is added or removed, so that responses with names may have changed.
  uint64_t generation() const;

  // Waits until no search for these modules is queued or running. Returns false at the deadline.
  bool Await(const std::vector<std::string>& keys,
             std::chrono::steady_clock::time_point deadline) const;

  // Waits until no search is queued or running. For tests and for programs that exit.
  void AwaitIdle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::symbol
