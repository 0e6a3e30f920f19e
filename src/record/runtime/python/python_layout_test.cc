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

// 3.13.15, built without GIL: objects have a longer header.
const Words k313WithoutGil = {kCookie, 0x30d0ff0, 1, 328384, 608, 632, 215616, 7272, 7264, 7344,
                              7400, 7664, 7648, 7656, 16, 7760, 0, 7784, 7776,
                              // thread state, frame, code object
                              312, 0, 8, 16, 72, 152, 160, 232, 32, 80, 8, 0, 56, 72, 70, 224, 128,
                              136, 144, 152, 84, 68, 112, 120, 216,
                              // objects
                              32, 24, 432, 40, 104, 184, 48, 40, 32, 56, 40, 32, 64, 48, 56, 40, 32,
                              48, 32, 40, 56, 32, 48, 80, 48, 32, 56};

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

// 3.14.7, built without GIL: a thread may have its own copy of the code.
const Words k314WithoutGil = {kCookie, 0x30e07f0, 1, 362368, 784, 808, 246720, 7280, 7272, 7344,
                              7360, 7408, 7712, 7696, 7704, 16, 7808, 0, 7832, 7824, 8024, 17628,
                              // thread state, frame, code object
                              832, 0, 8, 16, 72, 152, 160, 232, 32, 88, 8, 0, 56, 80, 78, 64, 72,
                              240, 128, 136, 144, 152, 84, 68, 112, 120, 232, 224,
                              // objects
                              32, 24, 432, 40, 104, 184, 56, 48, 32, 56, 40, 32, 216, 40, 56, 48,
                              64, 48, 56, 40, 32, 48, 32, 40, 56, 32, 48, 80, 48, 32, 56};

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

TEST(PythonLayoutTest, ReadsTheDescriptionOf313WithoutGil) {
  const auto layout = Read(13, k313WithoutGil);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->runtime_interpreters, 632u);
  EXPECT_EQ(layout->runtime_key, 2160u);
  EXPECT_EQ(layout->frames.frame_entry, 70);
  EXPECT_EQ(layout->frames.frame_copy, 0);
  EXPECT_EQ(layout->frames.code_start, 216);
  EXPECT_EQ(layout->frames.code_identity, 68);
  EXPECT_EQ(layout->code_first_traceable, 200u);
  EXPECT_EQ(layout->object_type, 24u);
  EXPECT_EQ(layout->bytes_count, 32u);
  EXPECT_EQ(layout->bytes_data, 48u);
  EXPECT_EQ(layout->text_length, 32u);
  EXPECT_EQ(layout->text_state, 48u);
  EXPECT_EQ(layout->text_ascii_data, 56u);
  EXPECT_EQ(layout->text_data, 72u);
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

TEST(PythonLayoutTest, ReadsTheDescriptionOf314WithoutGil) {
  const auto layout = Read(14, k314WithoutGil);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->frames.frame_entry, 78);
  EXPECT_EQ(layout->frames.frame_copy, 72);
  EXPECT_EQ(layout->frames.frame_bytes, 80);
  EXPECT_EQ(layout->frames.code_start, 232);
  EXPECT_EQ(layout->frames.code_copies, 224);
  EXPECT_EQ(layout->frames.code_identity, 68);
  // The list of copies lies between this field and the code.
  EXPECT_EQ(layout->code_first_traceable, 208u);
  EXPECT_EQ(layout->object_type, 24u);
  EXPECT_EQ(layout->bytes_count, 32u);
  EXPECT_EQ(layout->bytes_data, 48u);
  EXPECT_EQ(layout->text_length, 32u);
  EXPECT_EQ(layout->text_state, 48u);
  EXPECT_EQ(layout->text_ascii_data, 56u);
  EXPECT_EQ(layout->text_data, 72u);
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
