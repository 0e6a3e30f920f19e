// SPDX-License-Identifier: Apache-2.0
#include "net/decompress.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/compress.h"
#include "base/status.h"
#include "base/text.h"
#include "net/http_message.h"

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
    case ContentCoding::kIdentity:
      break;
  }
  FLARE_CHECK(false, "identity is not expanded");
}

uint64_t CapFor(uint64_t bytes, const DecompressLimits& limits) {
  const bool fits =
      limits.ratio_max == 0 || bytes <= std::numeric_limits<uint64_t>::max() / limits.ratio_max;
  const uint64_t by_ratio = fits ? bytes * limits.ratio_max : std::numeric_limits<uint64_t>::max();
  return std::min(limits.bytes_max, std::max(by_ratio, limits.ratio_exempt_bytes));
}

}  // namespace

absl::StatusOr<ContentCoding> ParseContentCoding(std::string_view header) {
  if (header.empty() || EqualsIgnoringCase(header, "identity"))
    return ContentCoding::kIdentity;
  if (EqualsIgnoringCase(header, "gzip") || EqualsIgnoringCase(header, "x-gzip"))
    return ContentCoding::kGzip;
  if (EqualsIgnoringCase(header, "deflate"))
    return ContentCoding::kDeflate;
  if (EqualsIgnoringCase(header, "zstd"))
    return ContentCoding::kZstd;
  return absl::UnimplementedError(
      base::StrCat("content encoding '", header, "' is none of ", kAcceptedCodings));
}

absl::StatusOr<std::string> Decompress(ContentCoding coding, std::string_view bytes,
                                       const DecompressLimits& limits, base::ByteLease* lease) {
  if (coding == ContentCoding::kIdentity) {
    if (bytes.size() > limits.bytes_max)
      return absl::ResourceExhaustedError(
          base::StrCat(bytes.size(), " bytes are more than the limit of ", limits.bytes_max));
    if (!lease->CanEverHold(lease->held_bytes() + bytes.size()))
      return absl::ResourceExhaustedError("more bytes than may be in flight at the same time");
    if (!lease->Grow(bytes.size()))
      return absl::UnavailableError("too many bytes in flight");
    return std::string(bytes);
  }
  const uint64_t held_before = lease->held_bytes();
  const uint64_t cap = CapFor(bytes.size(), limits);
  bool can_ever_fit = true;
  auto expanded = Expand(coding, bytes, {.bytes_max = cap, .may_hold = [&](uint64_t size) {
                                           if (lease->GrowTo(held_before + size))
                                             return true;
                                           can_ever_fit = lease->CanEverHold(held_before + size);
                                           return false;
                                         }});
  if (!expanded.ok()) {
    lease->ShrinkTo(held_before);
    if (!can_ever_fit)
      return absl::ResourceExhaustedError(base::StrCat(
          bytes.size(), " bytes expand to more than may be in flight at the same time"));
    if (expanded.status().code() == absl::StatusCode::kResourceExhausted && cap < limits.bytes_max)
      return absl::ResourceExhaustedError(base::StrCat(bytes.size(), " bytes expand to more than ",
                                                       limits.ratio_max, " times as many"));
    return expanded;
  }
  lease->ShrinkTo(held_before + expanded->size());
  return expanded;
}

}  // namespace flarestack::net
