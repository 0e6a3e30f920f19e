// SPDX-License-Identifier: Apache-2.0
#include "cli/input/api_client.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "absl/strings/cord.h"
#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "cli/command/failure.h"
#include "cli/output/query_table.h"
#include "net/http/http_client.h"
#include "net/http/http_target.h"

namespace flarestack::cli {
namespace {

constexpr uint64_t kCertificateBytesMax = 1 << 20;
constexpr uint64_t kSmallResponseBytesMax = 1 << 20;
constexpr uint64_t kResponseBytesMax = uint64_t{256} << 20;
constexpr std::chrono::seconds kTimeout{60};
constexpr char kHintPayload[] = "flarestack/hint";

std::string TextOf(const nlohmann::json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

absl::StatusCode CodeOf(int status) {
  if (status == 404)
    return absl::StatusCode::kNotFound;
  const bool is_rejected = status == 401 || status == 403 || status == 429 || status >= 500;
  return is_rejected ? absl::StatusCode::kUnavailable : absl::StatusCode::kInvalidArgument;
}

absl::Status StatusOf(const net::HttpResponse& response) {
  if (response.status == 200)
    return absl::OkStatus();
  const auto json = nlohmann::json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  std::string message;
  std::string hint;
  if (json.is_object()) {
    message = TextOf(json, "message");
    hint = TextOf(json, "hint");
  }
  if (message.empty())
    message = fmt::format("the server responded {}", response.status);
  if (response.status == 401 || response.status == 403)
    hint = "authenticate with --header authorization=\"Bearer TOKEN\"";
  absl::Status status(CodeOf(response.status), message);
  if (!hint.empty())
    status.SetPayload(kHintPayload, absl::Cord(hint));
  return status;
}

std::string UrlOf(std::string server, const ApiRequest& api_request) {
  while (server.ends_with('/'))
    server.pop_back();
  std::string url = server + "/api/v1" + api_request.path;
  char separator = '?';
  for (const auto& [name, value] : api_request.parameters) {
    url += fmt::format("{}{}={}", separator, name, net::PercentEncode(value));
    separator = '&';
  }
  return url;
}

}  // namespace

std::vector<CLI::Option*> ApiClient::DefineFlags(CLI::App* app, const std::string& group) {
  app->add_option("--server", url_, "URL of the server API: http://HOST:4040 or https://...")
      ->envname("FLARESTACK_SERVER")
      ->group(group);
  return {
      app->add_option("--header", headers_,
                      "request header, such as authorization=\"Bearer TOKEN\"")
          ->allow_extra_args(false)
          ->group(group),
      app->add_option("--ca", ca_path_,
                      "PEM file with the CA certificates that sign the server's certificate")
          ->group(group),
  };
}

absl::StatusOr<net::HttpResponse> ApiClient::Get(const ApiRequest& api_request,
                                                 uint64_t bytes_max) const {
  return Send(api_request, "GET", {}, bytes_max);
}

absl::StatusOr<net::HttpResponse> ApiClient::Put(const ApiRequest& api_request,
                                                 std::string body) const {
  return Send(api_request, "PUT", std::move(body), kSmallResponseBytesMax);
}

absl::StatusOr<net::HttpResponse> ApiClient::Delete(const ApiRequest& api_request) const {
  return Send(api_request, "DELETE", {}, kSmallResponseBytesMax);
}

absl::StatusOr<net::HttpResponse> ApiClient::Send(const ApiRequest& api_request, std::string method,
                                                  std::string body, uint64_t bytes_max) const {
  net::HttpClientOptions options;
  options.response_bytes_max = bytes_max;
  if (!ca_path_.empty()) {
    FLARE_ASSIGN(options.ca_pem, base::ReadFile(ca_path_, kCertificateBytesMax));
  }
  net::HttpClientRequest request;
  request.method = std::move(method);
  request.url = UrlOf(url_, api_request);
  if (!body.empty())
    request.headers.Set("Content-Type", "application/octet-stream");
  request.body = std::move(body);
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
  return response;
}

std::string HintOf(const absl::Status& status) {
  const auto hint = status.GetPayload(kHintPayload);
  return hint.has_value() ? std::string(*hint) : std::string();
}

int ReportApiFailure(const std::string& what, const absl::Status& status) {
  ExitCode code = kUnreachable;
  if (absl::IsNotFound(status))
    code = kNothingFound;
  if (absl::IsInvalidArgument(status))
    code = kUsage;
  return Report({what, std::string(base::Message(status)), HintOf(status)}, code);
}

absl::StatusOr<Json> GetJson(const ApiClient& client, const ApiRequest& request) {
  FLARE_ASSIGN(const net::HttpResponse response, client.Get(request, kResponseBytesMax));
  Json json = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return absl::UnavailableError("the response is not from a flarestack server");
  return json;
}

std::string MissingOf(const Json& response) {
  const Json& meta = At(response, "meta");
  if (!IsTrue(At(meta, "partial")))
    return "";
  const std::string missing = TextOf(At(meta, "missing"));
  return missing.empty() ? "the server gave no reason" : missing;
}

Emptiness EmptinessOf(const Json& response, std::string_view flag_prefix) {
  const Json& empty = At(response, "empty");
  Emptiness result = {.reason = TextOf(At(empty, "reason"))};
  if (const int64_t nearest = IntOf(At(empty, "nearest")); nearest != 0)
    result.next = base::StrCat(flag_prefix, "from ", TimeText(nearest), ", where there is data");
  if (const Json& types = At(empty, "types"); !types.empty())
    result.next = base::StrCat(flag_prefix, "type with one of ", Joined(types));
  return result;
}

}  // namespace flarestack::cli
