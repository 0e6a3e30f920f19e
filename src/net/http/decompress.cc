// SPDX-License-Identifier: Apache-2.0
#include "net/http/decompress.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/compress/compress.h"
#include "base/compress/compress_measure.h"
#include "base/status.h"
#include "base/text/text.h"
#include "net/http/http_message.h"

namespace flarestack::net {
namespace {

absl::StatusOr<std::string> Expand(ContentCoding coding, std::string_view bytes,
                                   const base::ExpandLimits& limits) {
  switch (coding) {
    case ContentCoding::kGzip:
      return base::Gunzip(bytes, limits);
    case ContentCoding::kDeflate:
      return base::Inflate(bytes, limits);
    case ContentCoding::kZstd:
      return base::Unzstd(bytes, limits);
    case ContentCoding::kSnappy:
      return base::Unsnappy(bytes, limits);
    case ContentCoding::kSnappyFramed:
      return base::UnsnappyFrames(bytes, limits);
    case ContentCoding::kLz4:
      return base::Unlz4(bytes, limits);
    case ContentCoding::kIdentity:
      break;
  }
  FLARE_CHECK(false, "identity is not expanded");
}

bool Exceeds(ContentCoding coding, std::string_view packed, uint64_t bytes) {
  switch (coding) {
    case ContentCoding::kGzip:
      return base::GzipExceeds(packed, bytes);
    case ContentCoding::kDeflate:
      return base::DeflateExceeds(packed, bytes);
    case ContentCoding::kZstd:
      return base::ZstdExceeds(packed, bytes);
    case ContentCoding::kSnappy:
    case ContentCoding::kSnappyFramed:
      return base::SnappyExceeds(packed, bytes);
    case ContentCoding::kLz4:
      return base::Lz4Exceeds(packed, bytes);
    case ContentCoding::kIdentity:
      break;
  }
  return packed.size() > bytes;
}

uint64_t CapFor(uint64_t bytes, const DecompressLimits& limits) {
  const bool fits =
      limits.ratio_max == 0 || bytes <= std::numeric_limits<uint64_t>::max() / limits.ratio_max;
  const uint64_t by_ratio = fits ? bytes * limits.ratio_max : std::numeric_limits<uint64_t>::max();
  return std::min(limits.bytes_max, std::max(by_ratio, limits.ratio_exempt_bytes));
}

absl::Status BeyondBudget(uint64_t bytes) {
  return absl::ResourceExhaustedError(
      base::StrCat(bytes, " bytes expand to more than the in-flight limit"));
}

absl::Status BeyondCap(uint64_t bytes, uint64_t cap, const DecompressLimits& limits) {
  if (cap < limits.bytes_max)
    return absl::ResourceExhaustedError(
        base::StrCat(bytes, " bytes expand to more than ", limits.ratio_max, " times as many"));
  return absl::ResourceExhaustedError(
      base::StrCat(bytes, " bytes expand to more than the limit of ", limits.bytes_max, " bytes"));
}

}  // namespace

absl::StatusOr<ContentCoding> ParseContentCoding(std::string_view header) {
  if (header.empty() || EqualsIgnoringCase(header, "identity"))
    return ContentCoding::kIdentity;
  if (EqualsIgnoringCase(header, "gzip") || EqualsIgnoringCase(header, "x-gzip"))
    return ContentCoding::kGzip;
  // HTTP calls a zlib stream "deflate"; the Collector uses both names.
  if (EqualsIgnoringCase(header, "deflate") || EqualsIgnoringCase(header, "zlib"))
    return ContentCoding::kDeflate;
  if (EqualsIgnoringCase(header, "zstd"))
    return ContentCoding::kZstd;
  if (EqualsIgnoringCase(header, "snappy"))
    return ContentCoding::kSnappy;
  if (EqualsIgnoringCase(header, "x-snappy-framed"))
    return ContentCoding::kSnappyFramed;
  if (EqualsIgnoringCase(header, "lz4"))
    return ContentCoding::kLz4;
  return absl::UnimplementedError(
      base::StrCat("content encoding '", header, "' is not one of ", kAcceptedCodings));
}

absl::StatusOr<std::string> Decompress(ContentCoding coding, std::string_view bytes,
                                       const DecompressLimits& limits, base::ByteLease* lease) {
  if (coding == ContentCoding::kIdentity) {
    if (bytes.size() > limits.bytes_max)
      return absl::ResourceExhaustedError(
          base::StrCat(bytes.size(), " bytes are more than the limit of ", limits.bytes_max));
    if (!lease->CanEverHold(lease->held_bytes() + bytes.size()))
      return absl::ResourceExhaustedError("larger than the in-flight limit");
    if (!lease->Grow(bytes.size()))
      return absl::UnavailableError("too many bytes in flight");
    return std::string(bytes);
  }
  const uint64_t held_before = lease->held_bytes();
  const uint64_t budget_max = lease->capacity_bytes() - held_before;
  const uint64_t cap = std::min(CapFor(bytes.size(), limits), budget_max);
  auto expanded = Expand(coding, bytes, {.bytes_max = cap, .try_reserve = [&](uint64_t size) {
                                           return lease->GrowTo(held_before + size);
                                         }});
  if (expanded.ok()) {
    lease->ShrinkTo(held_before + expanded->size());
    return expanded;
  }
  lease->ShrinkTo(held_before);
  // The budget may run out before the decoder knows the size. A sender must not retry data that can
  // never fit.
  const bool is_too_large = expanded.status().code() == absl::StatusCode::kResourceExhausted;
  const bool is_full = expanded.status().code() == absl::StatusCode::kUnavailable;
  if (is_too_large || (is_full && Exceeds(coding, bytes, cap)))
    return cap == budget_max ? BeyondBudget(bytes.size()) : BeyondCap(bytes.size(), cap, limits);
  return expanded;
}

}  // namespace flarestack::net
