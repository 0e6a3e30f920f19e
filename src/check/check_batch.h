// SPDX-License-Identifier: Apache-2.0
//
// All rules that need no bytes, on one batch. Private to check.
#pragma once

#include "check/check.h"
#include "check/path.h"
#include "check/report.h"
#include "model/batch.h"

namespace flarestack::check {

enum class Origin { kOtlp, kConverted };
enum class Work { kBySize, kInTurn, kParallel };

// Large batches are checked on all cores. What is found is the same either way.
void CheckBatch(const model::Batch& batch, const CheckOptions& options, const Path& root,
                Collector* findings, Origin origin = Origin::kOtlp, Work work = Work::kBySize);

}  // namespace flarestack::check
