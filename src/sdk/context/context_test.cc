// SPDX-License-Identifier: Apache-2.0
//
// Bytes as OTEP 4719 and OTEP 4947 define them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "sdk/context/own_context_signal.h"
#include "sdk/context/process_context.h"
#include "sdk/context/thread_context.h"

extern "C" thread_local void* otel_thread_ctx_v1;

namespace flarestack::sdk {
namespace {

constexpr uint8_t kTrace[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr uint8_t kSpan[8] = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8};

std::string Hex(const void* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<const uint8_t*>(bytes)[i]);
    text += digits;
  }
  return text;
}

// What a reader sees that stops the thread.
std::string PublishedRecord() {
  if (otel_thread_ctx_v1 == nullptr)
    return "none";
  const auto* const bytes = static_cast<const uint8_t*>(otel_thread_ctx_v1);
  uint16_t label_bytes = 0;
  std::memcpy(&label_bytes, bytes + 26, sizeof(label_bytes));
  return Hex(bytes, size_t{28} + label_bytes);
}

TEST(ProcessContextTest, EncodesTheResource) {
  const std::string payload = EncodeProcessContext({{"service.name", "a"}}, {});
  EXPECT_EQ(Hex(payload.data(), 23), "0a150a130a0c736572766963652e6e616d6512030a0161");
}

TEST(ThreadContextTest, PublishesSpanAndLabels) {
  AttachSpan(kTrace, kSpan, 1);
  SetLabel(1, "/api");
  EXPECT_EQ(PublishedRecord(),
            "0102030405060708090a0b0c0d0e0f10a1a2a3a4a5a6a7a80101060001042f617069");
  SetLabel(1, "/b");
  EXPECT_EQ(PublishedRecord(), "0102030405060708090a0b0c0d0e0f10a1a2a3a4a5a6a7a80101040001022f62");
  SetLabel(1, "");
  DetachSpan();
  EXPECT_EQ(PublishedRecord(), "00000000000000000000000000000000000000000000000000000000");
}

TEST(ThreadContextTest, EachThreadHasARecordOfItsOwn) {
  AttachSpan(kTrace, kSpan, 1);
  std::thread([] {
    EXPECT_EQ(PublishedRecord(), "none");
    EXPECT_FALSE(CurrentSpan().is_set);
    AttachSpan(kTrace, kTrace, 0);
    EXPECT_TRUE(ReadOwnContext().has_span);
  }).join();
  EXPECT_EQ(CurrentSpan().span_id[0], 0xa1);
  DetachSpan();
  EXPECT_FALSE(ReadOwnContext().has_span);
}

TEST(ThreadContextTest, LabelsThatDoNotFitAreRejectedAndLongOnesCut) {
  const std::string long_value(300, 'x');
  EXPECT_TRUE(SetLabel(1, long_value));
  EXPECT_EQ(CurrentLabel(1).size(), 255);
  EXPECT_TRUE(SetLabel(2, long_value));
  EXPECT_FALSE(SetLabel(3, long_value));
  EXPECT_EQ(CurrentLabel(3), "");
  EXPECT_TRUE(SetLabel(3, "fits"));
  EXPECT_EQ(CurrentLabel(3), "fits");
  EXPECT_EQ(CurrentLabel(2).size(), 255);
  for (uint8_t key = 1; key <= 3; ++key)
    SetLabel(key, "");
  EXPECT_EQ(ReadOwnContext().labels.size(), 0);
}

}  // namespace
}  // namespace flarestack::sdk
