// SPDX-License-Identifier: Apache-2.0
#include "server/limits/limits_of_ports.h"

#include <algorithm>
#include <utility>

namespace flarestack::server {
namespace {

// A gRPC client keeps its connection open between exports, which may be a minute apart.
constexpr int kGrpcIdleFactor = 5;

constexpr uint64_t kGrpcBufferBytesMin = 128 << 20;

int ToInt(uint64_t number) { return static_cast<int>(std::min<uint64_t>(number, INT32_MAX)); }

net::DecompressLimits DecompressLimits(const Limits& limits) {
  net::DecompressLimits decompress;
  decompress.bytes_max =
      limits.decompressed_bytes_max != 0 ? limits.decompressed_bytes_max : limits.request_bytes_max;
  decompress.ratio_max = limits.compression_ratio_max;
  return decompress;
}

}  // namespace

net::HttpLimits HttpLimits(const Limits& limits) {
  net::HttpLimits http;
  http.body_bytes_max = limits.request_bytes_max;
  http.decompress = DecompressLimits(limits);
  http.connections_max = ToInt(limits.connections_max);
  http.requests_in_flight_max = ToInt(limits.requests_max);
  http.header_timeout = limits.header_timeout;
  http.body_timeout = limits.body_timeout;
  http.idle_timeout = limits.idle_timeout;
  return http;
}

net::GrpcLimits GrpcLimits(const Limits& limits, uint64_t memory_bytes_max) {
  net::GrpcLimits grpc;
  grpc.message_bytes_max = ToInt(limits.request_bytes_max);
  grpc.decompress = DecompressLimits(limits);
  grpc.connections_max = ToInt(limits.connections_max);
  grpc.calls_max = ToInt(limits.requests_max);
  grpc.handshake_timeout = limits.header_timeout;
  grpc.message_timeout = limits.body_timeout;
  grpc.idle_timeout = limits.idle_timeout * kGrpcIdleFactor;
  grpc.transport_bytes_max = std::max(memory_bytes_max, kGrpcBufferBytesMin);
  return grpc;
}

pipeline::OtlpReceiverOptions ReceiverOptions(const Limits& limits) {
  pipeline::OtlpReceiverOptions options;
  options.limits.samples_max = limits.samples_max;
  options.limits.items_max = limits.items_max;
  options.limits.table_entries_max = limits.table_entries_max;
  options.attributes = {.count_max = limits.attributes_max,
                        .value_bytes_max = limits.attribute_value_bytes_max};
  return options;
}

net::RejectionHook CountRejections(std::string port, base::Counters* counters) {
  return [port = std::move(port), counters](std::string_view status, net::RejectionReason reason) {
    counters->Add("flarestack_requests_refused_total",
                  {{"port", port}, {"status", status}, {"reason", net::RejectionName(reason)}}, 1);
  };
}

}  // namespace flarestack::server
