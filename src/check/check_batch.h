// SPDX-License-Identifier: Apache-2.0
//
// Runs all rules that need no bytes on one batch. Private to check.
#pragma once

#include "check/check.h"
#include "check/path.h"
#include "check/report.h"
#include "model/batch.h"

namespace flarestack::check {

enum class Origin { kOtlp, kConverted };
enum class Work { kBySize, kInTurn, kParallel };

// Checks large batches on all cores. The findings are the same either way.
void CheckBatch(const model::Batch& batch, const CheckOptions& options, const Path& root,
                Collector* findings, Origin origin = Origin::kOtlp, Work work = Work::kBySize);

}  // namespace flarestack::check
