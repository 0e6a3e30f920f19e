// SPDX-License-Identifier: Apache-2.0
//
// OTLP requests for servers under test, and checks of the stored data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/batch.h"
#include "server_process.h"

namespace flarestack::testing {

inline constexpr char kProfilesMethod[] =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

// Text that barely compresses.
std::string RandomText(uint64_t seed, size_t bytes);

std::string ToProtobuf(const model::Batch& batch);

// A profile from a second ago; lines as in store/testing/event_text.h.
model::Batch OneProfile(const std::string& service, const std::vector<std::string>& lines);

// A numbered sample in its own profile, with a profile id, so that sending it again does not count
// twice. Another profile adds `padding_bytes` of incompressible text.
std::string NumberedMessage(uint64_t number, uint64_t time_nanos, size_t padding_bytes = 0);

// OTLP/JSON requests with one resource of this service.name. Items are JSON.
std::string TracesRequest(std::string_view service, const std::vector<std::string>& spans);
std::string LogsRequest(std::string_view service, const std::vector<std::string>& records);
std::string MetricsRequest(std::string_view service, const std::vector<std::string>& metrics);

// How often each number is stored; 1 is correct. Ignores padding.
std::map<uint64_t, int> NumberedCounts(const ServerProcess& server);

}  // namespace flarestack::testing
