// SPDX-License-Identifier: Apache-2.0
//
// Client for the API of a server: address, credentials, and the mapping of HTTP errors.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/output/json_fields.h"
#include "net/http/http_message.h"

namespace flarestack::cli {

struct ApiRequest {
  std::string path;  // below /api/v1, such as "/top"
  std::vector<std::pair<std::string, std::string>> parameters = {};  // not escaped

  // Skips empty values, so that the server uses its default.
  void Add(std::string name, std::string value) {
    if (!value.empty())
      parameters.emplace_back(std::move(name), std::move(value));
  }
};

class ApiClient {
 public:
  // `url` is the default server.
  explicit ApiClient(std::string url = {}) : url_(std::move(url)) {}

  // Defines --server, --header and --ca. Returns the options that are meaningless without a server.
  std::vector<CLI::Option*> DefineFlags(CLI::App* app, const std::string& group);

  const std::string& url() const { return url_; }
  void set_url(std::string url) { url_ = std::move(url); }

  // Returns a response with status 200. Fails with kNotFound if the server has no such resource,
  // kInvalidArgument if the request is invalid, kUnavailable if the server is unreachable or
  // rejects the request. The error has the server's message, and HintOf() returns its hint.
  absl::StatusOr<net::HttpResponse> Get(const ApiRequest& api_request, uint64_t bytes_max) const;

  // The same for requests that modify data; their responses are small.
  absl::StatusOr<net::HttpResponse> Put(const ApiRequest& api_request, std::string body) const;
  absl::StatusOr<net::HttpResponse> Delete(const ApiRequest& api_request) const;

 private:
  absl::StatusOr<net::HttpResponse> Send(const ApiRequest& api_request, std::string method,
                                         std::string body, uint64_t bytes_max) const;

  std::string url_;
  std::vector<std::string> headers_;
  std::string ca_path_;
};

std::string HintOf(const absl::Status& status);

// Prints three lines about a failed request, and returns the exit code.
int ReportApiFailure(const std::string& what, const absl::Status& status);

// Returns a JSON response, which is an object, or an error of ApiClient.
absl::StatusOr<Json> GetJson(const ApiClient& client, const ApiRequest& request);

// The data missing from the response and why; empty if it is complete.
std::string MissingOf(const Json& response);

// Why the response is empty, and what to request instead if the server knows.
struct Emptiness {
  std::string reason;  // empty: the response is not marked as empty
  std::string next = {};
};
// `flag_prefix` precedes parameter names: "--" on the command line.
Emptiness EmptinessOf(const Json& response, std::string_view flag_prefix);

}  // namespace flarestack::cli
