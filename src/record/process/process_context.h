// SPDX-License-Identifier: Apache-2.0
//
// What a process tells profilers about itself (OpenTelemetry's process context, OTEP 4719): a
// header in a mapping called OTEL_CTX leads to a protobuf message with its resource.
//
//   mapping: | "OTEL_CTX" | version | payload size | published at | payload address |
//
// The process may change it at any time. The time of publication tells: it is zero while a change
// is under way, and another one afterwards.
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
#include "record/process/process_memory.h"

namespace flarestack::record::agent {

inline constexpr size_t kContextHeaderBytes = 32;
inline constexpr size_t kContextPayloadBytesMax = 64 << 10;
inline constexpr size_t kThreadKeysMax = 256;

struct ContextHeader {
  uint32_t payload_bytes = 0;
  uint64_t published_at_ns = 0;  // CLOCK_BOOTTIME; 0 while it is changed
  uint64_t payload_address = 0;  // in the process
};

// kInvalidArgument when the bytes are no header, kUnimplemented for a version that is not 2,
// kResourceExhausted when the payload is empty or too large.
absl::StatusOr<ContextHeader> DecodeContextHeader(std::string_view bytes);

// One publication. Movable; views from it live as long as it does.
class ProcessContext {
 public:
  // kInvalidArgument when the payload is no such message.
  static absl::StatusOr<ProcessContext> Decode(std::string_view payload);

  ProcessContext(ProcessContext&&) = default;
  ProcessContext& operator=(ProcessContext&&) = default;

  // Elements of arrays and lists stand in nodes().
  std::span<const model::KeyValue> resource_attributes() const;
  std::span<const model::KeyValue> extra_attributes() const;
  const std::vector<model::KeyValue>& nodes() const { return batch_.nodes; }

  // A text of the resource; empty when there is none, or it is none.
  std::string_view ResourceText(std::string_view key) const;
  std::string_view service_name() const { return ResourceText("service.name"); }

  // How threads tell their spans (thread_context.h): empty as long as they do not.
  std::string_view thread_schema_version() const;
  // The keys of a thread's attributes, by index; at most kThreadKeysMax. What is no text is an
  // empty key.
  std::vector<std::string_view> ThreadKeys() const;

  // Where and when it was read; another time means another context.
  uint64_t header_address = 0;
  uint64_t published_at_ns = 0;

 private:
  ProcessContext() = default;

  std::vector<char> bytes_;  // a moved vector stays where it is, as the views need it
  model::TraceBatch batch_;  // two resources: the resource, and the extra attributes as another
};

// What is known of the last reading, to do less this time.
struct KnownContext {
  uint64_t header_address = 0;
  uint64_t published_at_ns = 0;
};

// Reads the context whose header is at `address`; three tries while it is changed, then
// kUnavailable. Nothing when `known` is what is published.
absl::StatusOr<std::optional<ProcessContext>> ReadContextAt(MemoryReader read, uint64_t address,
                                                            const KnownContext& known);

// Looks for the mapping and reads it. kNotFound when the process has published nothing.
absl::StatusOr<std::optional<ProcessContext>> ReadProcessContext(pid_t pid,
                                                                 const KnownContext& known = {});

}  // namespace flarestack::record::agent
