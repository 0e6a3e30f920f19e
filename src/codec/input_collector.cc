// SPDX-License-Identifier: Apache-2.0
#include "codec/input_collector.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/otlp/split.h"
#include "codec/registry.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec {
namespace {

constexpr size_t kExcerptBytes = 16;

using base::StrCat;
using otlp::kFrameHeaderBytes;

bool LooksLikeZstdMessages(std::string_view bytes) {
  return bytes.size() > kFrameHeaderBytes && otlp::FrameLength(bytes) > 0 &&
         base::LooksLikeZstd(bytes.substr(kFrameHeaderBytes));
}

absl::Status TooLarge(uint64_t bytes_max) {
  return absl::ResourceExhaustedError(
      StrCat("decompressed data is larger than the limit of ", bytes_max, " bytes"));
}

// Appends one decompressed message to `out`, after its new length.
absl::Status UnpackMessage(std::string_view message, const base::ExpandLimits& limits,
                           std::string* out) {
  const uint64_t used = out->size() + kFrameHeaderBytes;
  if (used > limits.bytes_max)
    return TooLarge(limits.bytes_max);
  base::ExpandLimits rest;
  rest.bytes_max = limits.bytes_max - used;
  if (limits.try_reserve != nullptr)
    rest.try_reserve = [&](uint64_t bytes) { return limits.try_reserve(used + bytes); };
  const auto unpacked = base::Unzstd(message, rest);
  if (absl::IsResourceExhausted(unpacked.status()) ||
      (unpacked.ok() && unpacked->size() > UINT32_MAX))
    return TooLarge(limits.bytes_max);
  FLARE_RETURN_IF_ERROR(unpacked.status());
  otlp::AppendFrame(*unpacked, out);
  return absl::OkStatus();
}

// Keeps a truncated last message unchanged, so that the reader reports it.
absl::StatusOr<std::string> UnpackMessages(std::string_view bytes,
                                           const base::ExpandLimits& limits) {
  const std::string_view complete = otlp::CompleteFrames(bytes);
  std::string out;
  FLARE_RETURN_IF_ERROR(otlp::ForEachFrame(
      complete.empty() ? bytes : complete,
      [&](std::string_view message) { return UnpackMessage(message, limits, &out); }));
  out += bytes.substr(complete.size());
  return out;
}

}  // namespace

struct InputCollector::State {
  std::deque<std::string> buffers;            // `first` points into these; a deque never moves them
  std::optional<model::Batch> first;          // set while there is only one
  std::optional<model::BatchBuilder> merged;  // set once there are several
  bool is_empty = true;
};

absl::Status UnknownFormat(std::string_view bytes) {
  if (bytes.empty()) {
    return absl::InvalidArgumentError("the input is empty");
  }
  if (LooksCompressed(bytes)) {
    return absl::InvalidArgumentError("compressed twice; one layer is removed");
  }
  if (bytes.starts_with("PERFILE2")) {
    return absl::InvalidArgumentError(
        "a perf.data file, which only perf can read; convert the output of perf script instead");
  }
  const std::string_view start = bytes.substr(0, kExcerptBytes);
  const bool is_text = std::ranges::all_of(start, [](char c) { return c >= ' ' && c <= '~'; });
  return absl::InvalidArgumentError(
      base::StrCat("unknown profile format; it starts with ",
                   is_text ? base::StrCat("\"", start, "\"") : base::HexEncode(start)));
}

absl::StatusOr<InputInfo> ReadInput(std::string* bytes, const InputLimits& limits,
                                    base::Warnings* warnings, EmitBatch emit) {
  FLARE_ASSIGN(UnpackedInput input, Unpack(std::move(*bytes), limits.bytes_max));
  *bytes = std::move(input.bytes);
  InputInfo info;
  info.compression = input.compression;
  info.bytes = bytes->size();
  const Reader* reader = limits.reader != nullptr ? limits.reader : FindReader(*bytes);
  if (reader == nullptr)
    return UnknownFormat(*bytes);
  info.format = reader->name;
  info.batches_own_text = reader->batches_own_text;
  const absl::Status status = reader->read(*bytes, {.warnings = warnings}, emit);
  if (!status.ok())
    return base::WithContext(reader->name, status);
  return info;
}

InputCollector::InputCollector(const InputLimits& limits, base::Warnings* warnings)
    : limits_(limits), warnings_(warnings), state_(std::make_unique<State>()) {}

InputCollector::~InputCollector() = default;

absl::StatusOr<InputInfo> InputCollector::Add(std::string bytes) {
  std::string& buffer = state_->buffers.emplace_back(std::move(bytes));
  FLARE_ASSIGN(const InputInfo info,
               ReadInput(&buffer, limits_, warnings_,
                         [&](model::Batch batch) { return Take(std::move(batch)); }));
  if (info.batches_own_text)
    state_->buffers.pop_back();
  return info;
}

absl::Status InputCollector::Take(model::Batch batch) {
  State& state = *state_;
  if (state.is_empty) {
    state.is_empty = false;
    state.first = std::move(batch);
    return absl::OkStatus();
  }
  if (!state.merged.has_value()) {
    state.merged.emplace();
    state.merged->Merge(*state.first);
    state.first.reset();
  }
  state.merged->Merge(batch);
  return state.merged->dictionary().status();
}

absl::StatusOr<model::Batch*> InputCollector::Finish() {
  State& state = *state_;
  if (state.merged.has_value()) {
    FLARE_ASSIGN(state.first, std::move(*state.merged).Finish());
    state.merged.reset();
  }
  if (!state.first.has_value())
    return absl::InvalidArgumentError("the input has no profile");
  return &*state.first;
}

bool LooksCompressed(std::string_view bytes) {
  return base::LooksLikeGzip(bytes) || base::LooksLikeZstd(bytes) || LooksLikeZstdMessages(bytes);
}

absl::StatusOr<UnpackedInput> Unpack(std::string bytes, const base::ExpandLimits& limits) {
  UnpackedInput out;
  if (base::LooksLikeGzip(bytes)) {
    out.compression = "gzip";
    FLARE_ASSIGN(out.bytes, base::Gunzip(bytes, limits));
  } else if (base::LooksLikeZstd(bytes)) {
    out.compression = "zstd";
    FLARE_ASSIGN(out.bytes, base::Unzstd(bytes, limits));
  } else if (LooksLikeZstdMessages(bytes)) {
    out.compression = "zstd";
    FLARE_ASSIGN(out.bytes, UnpackMessages(bytes, limits));
  } else {
    out.bytes = std::move(bytes);
  }
  return out;
}

absl::StatusOr<UnpackedInput> Unpack(std::string bytes, uint64_t bytes_max) {
  base::ExpandLimits limits;
  limits.bytes_max = bytes_max;
  return Unpack(std::move(bytes), limits);
}

}  // namespace flarestack::codec
