// SPDX-License-Identifier: Apache-2.0
//
// A pprof profile as profile.proto bytes, not compressed. Fields ascend, strings are numbered in
// the order of first use, lists are packed: the same profile gives the same bytes.
#pragma once

#include <string>

#include "codec/pprof/profile.h"

namespace flarestack::codec::pprof {

std::string EncodeProfile(const Profile& profile);

}  // namespace flarestack::codec::pprof
