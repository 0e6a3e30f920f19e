// SPDX-License-Identifier: Apache-2.0
//
// An OTLP target: plain values, filled in by otlp_environment.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "codec/otlp/export_response.h"
#include "model/signal.h"
#include "net/http/http_message.h"

namespace flarestack::record::exporting {

enum class OtlpProtocol : uint8_t { kGrpc, kHttpProtobuf, kHttpJson };

// OTLP requires servers to support none and gzip. zstd is an extension that our server accepts over
// HTTP.
enum class OtlpCompression : uint8_t { kNone, kGzip, kZstd };

struct OtlpTarget {
  model::Signal signal = model::Signal::kProfiles;
  OtlpProtocol protocol = OtlpProtocol::kHttpProtobuf;
  std::string endpoint;  // as given by the user
  std::string url;       // HTTP: with the path of the signal
  std::string address;   // gRPC: HOST:PORT
  bool use_tls = false;  // gRPC only
  net::HttpHeaders headers;
  OtlpCompression compression = OtlpCompression::kGzip;
  std::chrono::milliseconds timeout{30'000};  // per attempt

  // File contents in PEM.
  std::string ca_pem;  // CAs trusted for the server's certificate; empty: the system's list
  std::string certificate_pem;  // client certificate, for servers that require one; empty: none
  std::string key_pem;
};

}  // namespace flarestack::record::exporting
