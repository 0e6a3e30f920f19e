// SPDX-License-Identifier: Apache-2.0
//
// OTLP over gRPC: the four Export methods around a receiver.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/signal.h"
#include "net/grpc/grpc_server.h"
#include "server/ingest/otlp_intake.h"

namespace flarestack::server {

std::string_view OtlpGrpcMethod(model::Signal signal);

// The intake must outlive the methods.
std::vector<net::GrpcMethod> OtlpGrpcMethods(OtlpIntake* intake);

// grpc-status-details-bin for a status that the gRPC server itself returns.
std::string OtlpGrpcDetails(const absl::Status& status,
                            std::optional<std::chrono::milliseconds> retry_delay);

}  // namespace flarestack::server
