// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy.h"

#include <algorithm>
#include <limits>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/legacy/legacy_builder.h"
#include "codec/pprof/legacy/legacy_frames.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof {
namespace {

// Comments and blank lines may precede the line that identifies the format.
constexpr size_t kLookBytesMax = 4096;

// Positions in the pools of a Profile have 32 bits, and no reader adds more elements to a pool than
// the input has bytes.
constexpr size_t kInputBytesMax = std::numeric_limits<uint32_t>::max();

using ReadFunction = absl::Status (*)(std::string_view, legacy::Builder&);

// Returns the reader for these bytes, or null.
ReadFunction FindReader(std::string_view bytes) {
  if (legacy::IsCpuProfile(bytes)) {
    return legacy::ReadCpuProfile;
  }
  const std::string_view beginning = bytes.substr(0, kLookBytesMax);
  legacy::Lines lines(beginning);
  if (!lines.NextMeaningful()) {
    return nullptr;
  }
  if (legacy::IsHeapHeader(lines.line())) {
    return legacy::ReadHeapProfile;
  }
  if (legacy::IsJemallocHeader(lines.line())) {
    return legacy::ReadJemallocProfile;
  }
  if (legacy::IsCountHeader(lines.line())) {
    return legacy::ReadCountProfile;
  }
  if (legacy::IsThreadHeader(lines.line())) {
    return legacy::ReadThreadProfile;
  }
  if (legacy::IsJavaProfile(beginning)) {  // before C++, which has the same first line
    return legacy::ReadJavaProfile;
  }
  if (legacy::IsContentionHeader(lines.line())) {
    return legacy::ReadContentionProfile;
  }
  return nullptr;
}

}  // namespace

bool LooksLikeLegacy(std::string_view bytes) { return FindReader(bytes) != nullptr; }

absl::StatusOr<Profile> ReadLegacy(std::string_view bytes, base::Warnings* warnings) {
  if (bytes.size() > kInputBytesMax) {
    return absl::InvalidArgumentError(base::StrCat(
        "a legacy profile of ", bytes.size(), " bytes; at most ", kInputBytesMax, " are read"));
  }
  const ReadFunction read = FindReader(bytes);
  if (read == nullptr) {
    return absl::InvalidArgumentError("byte 0: not a legacy pprof format");
  }
  legacy::Builder builder(warnings);
  FLARE_RETURN_IF_ERROR(read(bytes, builder));
  Profile profile = builder.Finish();
  legacy::SetFrameFilters(&profile);
  return profile;
}

}  // namespace flarestack::codec::pprof
