// SPDX-License-Identifier: Apache-2.0
#include "cli/server_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/status.h"
#include "net/http_client.h"
#include "net/http_target.h"

namespace flarestack::cli {
namespace {

constexpr uint64_t kCertificateBytesMax = 1 << 20;
constexpr std::chrono::seconds kTimeout{60};

// What the server says of an answer that is none: its message, and its hint if it has one.
std::string Explain(const net::HttpResponse& response) {
  const auto json = nlohmann::json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("message") || !json["message"].is_string())
    return fmt::format("the server answers {}", response.status);
  std::string text = json["message"].get<std::string>();
  if (json.contains("hint") && json["hint"].is_string() && !json["hint"].get<std::string>().empty())
    text += fmt::format(" ({})", json["hint"].get<std::string>());
  return text;
}

absl::Status StatusOf(const net::HttpResponse& response) {
  switch (response.status) {
    case 200:
      return absl::OkStatus();
    case 404:
      return absl::NotFoundError(Explain(response));
    case 401:
    case 403:
      return absl::UnavailableError(fmt::format(
          "{}; --header authorization=\"Bearer TOKEN\" shows who you are", Explain(response)));
    default:
      return response.status >= 500 ? absl::UnavailableError(Explain(response))
                                    : absl::InvalidArgumentError(Explain(response));
  }
}

}  // namespace

void ServerSource::DefineFlags(CLI::App* app) {
  constexpr char kGroup[] = "Profiles of a server, instead of files";
  app->add_option("--server", url_, "http://HOST:4040 or https://..., the API of a server")
      ->envname("FLARESTACK_SERVER")
      ->group(kGroup);
  options_ = {
      app->add_option("-q,--query", selector_, "which, such as '{service.name=\"cart\"}'")
          ->type_name("SELECTOR"),
      app->add_option("--from", from_, "since when, such as now-1h or 2026-03-01T12:30:00Z")
          ->type_name("TIME"),
      app->add_option("--to", to_, "until when")->type_name("TIME"),
      app->add_option("--header", headers_, "NAME=VALUE, such as authorization=\"Bearer TOKEN\"")
          ->allow_extra_args(false),
      app->add_option("--ca", ca_path_, "PEM file: who may sign the server's certificate"),
  };
  for (CLI::Option* option : options_)
    option->group(kGroup);
}

absl::StatusOr<bool> ServerSource::IsWanted(const std::vector<std::string>& paths) const {
  const auto given =
      std::ranges::find_if(options_, [](const CLI::Option* option) { return option->count() > 0; });
  if (given != options_.end() && (url_.empty() || !paths.empty())) {
    return absl::InvalidArgumentError(
        fmt::format("{} asks a server, and {}", (*given)->get_name(),
                    url_.empty() ? "none is named by --server" : "files are named"));
  }
  return !url_.empty() && paths.empty();
}

absl::StatusOr<std::string> ServerSource::Fetch(const std::string& type, bool with_attributes,
                                                uint64_t bytes_max) const {
  net::HttpClientOptions options;
  options.response_bytes_max = bytes_max;
  if (!ca_path_.empty()) {
    FLARE_ASSIGN(options.ca_pem, base::ReadFile(ca_path_, kCertificateBytesMax));
  }
  net::HttpClientRequest request;
  std::string server = url_;
  while (server.ends_with('/'))
    server.pop_back();
  request.url =
      fmt::format("{}/api/v1/export?format=otlp&detail={}&q={}&type={}&from={}&to={}", server,
                  with_attributes ? "samples" : "sums", net::PercentEncode(selector_),
                  net::PercentEncode(type), net::PercentEncode(from_), net::PercentEncode(to_));
  request.timeout = kTimeout;
  for (const std::string& header : headers_) {
    const size_t equals = header.find('=');
    if (equals == std::string::npos)
      return absl::InvalidArgumentError(fmt::format("--header {}: not NAME=VALUE", header));
    request.headers.Set(header.substr(0, equals), header.substr(equals + 1));
  }
  net::HttpClient client(std::move(options));
  FLARE_ASSIGN(net::HttpResponse response, client.Send(request));
  FLARE_RETURN_IF_ERROR(StatusOf(response));
  return std::move(response.body);
}

}  // namespace flarestack::cli
