// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/status.h"
#include "base/warnings.h"

namespace flarestack::base {
namespace {

TEST(TextTest, StrCatJoinsItsArguments) {
  EXPECT_EQ(StrCat(), "");
  EXPECT_EQ(StrCat("a", std::string("b"), std::string_view("c"), 'd', 1, -2, uint64_t{3}, true),
            "abcd1-23true");
  EXPECT_EQ(StrCat(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(StrCat("{}", "%s"), "{}%s");
}

TEST(TextTest, StrAppendKeepsTheExistingText) {
  std::string text = "line ";
  StrAppend(&text, 12, ": ", "bad");
  EXPECT_EQ(text, "line 12: bad");
}

TEST(TextTest, HexHasAPrefix) {
  EXPECT_EQ(Hex(0), "0x0");
  EXPECT_EQ(Hex(0xABC), "0xabc");
  EXPECT_EQ(Hex(std::numeric_limits<uint64_t>::max()), "0xffffffffffffffff");
}

TEST(StatusTest, ContextIsPrependedAndTheCodeKept) {
  const absl::Status status = WithContext("in.pb", absl::InvalidArgumentError("byte 7"));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "in.pb: byte 7");
  EXPECT_TRUE(WithContext("in.pb", absl::OkStatus()).ok());
}

absl::StatusOr<int> Half(int number) {
  if (number % 2 != 0)
    return absl::InvalidArgumentError("odd");
  return number / 2;
}

absl::StatusOr<int> Quarter(int number) {
  FLARE_ASSIGN(const int half, Half(number));
  FLARE_RETURN_IF_ERROR(Half(half).status());
  return Half(half);
}

TEST(StatusTest, MacrosReturnErrors) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Message(Quarter(7).status()), "odd");
  EXPECT_EQ(Message(Quarter(6).status()), "odd");
}

TEST(WarningsTest, KeepsTheFirstOfEachKindAndCountsTheRest) {
  Warnings warnings;
  EXPECT_TRUE(warnings.empty());
  for (int i = 0; i < 1000; ++i)
    warnings.Add("odd line", StrCat("line ", i));
  warnings.Add("another kind", "once");
  ASSERT_EQ(warnings.kinds().size(), 2U);
  const Warnings::Kind& odd = warnings.kinds().find("odd line")->second;
  EXPECT_EQ(odd.count, 1000U);
  EXPECT_EQ(odd.examples, (std::vector<std::string>{"line 0", "line 1", "line 2"}));
  EXPECT_EQ(warnings.kinds().find("another kind")->second.count, 1U);
}

}  // namespace
}  // namespace flarestack::base
