// SPDX-License-Identifier: Apache-2.0
//
// Profiles out of a running server instead of files: which server, and what to ask it for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/input/api_client.h"
#include "cli/input/page_link.h"

namespace flarestack::cli {

// Which profiles of a server.
struct ServerScope {
  std::string selector = {};
  std::string from = "now-1h";
  std::string to = "now";
  std::string scratch = {};  // an upload instead of what was sent; then times are those of its own
};

struct FetchOptions {
  std::string type = {};  // as the user wrote it; empty is all
  // Every sample as it was sent, with its attributes. Without, the sums of stacks, which are much
  // less work.
  bool with_samples = false;
  uint64_t bytes_max = 0;
};

class ServerSource {
 public:
  void DefineFlags(CLI::App* app);

  // Whether profiles are to come from a server. kInvalidArgument when the flags contradict each
  // other or the files that are named.
  absl::StatusOr<bool> IsWanted(const std::vector<std::string>& paths) const;

  // --from is a time of a server's data, and the format of files.
  std::string format_of_files() const;

  // As messages call it.
  const std::string& url() const { return client_.url(); }
  void set_url(std::string url) { client_.set_url(std::move(url)); }

  // A short link as the one that it stands for; others as they are. Errors as ApiClient has them.
  absl::StatusOr<PageLink> Resolve(PageLink link) const;

  // What the flags say.
  const ServerScope& scope() const { return scope_; }

  // The profiles as OTLP. Errors as ApiClient has them; kNotFound when nothing matches.
  absl::StatusOr<std::string> Fetch(const ServerScope& scope, const FetchOptions& options) const;

 private:
  ApiClient client_;
  ServerScope scope_;
  std::vector<CLI::Option*> scope_options_;
  const CLI::Option* from_ = nullptr;         // of those
  std::vector<CLI::Option*> client_options_;  // that have a meaning with a server alone
};

}  // namespace flarestack::cli
