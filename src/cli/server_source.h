// SPDX-License-Identifier: Apache-2.0
//
// Profiles out of a running server instead of files: which server, and what to ask it for.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::cli {

class ServerSource {
 public:
  void DefineFlags(CLI::App* app);

  // Whether profiles are to come from a server. kInvalidArgument when the flags contradict each
  // other or the files that are named.
  absl::StatusOr<bool> IsWanted(const std::vector<std::string>& paths) const;

  // As messages call it.
  const std::string& url() const { return url_; }

  // The profiles as OTLP. `type` as the user wrote it; samples have their attributes only if they
  // are wanted, because sums of stacks are much less work. kNotFound when nothing matches,
  // kUnavailable when there is no answer; other answers that are no profiles have the server's own
  // words.
  absl::StatusOr<std::string> Fetch(const std::string& type, bool with_attributes,
                                    uint64_t bytes_max) const;

 private:
  std::string url_;
  std::string selector_;
  std::string from_ = "now-1h";
  std::string to_ = "now";
  std::vector<std::string> headers_;
  std::string ca_path_;
  std::vector<CLI::Option*> options_;  // that have a meaning with a server alone
};

}  // namespace flarestack::cli
