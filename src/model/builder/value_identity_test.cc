// SPDX-License-Identifier: Apache-2.0
#include "model/builder/value_identity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/text/encoding.h"

namespace flarestack::model {
namespace {

std::string Canonical(const Dictionary& dictionary, const AnyValue& value) {
  std::string out;
  AppendCanonical(dictionary, value, &out);
  return out;
}

// Content ids are hashes of these bytes, so the bytes must not change.
TEST(ValueIdentityTest, BytesNeverChange) {
  const Dictionary none;
  const auto hex = [&](const AnyValue& value) { return base::HexEncode(Canonical(none, value)); };
  EXPECT_EQ(hex({}), "00");
  EXPECT_EQ(hex(AnyValue::String("ab")), "0102000000000000006162");
  EXPECT_EQ(hex(AnyValue::Bool(true)), "0201");
  EXPECT_EQ(hex(AnyValue::Int(-2)), "03feffffffffffffff");
  EXPECT_EQ(hex(AnyValue::Double(1)), "04000000000000f03f");
  EXPECT_EQ(hex(AnyValue::Array({})), "050000000000000000");
  EXPECT_EQ(hex(AnyValue::KeyValueList({})), "060000000000000000");
  EXPECT_EQ(hex(AnyValue::Bytes("ab")), "0702000000000000006162");
}

TEST(ValueIdentityTest, NumbersAreLittleEndianOnEveryMachine) {
  std::string out;
  AppendCanonical(uint64_t{0x0102030405060708}, &out);
  EXPECT_EQ(base::HexEncode(out), "0807060504030201");
}

TEST(ValueIdentityTest, ReferenceEqualsItsText) {
  Dictionary dictionary;
  dictionary.strings = {"", "text"};
  EXPECT_EQ(Canonical(dictionary, AnyValue::Reference({1})),
            Canonical(dictionary, AnyValue::String("text")));
  EXPECT_EQ(HashValue(dictionary, AnyValue::Reference({1})),
            HashValue(dictionary, AnyValue::String("text")));
  EXPECT_TRUE(
      SameValue(dictionary, AnyValue::Reference({1}), dictionary, AnyValue::String("text")));
}

TEST(ValueIdentityTest, DifferentValuesNeverShareTheirBytes) {
  Dictionary tables;
  tables.strings = {"", "a"};
  tables.nodes = {{.key = "a", .value = AnyValue::String("b")},
                  {.key = "ab", .value = AnyValue::String("")},
                  {.value = AnyValue::String("a")},
                  {.value = AnyValue::String("b")},
                  {.value = AnyValue::String("ab")},
                  {.value = AnyValue::String("")}};
  const std::vector<AnyValue> values = {
      {},
      AnyValue::String(""),
      AnyValue::String("a"),
      AnyValue::Bytes("a"),
      AnyValue::Bool(false),
      AnyValue::Bool(true),
      AnyValue::Int(0),
      AnyValue::Int(1),
      AnyValue::Double(0),
      AnyValue::Double(-0.0),
      AnyValue::Double(std::nan("")),
      AnyValue::Array({}),
      AnyValue::KeyValueList({}),
      AnyValue::Array({.begin = 2, .count = 2}),         // a, b
      AnyValue::Array({.begin = 4, .count = 2}),         // ab, nothing
      AnyValue::Array({.begin = 4, .count = 1}),         // ab
      AnyValue::KeyValueList({.begin = 0, .count = 1}),  // a = b
      AnyValue::KeyValueList({.begin = 1, .count = 1}),  // ab = nothing
      AnyValue::KeyValueList({.begin = 0, .count = 2}),
  };
  std::set<std::string> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(seen.insert(Canonical(tables, values[i])).second) << "value " << i;
    for (size_t k = 0; k < values.size(); ++k)
      EXPECT_EQ(SameValue(tables, values[i], tables, values[k]), i == k) << i << " and " << k;
  }
}

TEST(ValueIdentityTest, KeyByReferenceIsTheSameKey) {
  Dictionary tables;
  tables.strings = {"", "key"};
  tables.nodes = {{.key = "key", .value = AnyValue::Int(1)},
                  {.key_index = {1}, .value = AnyValue::Int(1)}};
  const AnyValue written_out = AnyValue::KeyValueList({.begin = 0, .count = 1});
  const AnyValue by_reference = AnyValue::KeyValueList({.begin = 1, .count = 1});
  EXPECT_EQ(Canonical(tables, written_out), Canonical(tables, by_reference));
  EXPECT_EQ(HashValue(tables, written_out), HashValue(tables, by_reference));
  EXPECT_TRUE(SameValue(tables, written_out, tables, by_reference));
}

}  // namespace
}  // namespace flarestack::model
