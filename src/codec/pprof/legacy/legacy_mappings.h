// SPDX-License-Identifier: Apache-2.0
//
// Mappings of a legacy profile: parses the lines of a memory map, and repairs them into mappings as
// pprof defines them.
#pragma once

#include "base/warnings.h"
#include "codec/pprof/legacy/legacy_text.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::legacy {

// Appends the executable mappings of a memory map, which is the rest of the lines, in order.
// Accepts two layouts, in any mixture; offset and build id may be missing in the second:
//
//   00400000-00407000 r-xp 00001000 08:01 1234   /usr/bin/cart       (/proc/self/maps)
//   400000-407000: /usr/bin/cart (@1000) 9f86d081
//
// A line "name=text" replaces $name with the text in the lines below it. Other lines are skipped
// with a warning.
void ReadMemoryMap(Lines lines, Profile* profile, base::Warnings* warnings);

// Joins mappings that are two parts of one, moves the likely main binary to the front, assigns ids,
// and finds the mapping of each location. Locations outside all mappings get one without a name
// that spans all addresses, because Go wrote no memory map and pprof hides frames without a
// mapping.
void AssignMappings(Profile* profile);

}  // namespace flarestack::codec::pprof::legacy
