// SPDX-License-Identifier: Apache-2.0
//
// Where OTLP goes and how: plain values, found by otlp_environment.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "codec/otlp/export_response.h"
#include "net/http/http_message.h"

namespace flarestack::record::exporting {

enum class OtlpProtocol : uint8_t { kGrpc, kHttpProtobuf, kHttpJson };

// OTLP demands none and gzip of a server. zstd is an extension that ours takes over HTTP.
enum class OtlpCompression : uint8_t { kNone, kGzip, kZstd };

struct OtlpTarget {
  model::Signal signal = model::Signal::kProfiles;
  OtlpProtocol protocol = OtlpProtocol::kHttpProtobuf;
  std::string endpoint;  // as it was given
  std::string url;       // of HTTP, with the path of the signal
  std::string address;   // of gRPC: HOST:PORT
  bool use_tls = false;  // of gRPC
  net::HttpHeaders headers;
  OtlpCompression compression = OtlpCompression::kGzip;
  std::chrono::milliseconds timeout{30'000};  // of one try

  // Contents of the files, in PEM.
  std::string ca_pem;           // who may sign the server's certificate; empty: the system's list
  std::string certificate_pem;  // our own, for servers that ask; empty: none
  std::string key_pem;
};

}  // namespace flarestack::record::exporting
