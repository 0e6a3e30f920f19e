// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kFirstBlob = 0x7f6200000000;
constexpr uint64_t kSecondBlob = kFirstBlob + 0x1000;
constexpr uint64_t kText = 0x10000;
constexpr uint32_t kBlobName = 8;  // an offset

// Each blob has the same name, and zeros as code.
absl::Status ReadBlobs(uint64_t address, std::span<char> out) {
  constexpr std::string_view kName("StubRoutines (1)\0", 17);
  std::fill(out.begin(), out.end(), '\0');
  if (address == kFirstBlob + kBlobName || address == kSecondBlob + kBlobName)
    std::memcpy(out.data(), &kText, std::min(out.size(), sizeof(kText)));
  if (address >= kText && address < kText + kName.size())
    kName.substr(address - kText).copy(out.data(), out.size());
  return absl::OkStatus();
}

std::string NameOfStub(const JavaProcess& process, uint64_t blob, uint64_t position) {
  const JavaWords words = {
      uint64_t{bpf::FRAME_JAVA} << FRAME_KIND_SHIFT | uint64_t{bpf::JAVA_STUB} << JAVA_KIND_SHIFT |
          blob,
      uint64_t{bpf::FRAME_OPERAND} << FRAME_KIND_SHIFT | position << JAVA_POSITION_SHIFT | kText};
  const auto named = JavaNames(process).Name(ReadBlobs, words);
  return named.ok() ? named->functions.front().name : named.status().ToString();
}

// The code that resumes virtual threads is in a blob of its own, and has no name in HotSpot's list.
TEST(JavaNamesTest, StubOfOneBlobDoesNotNameTheCodeOfTheNext) {
  JavaProcess process;
  process.layout.blob_name = kBlobName;
  process.stubs = {{.begin = kFirstBlob + 0x800, .name = "fmod"}};
  EXPECT_EQ(NameOfStub(process, kFirstBlob, 0x810), "fmod");
  EXPECT_EQ(NameOfStub(process, kFirstBlob, 0x700), "StubRoutines (1)");
  EXPECT_EQ(NameOfStub(process, kSecondBlob, 0x20), "StubRoutines (1)");
}

}  // namespace
}  // namespace flarestack::record::runtime
