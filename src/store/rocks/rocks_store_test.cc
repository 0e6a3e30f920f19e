// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/rocks_store.h"

#include "store/testing/conformance.h"
#include "store/testing/signal_conformance.h"

namespace flarestack::store::testing {
namespace {

absl::StatusOr<std::unique_ptr<Store>> OpenForTest(const std::string& directory) {
  return OpenRocksStore({.directory = directory, .memory_bytes_max = 64 << 20});
}

INSTANTIATE_TEST_SUITE_P(Rocks, StoreConformance, ::testing::Values(&OpenForTest));
INSTANTIATE_TEST_SUITE_P(Rocks, SignalConformance, ::testing::Values(&OpenForTest));

}  // namespace
}  // namespace flarestack::store::testing
