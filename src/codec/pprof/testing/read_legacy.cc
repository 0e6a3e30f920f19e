// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/testing/read_legacy.h"

#include <utility>

#include "base/status.h"
#include "codec/pprof/legacy/legacy.h"
#include "codec/pprof/testing/legacy_text_dump.h"
#include "gtest/gtest.h"

namespace flarestack::codec::pprof::testing {

std::unique_ptr<LegacyFile> ReadLegacyFile(std::string bytes) {
  auto file = std::make_unique<LegacyFile>();
  file->bytes = std::move(bytes);
  absl::StatusOr<Profile> profile = ReadLegacy(file->bytes, &file->warnings);
  EXPECT_TRUE(profile.ok()) << profile.status();
  EXPECT_TRUE(LooksLikeLegacy(file->bytes));
  if (profile.ok()) {
    EXPECT_EQ(BrokenInvariant(*profile), "");
    file->profile = *std::move(profile);
  }
  return file;
}

std::string LegacyErrorOf(const std::string& bytes) {
  base::Warnings warnings;
  const absl::StatusOr<Profile> profile = ReadLegacy(bytes, &warnings);
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(base::Message(profile.status()));
}

}  // namespace flarestack::codec::pprof::testing
