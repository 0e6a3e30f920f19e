// SPDX-License-Identifier: Apache-2.0
//
// OTLP requests for servers under test, and what came of them.
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

// Text that hardly compresses.
std::string RandomText(uint64_t seed, size_t bytes);

std::string ToProtobuf(const model::Batch& batch);

// Of a second ago; lines as in store/testing/event_text.h.
model::Batch OneProfile(const std::string& service, const std::vector<std::string>& lines);

// A numbered sample in a profile of its own, with an id, so that sending it again does not count
// twice. `padding_bytes` of text that does not compress go along, in another profile.
std::string NumberedMessage(uint64_t number, uint64_t time_nanos, size_t padding_bytes = 0);

// Requests in OTLP/JSON, of one resource with this service.name. Items are JSON.
std::string TracesRequest(std::string_view service, const std::vector<std::string>& spans);
std::string LogsRequest(std::string_view service, const std::vector<std::string>& records);
std::string MetricsRequest(std::string_view service, const std::vector<std::string>& metrics);

// How often each number is in the store: 1 is right. Paddings are left out.
std::map<uint64_t, int> NumberedCounts(const ServerProcess& server);

}  // namespace flarestack::testing
