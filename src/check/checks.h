// SPDX-License-Identifier: Apache-2.0
//
// The check functions by subject, called from check_batch.cc. Private to check.
#pragma once

#include <string_view>

#include "check/check.h"
#include "check/context.h"
#include "check/path.h"
#include "check/report.h"
#include "model/batch.h"

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

enum class Origin { kOtlp, kConverted };
enum class Work { kBySize, kInTurn, kParallel };

// Checks large batches on all cores. The findings are the same either way.
void CheckBatch(const model::Batch& batch, const CheckOptions& options, const Path& root,
                Collector* findings, Origin origin = Origin::kOtlp, Work work = Work::kBySize);

}  // namespace flarestack::check
