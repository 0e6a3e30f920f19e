// SPDX-License-Identifier: Apache-2.0
#include "cli/otlp_target.h"

#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/text.h"
#include "net/http_target.h"

namespace flarestack::cli {
namespace {

constexpr std::string_view kSignalPath = "v1development/profiles";

// A value and where it comes from.
struct Given {
  std::string value;
  std::string source;
  bool is_for_all_signals = false;
};

std::optional<Given> Find(const std::string& flag_value, const std::string& flag,
                          const std::string& suffix, const Environment& environment) {
  if (!flag_value.empty())
    return Given{flag_value, flag};
  for (const bool is_for_all : {false, true}) {
    std::string name = base::StrCat("OTEL_EXPORTER_OTLP_", is_for_all ? "" : "PROFILES_", suffix);
    if (auto value = environment(name); value.has_value() && !value->empty())
      return Given{*std::move(value), std::move(name), is_for_all};
  }
  return std::nullopt;
}

absl::Status Wrong(const Given& given, std::string_view why) {
  return absl::InvalidArgumentError(base::StrCat(given.source, ": \"", given.value, "\" ", why));
}

absl::StatusOr<std::optional<OtlpProtocol>> ProtocolOf(const std::optional<Given>& given) {
  if (!given.has_value())
    return std::nullopt;
  if (given->value == "grpc")
    return OtlpProtocol::kGrpc;
  if (given->value == "http/protobuf")
    return OtlpProtocol::kHttpProtobuf;
  if (given->value == "http/json")
    return OtlpProtocol::kHttpJson;
  return Wrong(*given, "is none of grpc, http/protobuf and http/json");
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// name=value,name=value, percent-encoded, as in W3C Baggage.
absl::StatusOr<net::HttpHeaders> ParseHeaders(const Given& given) {
  net::HttpHeaders headers;
  std::string_view rest = given.value;
  while (!rest.empty()) {
    const std::string_view entry = Trimmed(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), rest.find(',')));
    if (!rest.empty())
      rest.remove_prefix(1);
    if (entry.empty())
      continue;
    const size_t equals = entry.find('=');
    const std::string_view name = Trimmed(entry.substr(0, equals));
    const auto value = equals == std::string_view::npos
                           ? std::nullopt
                           : net::PercentDecode(Trimmed(entry.substr(equals + 1)));
    // The value may be a secret and is not repeated.
    if (name.empty() || !value.has_value())
      return absl::InvalidArgumentError(
          base::StrCat(given.source, ": it is not of the form NAME=VALUE,NAME=VALUE"));
    headers.Set(name, *value);
  }
  return headers;
}

absl::StatusOr<net::HttpHeaders> FindHeaders(const OtlpTargetFlags& flags,
                                             const Environment& environment) {
  net::HttpHeaders headers;
  if (const auto given = Find("", "", "HEADERS", environment); given.has_value()) {
    FLARE_ASSIGN(headers, ParseHeaders(*given));
  }
  for (const std::string& header : flags.headers) {
    const size_t equals = header.find('=');
    if (equals == std::string::npos || equals == 0)
      return absl::InvalidArgumentError("--header: it has no NAME= in front");
    headers.Set(header.substr(0, equals), header.substr(equals + 1));
  }
  return headers;
}

std::string UrlOf(const Given& endpoint, size_t host_begin) {
  const std::string& url = endpoint.value;
  const size_t path = url.find('/', host_begin);
  const bool has_path = path != std::string::npos && path + 1 < url.size();
  if (has_path && !endpoint.is_for_all_signals)
    return url;
  return base::StrCat(url, url.ends_with('/') ? "" : "/", kSignalPath);
}

}  // namespace

absl::StatusOr<OtlpTarget> FindOtlpTarget(const OtlpTargetFlags& flags,
                                          const Environment& environment) {
  FLARE_ASSIGN(const std::optional<OtlpProtocol> protocol,
               ProtocolOf(Find(flags.protocol, "--protocol", "PROTOCOL", environment)));
  const Given endpoint =
      Find(flags.endpoint, "--endpoint", "ENDPOINT", environment)
          .value_or(Given{
              protocol == OtlpProtocol::kGrpc ? "http://127.0.0.1:4317" : "http://127.0.0.1:4318",
              "default"});
  OtlpTarget target;
  target.endpoint = endpoint.value;
  FLARE_ASSIGN(target.headers, FindHeaders(flags, environment));
  const size_t scheme_end = endpoint.value.find("://");
  const std::string scheme =
      scheme_end == std::string::npos ? "" : endpoint.value.substr(0, scheme_end);
  const bool is_grpc_scheme = scheme == "grpc" || scheme == "grpcs";
  if (!is_grpc_scheme && scheme != "http" && scheme != "https")
    return Wrong(endpoint, "is no endpoint: it begins with http://, https://, grpc:// or grpcs://");
  const size_t host_begin = scheme_end + 3;
  // The scheme of gRPC says it all; a variable that is there for other programs does not matter.
  target.protocol =
      is_grpc_scheme ? OtlpProtocol::kGrpc : protocol.value_or(OtlpProtocol::kHttpProtobuf);
  if (target.protocol != OtlpProtocol::kGrpc) {
    target.url = UrlOf(endpoint, host_begin);
    return target;
  }
  if (is_grpc_scheme && !flags.protocol.empty() && protocol != OtlpProtocol::kGrpc)
    return Wrong(endpoint, base::StrCat("does not go with --protocol ", flags.protocol));
  target.use_tls = scheme == "grpcs" || scheme == "https";
  target.address =
      endpoint.value.substr(host_begin, endpoint.value.find('/', host_begin) - host_begin);
  return target;
}

}  // namespace flarestack::cli
