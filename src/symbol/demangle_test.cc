// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle.h"

#include <gtest/gtest.h>

namespace flarestack::symbol {
namespace {

TEST(Demangle, Smoke) { EXPECT_EQ(Demangle("_ZN3foo3barEi.cold"), "foo::bar(int)"); }

}  // namespace
}  // namespace flarestack::symbol
