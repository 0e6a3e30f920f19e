// SPDX-License-Identifier: Apache-2.0
//
// Passes arbitrary bytes to each decoder: the output stays within the cap, and the streaming size
// measurement agrees with the decoder. Arbitrary bytes survive a round trip.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/compress/compress.h"
#include "base/compress/compress_measure.h"
#include "base/testing/compressors.h"

namespace flarestack::base {
namespace {

constexpr uint64_t kBytesMax = 1 << 20;

struct Format {
  const char* name;
  std::string (*compress)(std::string_view);
  absl::StatusOr<std::string> (*expand)(std::string_view, const ExpandLimits&);
  bool (*exceeds)(std::string_view, uint64_t);
  bool has_one_library = true;  // of the decoder and the measure
};

absl::StatusOr<std::string> GunzipAll(std::string_view bytes, const ExpandLimits& limits) {
  return Gunzip(bytes, limits);
}
absl::StatusOr<std::string> UnzstdAll(std::string_view bytes, const ExpandLimits& limits) {
  return Unzstd(bytes, limits);
}

constexpr Format kFormats[] = {{"gzip", Gzip, GunzipAll, GzipExceeds, false},
                               {"deflate", Deflate, Inflate, DeflateExceeds, false},
                               {"zstd", Zstd, UnzstdAll, ZstdExceeds},
                               {"lz4", Lz4, Unlz4, Lz4Exceeds},
                               {"snappy", SnappyBlock, Unsnappy, SnappyExceeds},
                               {"snappy frames", SnappyFrames, Unsnappy, SnappyExceeds}};

void Check(const Format& format, std::string_view packed) {
  uint64_t requested_bytes = 0;
  const auto expanded =
      format.expand(packed, {.bytes_max = kBytesMax, .try_reserve = [&](uint64_t bytes) {
                               requested_bytes = std::max(requested_bytes, bytes);
                               return true;
                             }});
  FLARE_CHECK(requested_bytes <= kBytesMax, format.name);
  if (!expanded.ok())
    return;
  const uint64_t size = expanded->size();
  FLARE_CHECK(size <= requested_bytes, format.name);
  FLARE_CHECK(!format.exceeds(packed, size), format.name);
  // zlib rejects some streams that libdeflate accepts, such as those with the codes 286 and 287.
  if (format.has_one_library)
    FLARE_CHECK(size == 0 || format.exceeds(packed, size - 1), format.name);
}

void CheckRoundTrip(const Format& format, std::string_view bytes) {
  const std::string packed = format.compress(bytes);
  const auto back = format.expand(packed, {.bytes_max = kBytesMax});
  FLARE_CHECK(back.ok() && *back == bytes, format.name);
  FLARE_CHECK(!format.exceeds(packed, bytes.size()), format.name);
  FLARE_CHECK(format.exceeds(packed, bytes.size() - 1), format.name);
}

}  // namespace
}  // namespace flarestack::base

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flarestack;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0)
    return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const base::Format& format = base::kFormats[data[0] % std::size(base::kFormats)];
  base::Check(format, bytes.substr(1));
  base::CheckRoundTrip(format, bytes);
  return 0;
}
