// SPDX-License-Identifier: Apache-2.0
//
// Builds small batches frame by frame, for tests of writers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/batch.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::testing {

struct TestFrame {
  std::string_view name = {};
  std::string_view file = {};
  int64_t line = 0;
  int64_t column = 0;
  std::string_view module = {};  // path of the mapping; empty for none
  std::string_view type = {};    // profile.frame.type; empty for none
  uint64_t address = 0;
};

class TestBatch {
 public:
  TestBatch();

  void Profile(std::string_view type, std::string_view unit);

  // Leaf first; each frame is a separate location.
  void Sample(const std::vector<TestFrame>& leaf_first, int64_t value);

  // One location with several functions, innermost first.
  model::LocationIndex Location(const std::vector<TestFrame>& innermost_first);
  void SampleAt(const std::vector<model::LocationIndex>& leaf_first, int64_t value);

  model::Batch Finish() &&;

 private:
  model::BatchBuilder builder_;
  model::ScopeId scope_;
};

}  // namespace flarestack::codec::testing
