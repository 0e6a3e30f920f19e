// SPDX-License-Identifier: Apache-2.0
//
// Splits a file into OTLP messages without decoding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "codec/otlp/recognise.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {

// Called for each message in order. An error stops the split and is returned with the position.
using TakeMessage = absl::FunctionRef<absl::Status(std::string_view message)>;

inline constexpr size_t kFrameHeaderBytes = 4;

// The length in a frame header; `bytes` must have at least a header.
uint32_t FrameLength(std::string_view bytes);

// Each message follows its length in four bytes, big endian.
absl::Status ForEachFrame(std::string_view bytes, TakeMessage take);

// The complete frames at the start of `bytes`: all of it unless the last frame is truncated.
std::string_view CompleteFrames(std::string_view bytes);

// `message` must be shorter than 4 GiB.
void AppendFrame(std::string_view message, std::string* out);

// JSON objects of profiles, back to back or one per line. A file of the Collector may contain all
// signals: passes objects of other signals to `take_other`. Fails if the file has no profiles.
using TakeOther = absl::FunctionRef<void(model::Signal signal)>;
absl::Status ForEachJsonObject(
    std::string_view bytes, TakeMessage take, TakeOther take_other = [](model::Signal) {});

// Whether bytes are JSON and not a protobuf message that begins like it.
bool LooksLikeJson(std::string_view bytes);

// Skips a byte order mark and white space.
std::string_view SkipJsonSpace(std::string_view bytes);

}  // namespace flarestack::codec::otlp
