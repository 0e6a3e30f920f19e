// SPDX-License-Identifier: Apache-2.0
//
// A profile as text lines for tests:
//
//   samples/count cpu/nanoseconds period 10000 cpu/nanoseconds
//   2 20000: 0x1000@1 main main.go:12@1 {bytes=16}
//   1: 0x1000-0x2000 +0x0 /bin/cart 1234
//
// A frame is shown by its address, its lines and the id of its mapping, as far as it has them.
#pragma once

#include <string>

#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::testing {

std::string HeaderText(const Profile& profile);
std::string SamplesText(const Profile& profile);
std::string MappingsText(const Profile& profile);

// Checks the invariants of each profile that a reader returns: ids are positions plus one, all
// positions are in range, each sample has a value per type. Returns the first violation, or an
// empty text.
std::string BrokenInvariant(const Profile& profile);

}  // namespace flarestack::codec::pprof::testing
