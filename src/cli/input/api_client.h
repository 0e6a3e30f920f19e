// SPDX-License-Identifier: Apache-2.0
//
// Asks the API of a server: where it is, who asks, and what its refusals mean for the program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "net/http/http_message.h"

namespace flarestack::cli {

struct ApiQuestion {
  std::string path;  // below /api/v1, such as "/top"
  std::vector<std::pair<std::string, std::string>> parameters = {};  // as people write them

  // Leaves out what is empty: the server has a default for it.
  void Add(std::string name, std::string value) {
    if (!value.empty())
      parameters.emplace_back(std::move(name), std::move(value));
  }
};

class ApiClient {
 public:
  // `url` is what holds when none is given.
  explicit ApiClient(std::string url = {}) : url_(std::move(url)) {}

  // --server, --header and --ca. Answers those that mean nothing without a server.
  std::vector<CLI::Option*> DefineFlags(CLI::App* app, const std::string& group);

  const std::string& url() const { return url_; }
  void set_url(std::string url) { url_ = std::move(url); }

  // An answer with status 200. kNotFound when the server has no such thing, kInvalidArgument when
  // the question is wrong, kUnavailable when it cannot be reached or refuses. The message has the
  // server's own words, and HintOf() what it says to do about it.
  absl::StatusOr<net::HttpResponse> Get(const ApiQuestion& question, uint64_t bytes_max) const;

  // The same for requests that change something; their answers are small.
  absl::StatusOr<net::HttpResponse> Put(const ApiQuestion& question, std::string body) const;
  absl::StatusOr<net::HttpResponse> Delete(const ApiQuestion& question) const;

 private:
  absl::StatusOr<net::HttpResponse> Send(const ApiQuestion& question, std::string method,
                                         std::string body, uint64_t bytes_max) const;

  std::string url_;
  std::vector<std::string> headers_;
  std::string ca_path_;
};

std::string HintOf(const absl::Status& status);

// Three lines about a question that got no answer, and the exit code for it.
int ReportApiFailure(const std::string& what, const absl::Status& status);

}  // namespace flarestack::cli
