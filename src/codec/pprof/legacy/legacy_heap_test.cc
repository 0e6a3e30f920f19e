// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "base/text/text.h"
#include "codec/pprof/legacy/legacy.h"
#include "codec/pprof/legacy/legacy_heap.h"
#include "codec/pprof/testing/legacy_text_dump.h"
#include "codec/pprof/testing/read_legacy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flarestack::codec::pprof {
namespace {

using ::testing::HasSubstr;
using testing::HeaderText;
using testing::LegacyErrorOf;
using testing::MappingsText;
using testing::ReadLegacyFile;
using testing::SamplesText;
using ::testing::StartsWith;

constexpr std::string_view kMaps =
    "\nMAPPED_LIBRARIES:\n"
    "00400000-00408000 r-xp 00000000 08:01 4711   /srv/cart\n"
    "7f0000010000-7f0000040000 r-xp 00010000 08:01 99 /lib/libshop.so.2\n";

std::string HeapOfKind(std::string_view kind) {
  return base::StrCat("heap profile:     4:   133136 [    15:   138132] @ ", kind, "\n",
                      "     1:     2048 [     3:     6144] @ 0x401001 0x402002 0x7f0000020000\n"
                      "     2:   131072 [     2:   131072] @ 0x401005 0x402002\n"
                      "     0:        0 [     9:      900] @ 0x401005\n"
                      "     1:       16 [     1:       16] @\n",
                      kMaps);
}

constexpr std::string_view kFourTypes =
    "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes";

// The numbers below are the output of google/pprof for the same text.
TEST(LegacyHeapTest, SampledRowsBecomeEstimates) {
  const auto file = ReadLegacyFile(HeapOfKind("heap_v2/524288"));
  EXPECT_EQ(HeaderText(file->profile), base::StrCat(kFourTypes, " period 524288 space/bytes\n"));
  EXPECT_EQ(SamplesText(file->profile),
            "769 1575937 256 525312: 0x401000@1 0x402001@1 0x7f000001ffff@2 {bytes=2048}\n"
            "17 1115476 17 1115476: 0x401004@1 0x402001@1 {bytes=65536}\n"
            "47190 4719042 0 0: 0x401004@1 {bytes=100}\n"
            "32768 524296 32768 524296: {bytes=16}\n");
  EXPECT_EQ(MappingsText(file->profile),
            "1: 0x400000-0x408000 +0x0 /srv/cart\n"
            "2: 0x7f0000010000-0x7f0000040000 +0x10000 /lib/libshop.so.2\n");
  EXPECT_THAT(std::string(file->profile.drop_frames), HasSubstr("malloc"));
  EXPECT_THAT(std::string(file->profile.keep_frames), HasSubstr("reflectcall"));
}

TEST(LegacyHeapTest, HalvesThePeriodOfGo) {
  const auto go = ReadLegacyFile(HeapOfKind("heap/1048576"));
  const auto tcmalloc = ReadLegacyFile(HeapOfKind("heapz_v2/524288"));
  EXPECT_EQ(go->profile.period, 524288);
  EXPECT_EQ(SamplesText(go->profile), SamplesText(tcmalloc->profile));
}

TEST(LegacyHeapTest, HeapprofileIsNotSampled) {
  const auto file = ReadLegacyFile(HeapOfKind("heapprofile"));
  EXPECT_EQ(file->profile.period, 1);
  EXPECT_THAT(SamplesText(file->profile), StartsWith("3 6144 1 2048: "));
}

TEST(LegacyHeapTest, PeriodOfOneOrNoneChangesNothing) {
  for (const std::string_view kind : {"heap_v2", "heap_v2/", "heap_v2/0", "heap_v2/1"}) {
    const auto file = ReadLegacyFile(HeapOfKind(kind));
    EXPECT_THAT(SamplesText(file->profile), StartsWith("3 6144 1 2048: ")) << kind;
  }
}

TEST(LegacyHeapTest, RepeatedNumbersInBracketsAreNotASeparateType) {
  const auto file = ReadLegacyFile(
      "heap profile: 1: 2048 [1: 2048] @ heap_v2/524288\n"
      "1: 2048 [1: 2048] @ 0x401001\n");
  EXPECT_EQ(HeaderText(file->profile), "objects/count space/bytes period 524288 space/bytes\n");
  EXPECT_EQ(SamplesText(file->profile), "256 525312: 0x401000@1 {bytes=2048}\n");
}

TEST(LegacyHeapTest, GrowthAndFragmentationHaveOneObjectPerRow) {
  for (const std::string_view kind : {"growth", "growthz", "fragmentation", "fragmentationz"}) {
    const auto file =
        ReadLegacyFile(base::StrCat("heap profile:  1: 2097152 [ 1: 2097152] @ ", kind,
                                    "\n  1: 2097152 [ 1: 2097152] @ 0x401001 0x402002\n"));
    EXPECT_EQ(HeaderText(file->profile), "objects/count space/bytes period 1 space/bytes\n");
    EXPECT_EQ(SamplesText(file->profile), "1 2097152: 0x401000@1 0x402001@1 {bytes=2097152}\n");
  }
}

TEST(LegacyHeapTest, GoCommentsNameTheFrames) {
  const auto file = ReadLegacyFile(
      "heap profile: 1: 1024 [1: 1024] @ heap/2\n"
      "1: 1024 [1: 1024] @ 0x45a001 0x45b002\n"
      "#\t0x45a000\tmain.(*Cart).grow+0x40\t\t/src/my cart/grow.go:17\n"
      "#\t0x45b001\tmain.inlined+0x81\t/src/main.go:30\n"
      "#\t0x45b001\tmain.main+0x81\t\t/src/main.go:12\n"
      "\n"
      "# runtime.MemStats\n"
      "# Alloc = 1234\n");
  EXPECT_EQ(SamplesText(file->profile),
            "1 1024: 0x45a000 main.(*Cart).grow /src/my cart/grow.go:17@1"
            " 0x45b001 main.inlined /src/main.go:30 main.main /src/main.go:12@1 {bytes=1024}\n");
  EXPECT_TRUE(file->profile.mappings[0].has_functions);
  EXPECT_TRUE(file->profile.mappings[0].has_inline_frames);
}

TEST(LegacyHeapTest, JemallocReportsTheSumOfItsThreads) {
  const auto file =
      ReadLegacyFile(base::StrCat("heap_v2/524288\n"
                                  "  t*: 10: 81920 [0: 0]\n"
                                  "  t0: 10: 81920 [0: 0] main\n"
                                  "@ 0x401001 0x402002\n"
                                  "  t*: 8: 65536 [0: 0]\n"
                                  "  t0: 5: 40960 [0: 0]\n"
                                  "  t1: 3: 24576 [0: 0]\n"
                                  "@ 0x401005\n"
                                  "  t*: 2: 16384 [0: 0]\n",
                                  kMaps));
  EXPECT_EQ(HeaderText(file->profile), "objects/count space/bytes period 524288 space/bytes\n");
  EXPECT_EQ(SamplesText(file->profile),
            "516 4227157: 0x401000@1 0x402001@1 {bytes=8192}\n"
            "129 1056789: 0x401004@1 {bytes=8192}\n");
  EXPECT_EQ(file->profile.mappings.size(), 2u);
}

TEST(LegacyHeapTest, RejectsJemallocRowsWithoutStackOrTotal) {
  EXPECT_THAT(LegacyErrorOf("heap_v2/1\n@ 0x1\n"), StartsWith("line 2: expected a row of totals"));
  EXPECT_THAT(LegacyErrorOf("heap_v2/1\nt*: 1: 1 [0: 0]\nt*: 1: 1 [0: 0]\n"),
              StartsWith("line 3: a second total"));
  EXPECT_THAT(LegacyErrorOf("heap_v2/1\n"), HasSubstr("expected a row of totals"));
}

TEST(LegacyHeapTest, ReportsTheLineOfABadRow) {
  const std::string header = "heap profile: 1: 1 [1: 1] @ heapprofile\n\n";
  EXPECT_EQ(LegacyErrorOf(header + "1: 1 [1: 1] 0x1\n"),
            "line 3: expected a row \"count: bytes [count: bytes] @ addresses\": 1: 1 [1: 1] 0x1");
  EXPECT_THAT(LegacyErrorOf(header + "0: 7 [0: 0] @ 0x1\n"),
              StartsWith("line 3: 7 bytes in 0 objects"));
  EXPECT_THAT(LegacyErrorOf(header + "1: 99999999999999999999 [0: 0] @ 0x1\n"),
              StartsWith("line 3: expected a row"));
  EXPECT_THAT(LegacyErrorOf(header + "1: 1 [0: 0] @ 0x11112222333344445\n"),
              StartsWith("line 3: an address that is not a 64-bit hexadecimal number"));
  EXPECT_THAT(LegacyErrorOf("heap profile: 1: 1 [1: 1] @ heap_v3/8\n"),
              StartsWith("line 1: an unknown kind of heap profile"));
}

TEST(LegacyHeapTest, ExtremeNumbersStayInRange) {
  using legacy::Unsample;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Unsample({1, 1}, kMax).count, kMax);  // 1-exp(-x) is 0 for such a small x
  EXPECT_EQ(Unsample({kMax, kMax}, 1000).bytes, kMax);
  EXPECT_EQ(Unsample({5, 0}, 1000).count, 0);
  EXPECT_LT(Unsample({kMin, kMin}, 2).bytes, 0);
  const auto file = ReadLegacyFile(
      "heap profile: 1: 1 [1: 1] @ heapprofile\n"
      "-1: -9223372036854775808 [0: 0] @ 0x1\n");
  EXPECT_EQ(SamplesText(file->profile),
            "-1 -9223372036854775808: 0x0 {bytes=9223372036854775807}\n");
}

}  // namespace
}  // namespace flarestack::codec::pprof
