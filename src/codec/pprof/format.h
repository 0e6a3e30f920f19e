// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::pprof {

extern const Reader kPprofReader;
extern const Reader kLegacyPprofReader;
extern const Writer kPprofWriter;

}  // namespace flarestack::codec::pprof
