// SPDX-License-Identifier: Apache-2.0
//
// Symbol sources that a test can fill, break and block.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "net/testing/gate.h"
#include "symbol/symbol_source.h"

namespace flarestack::symbol::testing {

// The contents of the fake sources, and how often they were queried. The `origin` of the files is
// the name under which the table maker finds the bytes.
struct World {
  std::mutex mutex;
  std::map<std::string, absl::StatusOr<SymbolFiles>> answers;  // by name of the source
  std::map<std::string, absl::StatusOr<std::string>> tables;   // by origin
  std::map<std::string, int> asked;
  net::Gate* gate = nullptr;  // each search waits here
  std::atomic<bool> is_cancelled = false;
  std::chrono::steady_clock::time_point now{};

  void Answer(const std::string& source, absl::StatusOr<SymbolFiles> answer) {
    const std::lock_guard lock(mutex);
    answers.insert_or_assign(source, std::move(answer));
  }
  void Has(const std::string& source, absl::StatusOr<std::string> table) {
    Answer(source, SymbolFiles{.executable = "x", .origin = source});
    const std::lock_guard lock(mutex);
    tables.insert_or_assign(source, std::move(table));
  }
  int asked_count(const std::string& source) {
    const std::lock_guard lock(mutex);
    return asked[source];
  }
};

class FakeSource : public SymbolSource {
 public:
  FakeSource(World& world, std::string name) : world_(world), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  absl::StatusOr<SymbolFiles> Find(const Module&) override {
    net::Gate* gate = nullptr;
    {
      const std::lock_guard lock(world_.mutex);
      ++world_.asked[name_];
      gate = world_.gate;
    }
    if (gate != nullptr)
      gate->Pass();
    if (world_.is_cancelled)
      return absl::CancelledError("cancelled");
    const std::lock_guard lock(world_.mutex);
    const auto at = world_.answers.find(name_);
    return at != world_.answers.end() ? at->second : absl::NotFoundError("nothing here");
  }
  void Cancel() override {
    world_.is_cancelled = true;
    const std::lock_guard lock(world_.mutex);
    if (world_.gate != nullptr)
      world_.gate->Open();
  }

 private:
  World& world_;
  const std::string name_;
};

}  // namespace flarestack::symbol::testing
