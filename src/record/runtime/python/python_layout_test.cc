// SPDX-License-Identifier: Apache-2.0
//
// The self-descriptions of released versions, as they are at the start of _PyRuntime.
#include "record/runtime/python/python_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kCookie = 0x7970677562656478;  // "xdebugpy"

using Words = std::vector<uint64_t>;

// 3.14.10 of Debian.
const Words k314 = {
    // cookie, version, is without GIL; runtime, interpreter
    kCookie, 0x30e0af0, 0, 316616, 784, 808, 225864, 7280, 7272, 7344, 7360, 7408, 7688, 7672, 7680,
    16, 7784, 0, 7800, 7792, 7992, 0,
    // thread state, frame, code object
    832, 0, 8, 16, 72, 152, 160, 232, 32, 88, 8, 0, 56, 80, 74, 64, 0, 216, 112, 120, 128, 136, 68,
    52, 96, 104, 208, 0,
    // objects
    16, 8, 416, 24, 88, 168, 40, 32, 16, 40, 24, 16, 200, 24, 40, 32, 48, 32, 40, 24, 16, 32, 16,
    24, 40, 16, 32, 64, 32, 16, 40};

// 3.15.2 of Debian.
const Words k315 = {kCookie, 0x30f02f0, 0, 346568, 912, 936, 226240, 7272, 7264, 7336, 7352, 7400,
                    7592, 7576, 7584, 16, 7736, 0, 7752, 7744, 7944, 0,
                    // thread state, exception, frame, code object
                    888, 0, 8, 16, 72, 80, 88, 96, 176, 184, 256, 32, 36, 40, 136, 288, 0, 88, 8, 0,
                    56, 80, 74, 64, 0, 216, 112, 120, 128, 136, 68, 52, 96, 104, 208, 0,
                    // objects
                    16, 8, 424, 24, 88, 168, 32, 288, 944, 888, 40, 32, 16, 40, 24, 16, 200, 24, 40,
                    32, 48, 32, 40, 24, 16, 32, 16, 24, 40, 16, 32, 64, 32, 16, 40};

absl::StatusOr<PythonLayout> Read(int minor, Words words) {
  words.resize(kPythonDescriptionBytes / sizeof(uint64_t));
  std::string bytes(kPythonDescriptionBytes, '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return ReadPythonLayout(minor, bytes);
}

TEST(PythonLayoutTest, ReadsTheDescriptionOf314) {
  const auto layout = Read(14, k314);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->runtime_interpreters, 808u);
  EXPECT_EQ(layout->runtime_key, 2336u);
  EXPECT_EQ(layout->interpreter_threads, 7344u);
  EXPECT_EQ(layout->state_thread_id, 152u);
  EXPECT_EQ(layout->frames.state_frame, 72);
  EXPECT_EQ(layout->frames.frame_entry, 74);
  EXPECT_EQ(layout->frames.frame_copy, 0);
  EXPECT_EQ(layout->frames.frame_bytes, 80);
  EXPECT_EQ(layout->frames.code_start, 208);
  EXPECT_EQ(layout->code_first_traceable, 192u);
  EXPECT_EQ(layout->code_qualified_name, 128u);
  EXPECT_EQ(layout->code_lines, 136u);
  EXPECT_EQ(layout->text_ascii_data, 40u);
  EXPECT_EQ(layout->text_data, 56u);
}

TEST(PythonLayoutTest, ReadsTheDescriptionOf315) {
  const auto layout = Read(15, k315);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->runtime_interpreters, 936u);
  EXPECT_EQ(layout->runtime_key, 0u);
  EXPECT_EQ(layout->interpreter_threads, 7336u);
  EXPECT_EQ(layout->state_thread_id, 176u);
  EXPECT_EQ(layout->frames.state_frame, 72);
  EXPECT_EQ(layout->frames.frame_entry, 74);
  EXPECT_EQ(layout->frames.frame_copy, 0);
  EXPECT_EQ(layout->frames.code_start, 208);
  EXPECT_EQ(layout->code_first_traceable, 192u);
  EXPECT_EQ(layout->code_first_line, 68u);
  EXPECT_EQ(layout->bytes_count, 16u);
  EXPECT_EQ(layout->bytes_data, 32u);
  EXPECT_EQ(layout->text_state, 32u);
  EXPECT_EQ(layout->text_length, 16u);
}

TEST(PythonLayoutTest, RejectsADescriptionOfAnotherVersion) {
  EXPECT_EQ(Read(13, k314).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read(15, k314).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read(16, k315).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(PythonLayoutTest, RejectsAnOffsetOutOfRange) {
  constexpr size_t kFrameOwner = 36;
  Words words = k314;
  words[kFrameOwner] = bpf::PYTHON_FRAME_BYTES;
  EXPECT_EQ(Read(14, words).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PythonLayoutTest, IsUnavailableBeforeTheProcessHasStarted) {
  EXPECT_EQ(Read(14, Words{}).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace flarestack::record::runtime
