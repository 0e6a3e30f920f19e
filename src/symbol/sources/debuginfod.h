// SPDX-License-Identifier: Apache-2.0
//
// Downloads files from debuginfod servers, which index whole distributions by GNU build id:
//
//   GET URL/buildid/0123456789abcdef.../debuginfo     DWARF and .symtab
//   GET URL/buildid/0123456789abcdef.../executable    when there are neither
//
// Servers are queried in the given order. A circuit breaker skips a server that keeps failing. A
// downloaded file must have the requested build id. Thread-safe.
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

// Splits $DEBUGINFOD_URLS into URLs and removes trailing slashes. Skips policies ("ima:enforcing"),
// which we do not implement, and anything that is neither http: nor https:.
std::vector<std::string> ParseDebuginfodUrls(std::string_view words);

struct DebuginfodOptions {
  std::vector<std::string> urls;
  // Used only for downloads: files left by an earlier process are removed.
  std::string directory;
  net::DownloadLimits limits;
  CircuitBreaker::Options circuit;                             // for each server
  std::function<std::chrono::steady_clock::time_point()> now;  // null: steady_clock
};

class Debuginfod : public SymbolSource {
 public:
  explicit Debuginfod(DebuginfodOptions options);

  std::string name() const override { return "debuginfod"; }

  // Returns kNotFound with the response of each server, kUnavailable if no server has the file and
  // at least one could not be queried, and kResourceExhausted if the file exceeds the limit. The
  // files are removed when the result's `keep` is released.
  absl::StatusOr<SymbolFiles> Find(const Module& module) override;

  void Cancel() override { is_cancelled_ = true; }

 private:
  struct Server {
    std::string url;
    std::unique_ptr<CircuitBreaker> circuit;
  };
  // One search for one module.
  class Search;

  const DebuginfodOptions options_;
  std::vector<Server> servers_;
  std::atomic<bool> is_cancelled_ = false;
};

}  // namespace flarestack::symbol
