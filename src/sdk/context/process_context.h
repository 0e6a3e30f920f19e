// SPDX-License-Identifier: Apache-2.0
//
// Publishes the resource of this process, and the names of its thread labels, for any profiler
// (OTEP 4719): a mapping named OTEL_CTX holds a header that points to a protobuf message.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace flarestack::sdk {

// Publishes, or replaces what was published. The child of a fork has to publish again. Returns
// false if the kernel offers no way to name the mapping. Thread-safe.
bool PublishProcessContext(const std::vector<std::pair<std::string, std::string>>& resource,
                           const std::vector<std::string>& label_keys);

void WithdrawProcessContext();

// In the child of a fork, before it publishes.
void ResetProcessContextAfterFork();

// The payload: a message of opentelemetry.proto.processcontext.v1development.
std::string EncodeProcessContext(const std::vector<std::pair<std::string, std::string>>& resource,
                                 const std::vector<std::string>& label_keys);

}  // namespace flarestack::sdk
