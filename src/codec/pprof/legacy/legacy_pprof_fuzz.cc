// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a legacy profile: no crash, and every profile that is read satisfies the invariants
// of Profile.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "codec/pprof/legacy/legacy.h"
#include "codec/pprof/testing/legacy_text_dump.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace pprof = flarestack::codec::pprof;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  flarestack::base::Warnings warnings;
  const absl::StatusOr<pprof::Profile> profile = pprof::ReadLegacy(bytes, &warnings);
  if (profile.ok()) {
    FLARE_CHECK(pprof::LooksLikeLegacy(bytes));
    const std::string broken = pprof::testing::BrokenInvariant(*profile);
    FLARE_CHECK(broken.empty(), broken);
  } else {
    FLARE_CHECK(profile.status().code() == absl::StatusCode::kInvalidArgument);
  }
  return 0;
}
