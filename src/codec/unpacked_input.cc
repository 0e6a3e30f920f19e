// SPDX-License-Identifier: Apache-2.0
#include "codec/unpacked_input.h"

#include <cstdint>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/split.h"

namespace flarestack::codec {
namespace {

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
