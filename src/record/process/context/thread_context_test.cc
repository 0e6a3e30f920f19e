// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/thread_context.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::record::agent {
namespace {

const std::vector<std::string_view> kKeys = {"http.route", "user.id", ""};

std::string Record(std::string_view ids, char valid, std::string_view attributes) {
  std::string record(ids);
  record += valid;
  record += '\x03';
  record += static_cast<char>(attributes.size());
  record += static_cast<char>(attributes.size() >> 8);
  record += attributes;
  return record;
}

std::string Attribute(int key, std::string_view value) {
  std::string bytes;
  bytes += static_cast<char>(key);
  bytes += static_cast<char>(value.size());
  bytes += value;
  return bytes;
}

constexpr std::string_view kIds = "0123456789abcdefSPANSPAN";

// "key=value;..." with "?" when new keys are needed, or "none".
std::string Describe(std::string_view record) {
  const auto context = DecodeThreadContext(record, kKeys);
  if (!context.has_value())
    return "none";
  std::string text;
  for (const auto& [key, value] : context->attributes) {
    text += key;
    text += '=';
    text += value;
    text += ';';
  }
  return text + (context->needs_new_keys ? "?" : "");
}

TEST(ThreadContextTest, ReadsIdsFlagsAndAttributes) {
  const std::string record = Record(kIds, 1, Attribute(1, "7") + Attribute(0, "/cart"));
  const auto context = DecodeThreadContext(record, kKeys);
  ASSERT_TRUE(context.has_value());
  EXPECT_TRUE(context->has_span);
  EXPECT_EQ(std::string(context->trace_id.begin(), context->trace_id.end()), "0123456789abcdef");
  EXPECT_EQ(std::string(context->span_id.begin(), context->span_id.end()), "SPANSPAN");
  EXPECT_EQ(context->trace_flags, 3);
  EXPECT_EQ(Describe(record), "http.route=/cart;user.id=7;");
}

TEST(ThreadContextTest, IgnoresAnInvalidRecord) {
  EXPECT_EQ(Describe(Record(kIds, 0, "")), "none");
  EXPECT_EQ(Describe(Record(kIds, 2, "")), "none");
  EXPECT_EQ(Describe(Record(kIds, 1, "")), "");
  for (size_t bytes = 0; bytes < kThreadContextHeaderBytes; ++bytes)
    EXPECT_EQ(Describe(Record(kIds, 1, "").substr(0, bytes)), "none") << bytes;
}

TEST(ThreadContextTest, RequiresBothIdsOrNeither) {
  const std::string zeros(24, '\0');
  const auto none = DecodeThreadContext(Record(zeros, 1, Attribute(0, "/")), kKeys);
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->has_span);
  EXPECT_EQ(none->attributes.size(), 1u);
  EXPECT_EQ(Describe(Record(zeros.substr(0, 16) + "SPANSPAN", 1, "")), "none");
  EXPECT_EQ(Describe(Record("0123456789abcdef" + zeros.substr(0, 8), 1, "")), "none");
}

TEST(ThreadContextTest, LastDuplicateKeyWins) {
  EXPECT_EQ(Describe(Record(kIds, 1, Attribute(0, "/a") + Attribute(0, "/b"))), "http.route=/b;");
}

TEST(ThreadContextTest, SkipsAnUnknownKeyAndRequestsNewKeys) {
  EXPECT_EQ(Describe(Record(kIds, 1, Attribute(3, "x") + Attribute(0, "/a"))), "http.route=/a;?");
  EXPECT_EQ(Describe(Record(kIds, 1, Attribute(255, "x"))), "?");
  EXPECT_EQ(Describe(Record(kIds, 1, Attribute(2, "x"))), "") << "a key that is no text";
}

TEST(ThreadContextTest, StopsAtAnIncompleteEntry) {
  const std::string whole = Attribute(0, "/a");
  EXPECT_EQ(Describe(Record(kIds, 1, whole + "\x01")), "http.route=/a;");
  EXPECT_EQ(Describe(Record(kIds, 1, whole + "\x01\x05" + "1234")), "http.route=/a;");
  // The copy is shorter than the length in the record.
  const std::string record = Record(kIds, 1, whole + Attribute(1, "long value"));
  EXPECT_EQ(Describe(record.substr(0, record.size() - 3)), "http.route=/a;");
  // Bytes after the attributes do not belong to them.
  EXPECT_EQ(Describe(Record(kIds, 1, whole) + Attribute(1, "7")), "http.route=/a;");
}

TEST(ThreadContextTest, ReadsTheLongestAndTheEmptyValue) {
  const std::string longest(255, 'x');
  EXPECT_EQ(Describe(Record(kIds, 1, Attribute(0, longest) + Attribute(1, ""))),
            "http.route=" + longest + ";user.id=;");
}

TEST(ThreadContextTest, DropsAndCountsInvalidUtf8) {
  const std::string record = Record(kIds, 1, Attribute(0, "\xff") + Attribute(1, "7"));
  EXPECT_EQ(Describe(record), "user.id=7;");
  EXPECT_EQ(DecodeThreadContext(record, kKeys)->bad_text_count, 1u);
}

}  // namespace
}  // namespace flarestack::record::agent
