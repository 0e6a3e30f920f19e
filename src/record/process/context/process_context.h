// SPDX-License-Identifier: Apache-2.0
//
// Reads what a process publishes about itself for profilers (OpenTelemetry's process context, OTEP
// 4719): a header in a mapping named OTEL_CTX points to a protobuf message with its resource.
//
//   mapping: | "OTEL_CTX" | version | payload size | published at | payload address |
//
// The process may change it at any time. The time of publication reveals this: it is zero during an
// update, and different afterwards.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/any_value.h"
#include "model/trace.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::agent {

inline constexpr size_t kContextHeaderBytes = 32;
inline constexpr size_t kContextPayloadBytesMax = 64 << 10;
inline constexpr size_t kThreadKeysMax = 256;

struct ContextHeader {
  uint32_t payload_bytes = 0;
  uint64_t published_at_ns = 0;  // CLOCK_BOOTTIME; 0 during an update
  uint64_t payload_address = 0;  // in the process
};

// Returns kInvalidArgument if the bytes are not a header, kUnimplemented for a version other than
// 2, kResourceExhausted if the payload is empty or too large.
absl::StatusOr<ContextHeader> DecodeContextHeader(std::string_view bytes);

// One published context. Movable; views into it are valid as long as it exists.
class ProcessContext {
 public:
  // Returns kInvalidArgument if the payload is not such a message.
  static absl::StatusOr<ProcessContext> Decode(std::string_view payload);

  ProcessContext(ProcessContext&&) = default;
  ProcessContext& operator=(ProcessContext&&) = default;

  // Elements of arrays and lists are in nodes().
  std::span<const model::KeyValue> resource_attributes() const;
  std::span<const model::KeyValue> extra_attributes() const;
  const std::vector<model::KeyValue>& nodes() const { return batch_.nodes; }

  // Returns a text attribute of the resource; empty if it is missing or not text.
  std::string_view ResourceText(std::string_view key) const;
  std::string_view service_name() const { return ResourceText("service.name"); }

  // The format in which threads publish their spans (thread_context.h); empty if they do not.
  std::string_view thread_schema_version() const;
  // The keys of thread attributes, by index; at most kThreadKeysMax. A key that is not text is
  // empty.
  std::vector<std::string_view> ThreadKeys() const;

  // Where and when it was published; another time means another context.
  uint64_t header_address = 0;
  uint64_t published_at_ns = 0;

 private:
  ProcessContext() = default;

  std::vector<char> bytes_;  // a vector, because moving it keeps the views valid
  model::TraceBatch batch_;  // two resources: the resource itself, and the extra attributes
};

// Identifies the context that was read last, to avoid decoding it again.
struct KnownContext {
  uint64_t header_address = 0;
  uint64_t published_at_ns = 0;
};

// Reads the context whose header is at `address`. Returns kUnavailable after three attempts during
// an update. Returns nullopt if the published context is still `known`.
absl::StatusOr<std::optional<ProcessContext>> ReadContextAt(MemoryReader read, uint64_t address,
                                                            const KnownContext& known);

// Finds the mapping and reads it. Returns kNotFound if the process has published nothing.
absl::StatusOr<std::optional<ProcessContext>> ReadProcessContext(pid_t pid,
                                                                 const KnownContext& known = {});

}  // namespace flarestack::record::agent
