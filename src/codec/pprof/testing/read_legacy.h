// SPDX-License-Identifier: Apache-2.0
//
// Reads a legacy profile in a test.
#pragma once

#include <memory>
#include <string>

#include "base/warnings.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::testing {

// A profile with the bytes it points into.
struct LegacyFile {
  std::string bytes;
  base::Warnings warnings;
  Profile profile;
};

// Fails the test if the bytes cannot be read or the profile breaks an invariant.
std::unique_ptr<LegacyFile> ReadLegacyFile(std::string bytes);

// The message of the error, which must be kInvalidArgument.
std::string LegacyErrorOf(const std::string& bytes);

}  // namespace flarestack::codec::pprof::testing
