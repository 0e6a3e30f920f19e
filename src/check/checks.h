// SPDX-License-Identifier: Apache-2.0
//
// The check functions by subject, called from check_batch.cc. Private to check.
#pragma once

#include <string_view>

#include "check/context.h"

namespace flarestack::check {

void CheckStructure(const Context& in);
void CheckIndices(const Context& in);
void CheckDuplicates(Context* in);  // fills numbering, which CheckAttributes needs
void CheckProfiles(const Context& in);
void CheckSamples(const Context& in);
void CheckTables(const Context& in);
void CheckAttributes(const Context& in);
void CheckConventions(const Context& in);
void CheckOrphans(const Context& in);

// Checks the bytes of a message in the current layout that the decoder has accepted.
void CheckWire(std::string_view bytes, const Path& root, Collector* findings);

}  // namespace flarestack::check
