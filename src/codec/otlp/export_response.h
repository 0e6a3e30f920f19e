// SPDX-License-Identifier: Apache-2.0
//
// The response to an export, in protobuf and in JSON: the Export*ServiceResponse of a request that
// was accepted in full or in part, and the google.rpc.Status of a rejected one.
//
// A response always stays under kResponseBytesMax: messages are truncated, and excess violations
// are omitted. Readers enforce the same limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {

enum class Encoding : uint8_t { kProtobuf, kJson };

inline constexpr size_t kResponseBytesMax = size_t{4} * 1024 * 1024;
// JSON may need six bytes for one; with these limits the whole response still fits.
inline constexpr size_t kErrorMessageBytesMax = size_t{256} * 1024;
inline constexpr size_t kViolationsMax = 100;
inline constexpr size_t kViolationTextBytesMax = 1024;

// All defaults mean that everything was accepted. A message with nothing rejected is a warning.
struct PartialSuccess {
  int64_t rejected = 0;  // spans, data points, log records or profiles
  std::string error_message;
  friend bool operator==(const PartialSuccess&, const PartialSuccess&) = default;
};

// No bytes, or {}, for full success.
std::string EncodeExportResponse(model::Signal signal, const PartialSuccess& partial_success,
                                 Encoding encoding);
absl::StatusOr<PartialSuccess> DecodeExportResponse(model::Signal signal, std::string_view bytes,
                                                    Encoding encoding);

struct FieldViolation {
  std::string field;  // the path of the invalid field
  std::string description;
  std::string reason;
  friend bool operator==(const FieldViolation&, const FieldViolation&) = default;
};

// google.rpc.Status with the two details that OTLP defines; other details are skipped.
struct RpcStatus {
  int32_t code = 0;  // as absl::StatusCode
  std::string message;
  std::optional<std::chrono::nanoseconds> retry_delay;  // RetryInfo: when the client may retry
  std::vector<FieldViolation> violations;               // BadRequest
  friend bool operator==(const RpcStatus&, const RpcStatus&) = default;
};

RpcStatus RpcStatusOf(const absl::Status& status);

std::string EncodeRpcStatus(const RpcStatus& status, Encoding encoding);
absl::StatusOr<RpcStatus> DecodeRpcStatus(std::string_view bytes, Encoding encoding);

}  // namespace flarestack::codec::otlp
