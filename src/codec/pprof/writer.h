// SPDX-License-Identifier: Apache-2.0
//
// A pprof profile as profile.proto bytes, not compressed. Fields ascend, strings are numbered in
// the order of first use, lists are packed: the same profile gives the same bytes.
#pragma once

#include "codec/pprof/profile.h"
#include "codec/wire/reverse_writer.h"

namespace flarestack::codec::pprof {

// The bytes are its view(): handed over in the buffer they were written to, because a large profile
// is not to be held twice.
wire::ReverseWriter EncodeProfile(const Profile& profile);

}  // namespace flarestack::codec::pprof
