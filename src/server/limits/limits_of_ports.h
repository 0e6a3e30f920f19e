// SPDX-License-Identifier: Apache-2.0
//
// The limits of the server in the words of its parts.
#pragma once

#include <string>

#include "base/counters.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/refusal.h"
#include "pipeline/receivers/otlp_receiver.h"
#include "server/limits/limits.h"

namespace flarestack::server {

net::HttpLimits HttpLimits(const Limits& limits);

// The buffers of gRPC itself are held to `memory_bytes_max`, or a little more where that is little:
// beyond it gRPC cuts calls in a way that their senders take for final.
net::GrpcLimits GrpcLimits(const Limits& limits, uint64_t memory_bytes_max);

pipeline::OtlpReceiverOptions ReceiverOptions(const Limits& limits);

// flarestack_requests_refused_total, by port, status and reason. The counters must outlive the
// hook.
net::RefusalHook CountRefusals(std::string port, base::Counters* counters);

}  // namespace flarestack::server
