// SPDX-License-Identifier: Apache-2.0
#include "record/export/otlp_environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "model/signal.h"
#include "net/http/http_target.h"

namespace flarestack::record::exporting {
namespace {

constexpr std::string_view kProfilesPath = "v1development/profiles";
constexpr std::string_view kMetricsPath = "v1/metrics";
constexpr uint64_t kPemBytesMax = 1 << 20;
constexpr uint64_t kTimeoutMsMax = 3'600'000;

using model::Signal;

enum class From : uint8_t { kFlag, kSignalVariable, kGeneralVariable, kDefault };

// The variables that apply to one signal.
struct Variables {
  const Environment& read;
  Signal signal = Signal::kProfiles;

  const char* word() const { return signal == Signal::kMetrics ? "METRICS_" : "PROFILES_"; }
  std::string_view path() const {
    return signal == Signal::kMetrics ? kMetricsPath : kProfilesPath;
  }
};

// A value and its origin.
struct Given {
  std::string value;
  std::string source;
  From from = From::kDefault;
};

std::optional<Given> Find(const std::string& suffix, const Variables& variables) {
  for (const From from : {From::kSignalVariable, From::kGeneralVariable}) {
    std::string name = base::StrCat("OTEL_EXPORTER_OTLP_",
                                    from == From::kSignalVariable ? variables.word() : "", suffix);
    if (auto value = variables.read(name); value.has_value() && !value->empty())
      return Given{*std::move(value), std::move(name), from};
  }
  return std::nullopt;
}

std::optional<Given> Find(const std::string& flag_value, const std::string& flag,
                          const std::string& suffix, const Variables& variables) {
  if (!flag_value.empty())
    return Given{flag_value, flag, From::kFlag};
  return Find(suffix, variables);
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
  return Wrong(*given, "is not one of grpc, http/protobuf, http/json");
}

absl::StatusOr<OtlpCompression> CompressionOf(const std::optional<Given>& given,
                                              OtlpProtocol protocol) {
  if (!given.has_value() || given->value == "gzip")
    return OtlpCompression::kGzip;
  if (given->value == "none")
    return OtlpCompression::kNone;
  if (given->value != "zstd")
    return Wrong(*given, "is not one of gzip, zstd, none");
  if (protocol == OtlpProtocol::kGrpc)
    return Wrong(*given, "is supported only over HTTP; use gzip or none with gRPC");
  return OtlpCompression::kZstd;
}

absl::StatusOr<std::chrono::milliseconds> TimeoutOf(const Given& given) {
  uint64_t ms = 0;
  const char* const end = given.value.data() + given.value.size();
  const auto [rest, error] = std::from_chars(given.value.data(), end, ms);
  if (error != std::errc() || rest != end || ms == 0 || ms > kTimeoutMsMax)
    return Wrong(given, base::StrCat("is not a number of milliseconds from 1 to ", kTimeoutMsMax));
  return std::chrono::milliseconds(ms);
}

absl::StatusOr<bool> IsInsecure(const std::optional<Given>& given) {
  if (!given.has_value() || net::EqualsIgnoringCase(given->value, "false"))
    return false;
  if (net::EqualsIgnoringCase(given->value, "true"))
    return true;
  return Wrong(*given, "is neither true nor false");
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
    // The value may be a secret, so it is not included.
    if (name.empty() || !value.has_value())
      return absl::InvalidArgumentError(
          base::StrCat(given.source, ": it is not of the form NAME=VALUE,NAME=VALUE"));
    headers.Set(name, *value);
  }
  return headers;
}

absl::StatusOr<net::HttpHeaders> FindHeaders(const OtlpTargetFlags& flags,
                                             const Variables& variables) {
  net::HttpHeaders headers;
  if (const auto given = Find("HEADERS", variables); given.has_value()) {
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

// The general endpoint is a base URL, the endpoint of a signal is a complete URL, and a flag is
// either one, depending on whether it has a path.
absl::StatusOr<std::string> UrlOf(const Given& endpoint, size_t host_begin,
                                  const Variables& variables) {
  std::string url = endpoint.value;
  const size_t path = url.find('/', host_begin);
  const bool has_path = path != std::string::npos && path + 1 < url.size();
  if (endpoint.from == From::kSignalVariable)
    return path == std::string::npos ? url + "/" : url;
  if (has_path && endpoint.from != From::kGeneralVariable) {
    if (variables.signal == Signal::kProfiles)
      return url;
    if (!url.ends_with(kProfilesPath))
      return Wrong(endpoint, "has a path for one signal, so the path of others is unknown");
    url.resize(url.size() - kProfilesPath.size());
  }
  return base::StrCat(url, url.ends_with('/') ? "" : "/", variables.path());
}

// Sets protocol, URL and address.
absl::Status SetEndpoint(const Given& endpoint, std::optional<OtlpProtocol> protocol,
                         const Variables& variables, OtlpTarget* target) {
  target->endpoint = endpoint.value;
  const size_t scheme_end = endpoint.value.find("://");
  const bool has_scheme = scheme_end != std::string::npos;
  const std::string scheme = has_scheme ? endpoint.value.substr(0, scheme_end) : "";
  const bool is_grpc_scheme = scheme == "grpc" || scheme == "grpcs";
  const bool is_bare_grpc = !has_scheme && protocol == OtlpProtocol::kGrpc;
  if (!is_grpc_scheme && !is_bare_grpc && scheme != "http" && scheme != "https")
    return Wrong(endpoint,
                 "is not an endpoint: it must start with http://, https://, grpc:// or grpcs://");
  const size_t host_begin = has_scheme ? scheme_end + 3 : 0;
  // A gRPC scheme is decisive; a protocol variable set for other programs does not matter.
  target->protocol =
      is_grpc_scheme ? OtlpProtocol::kGrpc : protocol.value_or(OtlpProtocol::kHttpProtobuf);
  if (target->protocol != OtlpProtocol::kGrpc) {
    FLARE_ASSIGN(target->url, UrlOf(endpoint, host_begin, variables));
    return absl::OkStatus();
  }
  FLARE_ASSIGN(const bool is_insecure, IsInsecure(Find("INSECURE", variables)));
  target->use_tls = has_scheme ? scheme == "grpcs" || scheme == "https" : !is_insecure;
  target->address =
      endpoint.value.substr(host_begin, endpoint.value.find('/', host_begin) - host_begin);
  return absl::OkStatus();
}

absl::Status SetCertificates(const OtlpTargetFlags& flags, const Variables& variables,
                             const PemReader& read_pem, OtlpTarget* target) {
  const auto ca = Find(flags.ca_path, "--ca", "CERTIFICATE", variables);
  const auto certificate = Find("CLIENT_CERTIFICATE", variables);
  const auto key = Find("CLIENT_KEY", variables);
  if (certificate.has_value() != key.has_value())
    return absl::InvalidArgumentError(
        base::StrCat((certificate.has_value() ? certificate : key)->source, ": ",
                     certificate.has_value() ? "a client certificate needs its key"
                                             : "a client key needs its certificate"));
  for (const auto& [given, pem] :
       {std::pair{&ca, &target->ca_pem}, std::pair{&certificate, &target->certificate_pem},
        std::pair{&key, &target->key_pem}}) {
    if (!given->has_value())
      continue;
    auto bytes = read_pem((*given)->value);
    if (!bytes.ok())
      return base::WithContext((*given)->source, bytes.status());
    *pem = *std::move(bytes);
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<std::string> ProcessVariable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

absl::StatusOr<std::string> ReadPemFile(const std::string& path) {
  return base::ReadFile(path, kPemBytesMax);
}

absl::StatusOr<OtlpTarget> FindOtlpTarget(const OtlpTargetFlags& flags,
                                          const Environment& environment, const PemReader& read_pem,
                                          model::Signal signal) {
  const Variables variables = {.read = environment, .signal = signal};
  FLARE_ASSIGN(const std::optional<OtlpProtocol> protocol,
               ProtocolOf(Find(flags.protocol, "--protocol", "PROTOCOL", variables)));
  const Given endpoint =
      Find(flags.endpoint, "--endpoint", "ENDPOINT", variables)
          .value_or(Given{
              protocol == OtlpProtocol::kGrpc ? "http://127.0.0.1:4317" : "http://127.0.0.1:4318",
              "default"});
  OtlpTarget target;
  target.signal = signal;
  FLARE_RETURN_IF_ERROR(SetEndpoint(endpoint, protocol, variables, &target));
  const bool is_grpc = target.protocol == OtlpProtocol::kGrpc;
  if (is_grpc && !flags.protocol.empty() && protocol != OtlpProtocol::kGrpc)
    return Wrong(endpoint, base::StrCat("conflicts with --protocol ", flags.protocol));
  FLARE_ASSIGN(target.headers, FindHeaders(flags, variables));
  if (const auto timeout = Find("TIMEOUT", variables); timeout.has_value()) {
    FLARE_ASSIGN(target.timeout, TimeoutOf(*timeout));
  }
  FLARE_ASSIGN(target.compression,
               CompressionOf(Find(flags.compression, "--compression", "COMPRESSION", variables),
                             target.protocol));
  FLARE_RETURN_IF_ERROR(SetCertificates(flags, variables, read_pem, &target));
  return target;
}

}  // namespace flarestack::record::exporting
