// SPDX-License-Identifier: Apache-2.0
//
// Symbol sources that a test can fill, break and block.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "net/testing/gate.h"
#include "symbol/symbol_source.h"

namespace flarestack::symbol::testing {

// The contents of the fake sources, and how often they were queried. The `origin` of the files is
// the name under which the table maker finds the bytes.
struct World {
  base::Mutex mutex;
  // By name of the source.
  std::map<std::string, absl::StatusOr<SymbolFiles>> responses FLARE_GUARDED_BY(mutex);
  std::map<std::string, absl::StatusOr<std::string>> tables FLARE_GUARDED_BY(mutex);  // by origin
  std::map<std::string, int> requests FLARE_GUARDED_BY(mutex);
  net::Gate* gate FLARE_GUARDED_BY(mutex) = nullptr;  // each search waits here
  std::atomic<bool> is_cancelled = false;
  std::chrono::steady_clock::time_point now FLARE_GUARDED_BY(mutex) = {};

  void Answer(const std::string& source, absl::StatusOr<SymbolFiles> response) {
    const base::MutexLock lock(mutex);
    responses.insert_or_assign(source, std::move(response));
  }
  void Has(const std::string& source, absl::StatusOr<std::string> table) {
    Answer(source, SymbolFiles{.executable = "x", .origin = source});
    const base::MutexLock lock(mutex);
    tables.insert_or_assign(source, std::move(table));
  }
  void HoldAt(net::Gate* at) {
    const base::MutexLock lock(mutex);
    gate = at;
  }
  int request_count(const std::string& source) {
    const base::MutexLock lock(mutex);
    return requests[source];
  }
};

class FakeSource : public SymbolSource {
 public:
  FakeSource(World& world, std::string name) : world_(world), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  absl::StatusOr<SymbolFiles> Find(const Module&) override {
    net::Gate* gate = nullptr;
    {
      const base::MutexLock lock(world_.mutex);
      ++world_.requests[name_];
      gate = world_.gate;
    }
    if (gate != nullptr)
      gate->Pass();
    if (world_.is_cancelled)
      return absl::CancelledError("cancelled");
    const base::MutexLock lock(world_.mutex);
    const auto at = world_.responses.find(name_);
    return at != world_.responses.end() ? at->second : absl::NotFoundError("nothing here");
  }
  void Cancel() override {
    world_.is_cancelled = true;
    const base::MutexLock lock(world_.mutex);
    if (world_.gate != nullptr)
      world_.gate->Open();
  }

 private:
  World& world_;
  const std::string name_;
};

}  // namespace flarestack::symbol::testing
