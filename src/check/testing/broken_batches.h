// SPDX-License-Identifier: Apache-2.0
//
// Every rule that a batch can break, each broken in one way and at one place.
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
  std::function<void(model::Batch*)> breaks;  // what is done to CleanBatch()
};

std::vector<BrokenBatch> BrokenBatches();

}  // namespace flarestack::check::testing
