// SPDX-License-Identifier: Apache-2.0
//
// Mappings of a legacy profile: the lines of a memory map, and the repairs that make them mappings
// in pprof's sense.
#pragma once

#include "base/warnings.h"
#include "codec/pprof/legacy/legacy_text.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::legacy {

// Appends the executable mappings of a memory map, which are the lines that are left, in their
// order. Two layouts, in any mixture:
//
//   00400000-00407000 r-xp 00001000 08:01 1234   /usr/bin/cart       (/proc/self/maps)
//   400000-407000: /usr/bin/cart (@1000) 9f86d081                    (offset and build id may be
//   missing)
//
// A line "name=text" makes $name stand for the text in the lines below it. Other lines are left out
// with a warning.
void ReadMemoryMap(Lines lines, Profile* profile, base::Warnings* warnings);

// Joins mappings that are two parts of one, moves what looks like the main binary to the front,
// gives ids, and finds the mapping of each location. Locations outside of all mappings get one
// without a name that spans all addresses, because Go wrote no memory map and pprof shows no frame
// that has no mapping.
void AssignMappings(Profile* profile);

}  // namespace flarestack::codec::pprof::legacy
