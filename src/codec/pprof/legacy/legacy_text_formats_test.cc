// SPDX-License-Identifier: Apache-2.0
//
// Counts and locks of Go, threads and locks of C++, and the text profiles of Java.
#include <string>

#include "base/text/text.h"
#include "codec/pprof/legacy/legacy.h"
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

TEST(LegacyCountTest, HeaderNamesTheCounts) {
  const auto file = ReadLegacyFile(
      "# a comment before the header\n\n"
      "threadcreate profile: total 3\n"
      "2 @ 0x45a001 0x45b002\n"
      "1 @ 0x45a001\n"
      "\n"
      "--- Memory map: ---\n"
      "  400000-500000: /srv/cart (@0) 0123abcd\n");
  EXPECT_EQ(HeaderText(file->profile), "threadcreate/count period 1 threadcreate/count\n");
  EXPECT_EQ(SamplesText(file->profile), "2: 0x45a000@1 0x45b001@1\n1: 0x45a000@1\n");
  EXPECT_EQ(MappingsText(file->profile), "1: 0x400000-0x500000 +0x0 /srv/cart 0123abcd\n");
}

TEST(LegacyCountTest, GoCommentsProvideNamesAndLabels) {
  const auto file = ReadLegacyFile(
      "goroutine profile: total 6\n"
      "5 @ 0x45a001 0x45b002\n"
      "# labels: {\"handler\":\"check\\\"out\", \"shop\":\"\\u00fcber\\x41\\n\"}\n"
      "#\t0x45a000\tmain.wait+0x20\t/src/wait.go:8\n"
      "\n"
      "1 @ 0x45c003 0x45b002\n"
      "#\t0x45b001\tmain.main+0x81\t/src/main.go:12\n");
  EXPECT_EQ(SamplesText(file->profile),
            "5: 0x45a000 main.wait /src/wait.go:8@1 0x45b001 main.main /src/main.go:12@1"
            " {handler=check\"out} {shop=\xc3\xbc"
            "berA\n}\n"
            "1: 0x45c002@1 0x45b001 main.main /src/main.go:12@1\n");
  EXPECT_FALSE(file->profile.mappings[0].has_functions);  // 0x45c002 has no name
}

TEST(LegacyCountTest, WarnsAboutUnknownLabels) {
  for (const std::string_view labels :
       {"{\"a\":}", "{\"a\"", "{\"a\":\"\\q\"}", "{\"a\":\"b\"x}", "{\"a\":\"\\u12\"}"}) {
    const auto file = ReadLegacyFile(
        base::StrCat("goroutine profile: total 1\n1 @ 0x1001\n# labels: ", labels, "\n"));
    EXPECT_EQ(SamplesText(file->profile), "1: 0x1000@1\n");
    EXPECT_FALSE(file->warnings.empty()) << labels;
  }
}

TEST(LegacyCountTest, ZeroPaddingIsNotAFrame) {
  const auto file = ReadLegacyFile("threadcreate profile: total 4\n4 @ 0x0 0x0 0x0\n#\t0x0\n");
  EXPECT_EQ(SamplesText(file->profile), "4:\n");
}

TEST(LegacyCountTest, RejectsABadRowAndWarnsAboutTrailingText) {
  EXPECT_THAT(LegacyErrorOf("goroutine profile: total 1\nmain.main\n"),
              StartsWith("line 2: expected a row \"count @ addresses\""));
  const auto file = ReadLegacyFile("goroutine profile: total 1\n1 @ 0x1001 main\n");
  EXPECT_EQ(SamplesText(file->profile), "1: 0x1000@1\n");
  EXPECT_EQ(file->warnings.kinds().size(), 1u);
}

TEST(LegacyContentionTest, ScalesDelaysToNanosecondsOfAllContentions) {
  const auto file = ReadLegacyFile(
      "--- mutex:\n"
      "cycles/second=2600000000\n"
      "sampling period=5\n"
      "52000000 4 @ 0x45a001 0x45b002\n"
      "#\t0x45a000\tsync.(*Mutex).Unlock+0x20\t/go/src/sync/mutex.go:65\n"
      "\n"
      "1300 1 @ 0x45c003\n");
  EXPECT_EQ(HeaderText(file->profile),
            "contentions/count delay/nanoseconds period 5 contentions/count\n");
  EXPECT_EQ(SamplesText(file->profile),
            "20 100000000: 0x45a000 sync.(*Mutex).Unlock /go/src/sync/mutex.go:65@1 0x45b001@1\n"
            "5 2500: 0x45c002@1\n");
  EXPECT_THAT(std::string(file->profile.drop_frames), HasSubstr("SpinLock"));
  EXPECT_EQ(file->profile.keep_frames, "");
}

TEST(LegacyContentionTest, ReadsDurationAndMemoryMapOfCppServers) {
  const auto file = ReadLegacyFile(
      "--- contentionz 1 ---\n"
      "cycles/second = 3201000000\n"
      "sampling period = 100\n"
      "ms since reset = 16502830\n"
      "discarded samples = 0\n"
      "  19490304       27 @ 0x401001 0x402002\n"
      "--- Memory map: ---\n"
      "  00400000-00408000: /srv/cart\n");
  EXPECT_EQ(HeaderText(file->profile),
            "contentions/count delay/nanoseconds period 100 contentions/count"
            " duration 16502830000000\n");
  EXPECT_EQ(SamplesText(file->profile), "2700 608881724: 0x401000@1 0x402001@1\n");
}

TEST(LegacyContentionTest, DelaysWithoutAClockStayUnchanged) {
  const auto file = ReadLegacyFile("--- contention:\nsampling period=3\nodd=1\n70 4 @ 0x1001\n");
  EXPECT_EQ(SamplesText(file->profile), "12 70: 0x1000@1\n");
  EXPECT_FALSE(file->warnings.empty());  // "odd" is unknown
}

TEST(LegacyContentionTest, ProductsSaturate) {
  const auto file = ReadLegacyFile(
      "--- mutex:\ncycles/second=1\nsampling period=9223372036854775807\n"
      "9223372036854775807 4 @ 0x1001\n");
  EXPECT_EQ(SamplesText(file->profile), "9223372036854775807 9223372036854775807: 0x1000@1\n");
  EXPECT_THAT(LegacyErrorOf("--- mutex:\nsampling period=x\n"),
              StartsWith("line 2: an attribute that is not a 64-bit number"));
  EXPECT_THAT(LegacyErrorOf("--- mutex:\n-1 4 @ 0x1\n"), StartsWith("line 2: expected a row"));
}

TEST(LegacyThreadTest, ThreadsWithTheSameStackAreOneSample) {
  const auto file = ReadLegacyFile(
      "--- threadz 1 ---\n"
      "\n"
      "--- Thread 7f0000001940 (name: main/100) stack: ---\n"
      "  PC:  0x00401000: Wait(int)\n"
      "  0x00402002: main\n"
      "--- Thread 7f0000002700 (name: worker/101) stack: ---\n"
      "  PC: 0x401010 0x402010\n"
      "      0x402020\n"
      "      creator: 0x403003 0x404004\n"
      "--- Thread 7f0000003700 (name: worker/102) stack: ---\n"
      "  [same as previous thread]\n"
      "--- Memory map: ---\n"
      "  00400000-00408000: /srv/cart\n");
  EXPECT_EQ(HeaderText(file->profile), "thread/count period 1 thread/count\n");
  EXPECT_EQ(SamplesText(file->profile),
            "1: 0x401000 Wait(int)@1 0x402001 main@1\n"
            "2: 0x401010@1 0x40200f@1 0x40201f@1 0x403002@1 0x404003@1\n");
}

TEST(LegacyThreadTest, CountsThreadsWithoutStackOrMemoryMap) {
  const auto file = ReadLegacyFile(
      "--- Thread 1 (name: a/1) stack: ---\n"
      "  [same as previous thread]\n"
      "--- Thread 2 (name: b/2) stack: ---\n"
      "--- Thread 3 (name: c/3) stack: ---\n"
      "  0x1000\n"
      "---- no stack trace for 7 threads\n"
      "whatever\n");
  EXPECT_EQ(SamplesText(file->profile), "1:\n1:\n1: 0x1000@1\n");
  EXPECT_THAT(LegacyErrorOf("--- threadz 1 ---\n--- other ---\n"),
              StartsWith("line 2: neither a thread nor a memory map"));
}

TEST(LegacyJavaTest, UnsamplesAndNamesHeapRows) {
  const auto file = ReadLegacyFile(
      "--- heapz 1 ---\n"
      "format = java\n"
      "resolution = bytes\n"
      "          7048     1 @ 0x00000003 0x00000004\n"
      "       2097152     4 @ 0x00000003 0x00000005\n"
      "\n"
      " 0x00000003 com.shop.Cart.add (Cart.java:31)\n"
      " 0x00000004 com.shop.Main.run (Main.java:-2)\n"
      " 0x00000005 memcpy (/lib/x86_64/libc.so.6)\n");
  EXPECT_EQ(HeaderText(file->profile), "inuse_objects/count inuse_space/bytes period 0 /\n");
  EXPECT_EQ(SamplesText(file->profile),
            "74 527819: com.shop.Cart.add Cart.java:31 com.shop.Main.run Main.java:0"
            " {bytes=7048}\n"
            "6 3317645: com.shop.Cart.add Cart.java:31 memcpy libc.so.6:0 {bytes=524288}\n");
  EXPECT_EQ(MappingsText(file->profile), "");
}

TEST(LegacyJavaTest, DistinguishesContentionFromCppByItsAttributes) {
  const auto file = ReadLegacyFile(
      "--- contentionz 1 ---\n"
      "format = java\n"
      "resolution = microseconds\n"
      "sampling period = 100\n"
      "ms since reset = 6019923\n"
      "            1     1 @ 0x00000003 0x00000004\n"
      "\n"
      " 0x00000003 com.shop.Cart.lock (Cart.java:31)\n"
      " 0x00000004 generated stub/JIT\n");
  EXPECT_EQ(HeaderText(file->profile),
            "contentions/count delay/microseconds period 100 contentions/count"
            " duration 6019923000000\n");
  EXPECT_EQ(SamplesText(file->profile), "100 100: com.shop.Cart.lock Cart.java:31 STUB\n");
}

TEST(LegacyJavaTest, RejectsBadHeadersAndRows) {
  EXPECT_THAT(LegacyErrorOf("--- heapz 1 ---\nformat = go\n"), StartsWith("line 2: a format"));
  EXPECT_THAT(LegacyErrorOf("--- heapz 1 ---\ncolour = red\n"),
              StartsWith("line 2: an unknown attribute"));
  EXPECT_THAT(LegacyErrorOf("--- heapz 1 ---\n7 1 @ 0x1\n"), StartsWith("line 2: a sample, but"));
  EXPECT_THAT(LegacyErrorOf("--- heapz 1 ---\nresolution=bytes\n7 0 @ 0x1\n"),
              StartsWith("line 3: bytes in 0 objects"));
}

TEST(LegacyTest, OtherTextIsNotMistakenForAProfile) {
  for (const std::string_view text :
       {"main;work 12\n", "heap profile: none\n", "goroutine profile: total many\n", "heap_v2/\n",
        "--- heapz 2 ---\n", "# only a comment\n", "{\"nodes\":[]}"}) {
    EXPECT_FALSE(LooksLikeLegacy(text)) << text;
  }
  EXPECT_EQ(LegacyErrorOf("main;work 12\n"), "byte 0: not a legacy pprof format");
  // Detection is bounded: it does not find a header after more than 4 KiB of comments.
  EXPECT_FALSE(LooksLikeLegacy("#" + std::string(5000, ' ') + "\ngoroutine profile: total 1\n"));
}

}  // namespace
}  // namespace flarestack::codec::pprof
