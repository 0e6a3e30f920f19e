// SPDX-License-Identifier: Apache-2.0
//
// A file of several OTLP messages taken apart, without a look into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "codec/otlp/recognise.h"

namespace flarestack::codec::otlp {

// Called for each message in order. An error ends the file and is handed back with the position.
using TakeMessage = absl::FunctionRef<absl::Status(std::string_view message)>;

inline constexpr size_t kFrameHeaderBytes = 4;

// The length in the header of a frame; `bytes` has a header at least.
uint32_t FrameLength(std::string_view bytes);

// Messages, each behind its length as four bytes, the highest first.
absl::Status ForEachFrame(std::string_view bytes, TakeMessage take);

// The frames at the front of `bytes` that are complete: all of it unless the last one is cut short.
std::string_view CompleteFrames(std::string_view bytes);

// `message` must be shorter than 4 GiB.
void AppendFrame(std::string_view message, std::string* out);

// JSON objects of profiles, one behind the other or one per line. Files of the Collector may hold
// all signals: objects of others are counted by `take_other`, and are an error where there is
// nothing else.
using TakeOther = absl::FunctionRef<void(model::Signal signal)>;
absl::Status ForEachJsonObject(
    std::string_view bytes, TakeMessage take, TakeOther take_other = [](model::Signal) {});

// Whether bytes are JSON, and no protobuf message that begins like it.
bool LooksLikeJson(std::string_view bytes);

// What follows a byte order mark and white space.
std::string_view SkipJsonSpace(std::string_view bytes);

}  // namespace flarestack::codec::otlp
