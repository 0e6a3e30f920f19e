// SPDX-License-Identifier: Apache-2.0
//
// Reads profiles from a running server instead of files.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/input/api_client.h"
#include "cli/input/page_link.h"

namespace flarestack::cli {

// Selects profiles of a server.
struct ServerScope {
  std::string selector = {};
  std::string from = "now-1h";
  std::string to = "now";
  // an upload instead of stored data; then the time range is the upload's own
  std::string scratch = {};
};

struct FetchOptions {
  std::string type = {};  // as the user wrote it; empty: all types
  // True: every sample as sent, with its attributes. False: sums per stack, which are much cheaper.
  bool with_samples = false;
  uint64_t bytes_max = 0;
};

class ServerSource {
 public:
  void DefineFlags(CLI::App* app);

  // True if profiles come from a server. Returns kInvalidArgument if the flags contradict each
  // other or the named files.
  absl::StatusOr<bool> IsWanted(const std::vector<std::string>& paths) const;

  // --from is a time for a server, but a format for files.
  std::string format_of_files() const;

  // Used in messages.
  const std::string& url() const { return client_.url(); }
  void set_url(std::string url) { client_.set_url(std::move(url)); }

  // Expands a short link; returns other links unchanged. Returns the errors of ApiClient.
  absl::StatusOr<PageLink> Resolve(PageLink link) const;

  // The scope given by the flags.
  const ServerScope& scope() const { return scope_; }

  // Returns the profiles as OTLP. Returns the errors of ApiClient; kNotFound if nothing matches.
  absl::StatusOr<std::string> Fetch(const ServerScope& scope, const FetchOptions& options) const;

 private:
  ApiClient client_;
  ServerScope scope_;
  std::vector<CLI::Option*> scope_options_;
  const CLI::Option* from_ = nullptr;         // one of scope_options_
  std::vector<CLI::Option*> client_options_;  // meaningless without a server
};

}  // namespace flarestack::cli
