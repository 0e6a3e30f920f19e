// SPDX-License-Identifier: Apache-2.0
//
// Files from debuginfod servers, which know those of whole distributions by their GNU build ids:
//
//   GET URL/buildid/0123456789abcdef.../debuginfo     DWARF and .symtab
//   GET URL/buildid/0123456789abcdef.../executable    when there are neither
//
// Servers are asked one after the other, in the order given. One that fails again and again is left
// alone for a while. What comes back must have the build id that was asked for. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "net/http/http_download.h"
#include "symbol/file_facts.h"
#include "symbol/sources/circuit_breaker.h"
#include "symbol/symbol_source.h"

namespace flarestack::symbol {

// The words of $DEBUGINFOD_URLS, without slashes at the end. Policies ("ima:enforcing") are not
// ours to keep and are left out, as is whatever is neither http: nor https:.
std::vector<std::string> ParseDebuginfodUrls(std::string_view words);

struct DebuginfodOptions {
  std::vector<std::string> urls;
  // For downloads, and for nothing else: what an earlier process left there is removed.
  std::string directory;
  net::DownloadLimits limits;
  CircuitBreaker::Options circuit;                             // of each server
  std::function<std::chrono::steady_clock::time_point()> now;  // null: the clock
};

class Debuginfod : public SymbolSource {
 public:
  explicit Debuginfod(DebuginfodOptions options);

  std::string name() const override { return "debuginfod"; }

  // kNotFound with the answer of each server, kUnavailable when one of them could not be asked and
  // none has it, kResourceExhausted when the file is above the limit. The files are removed when
  // `keep` of the result is.
  absl::StatusOr<SymbolFiles> Find(const Module& module) override;

  void Cancel() override { is_cancelled_ = true; }

 private:
  struct Server {
    std::string url;
    std::unique_ptr<CircuitBreaker> circuit;
  };
  // One look for one module.
  class Search;

  const DebuginfodOptions options_;
  std::vector<Server> servers_;
  std::atomic<bool> is_cancelled_ = false;
};

}  // namespace flarestack::symbol
