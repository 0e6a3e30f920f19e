// SPDX-License-Identifier: Apache-2.0
//
// For every rule that a batch can break, a batch that breaks it in one way at one place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "model/batch.h"

namespace flarestack::check::testing {

struct BrokenBatch {
  Rule rule;
  std::string path;                           // of the finding; "~" stands for the profile
  std::function<void(model::Batch*)> breaks;  // the change to CleanBatch()
};

std::vector<BrokenBatch> BrokenBatches();

}  // namespace flarestack::check::testing
