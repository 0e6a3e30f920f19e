// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

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

struct Layout {
  size_t word_bytes = 8;
  bool is_big_endian = false;
};

// Writes the words that a profiler on such a machine writes.
class CpuFile {
 public:
  explicit CpuFile(Layout layout = {}) : layout_(layout) {}

  CpuFile& Words(const std::vector<uint64_t>& words) {
    for (const uint64_t word : words) {
      for (size_t i = 0; i < layout_.word_bytes; ++i) {
        const size_t place = layout_.is_big_endian ? layout_.word_bytes - 1 - i : i;
        bytes_ += static_cast<char>(word >> (8 * place));
      }
    }
    return *this;
  }
  CpuFile& Header(uint64_t period_us = 10000) { return Words({0, 3, 0, period_us, 0}); }
  CpuFile& JavaHeader() { return Words({0, 3, 1, 10000, 0}); }
  CpuFile& Record(uint64_t count, const std::vector<uint64_t>& stack) {
    return Words({count, stack.size()}).Words(stack);
  }
  CpuFile& End() { return Words({0, 1, 0}); }
  CpuFile& Text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Layout layout_;
  std::string bytes_;
};

class LegacyCpuLayoutTest : public ::testing::TestWithParam<Layout> {};

TEST_P(LegacyCpuLayoutTest, ReadsWordsOfAnySizeAndByteOrder) {
  const CpuFile file = CpuFile(GetParam())
                           .Header()
                           .Record(3, {0x1000, 0x1101, 0x1201})
                           .Record(4, {0x1010, 0x1151})
                           .End()
                           .Text("1000-2000 r-xp 00000000 08:01 7 /srv/cart\n");
  EXPECT_TRUE(LooksLikeLegacy(file.bytes()));
  const auto read = ReadLegacyFile(file.bytes());
  EXPECT_EQ(HeaderText(read->profile),
            "samples/count cpu/nanoseconds period 10000000 cpu/nanoseconds\n");
  EXPECT_EQ(SamplesText(read->profile),
            "3 30000000: 0x1000@1 0x1100@1 0x1200@1\n"
            "4 40000000: 0x1010@1 0x1150@1\n");
  EXPECT_EQ(MappingsText(read->profile), "1: 0x1000-0x2000 +0x0 /srv/cart\n");
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, LegacyCpuLayoutTest,
                         ::testing::Values(Layout{4, false}, Layout{4, true}, Layout{8, false},
                                           Layout{8, true}));

TEST(LegacyCpuTest, TruncationIsAnErrorOrLeavesWholeRecords) {
  const std::string whole =
      CpuFile().Header().Record(3, {0x1000, 0x1101}).Record(4, {0x1010}).End().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    base::Warnings warnings;
    const absl::StatusOr<Profile> profile = ReadLegacy(whole.substr(0, size), &warnings);
    // Header, header and one record, header and two records.
    const bool is_at_border = size == 40 || size == 72 || size == 96;
    EXPECT_EQ(profile.ok(), is_at_border) << size;
    EXPECT_EQ(warnings.empty(), !is_at_border) << size;
  }
}

TEST(LegacyCpuTest, RejectsARecordThatClaimsTooManyAddresses) {
  const std::string bytes =
      CpuFile().Header().Record(1, {0x1000}).Words({1, uint64_t{1} << 60, 0x1000}).bytes();
  EXPECT_EQ(LegacyErrorOf(bytes),
            "byte 64: a record of 1152921504606846976 addresses, but there are 1 words left");
}

TEST(LegacyCpuTest, RejectsACountThatOverflowsNanoseconds) {
  EXPECT_THAT(LegacyErrorOf(CpuFile().Header().Record(uint64_t{1} << 62, {0x1000}).bytes()),
              HasSubstr("byte 40: a count of 4611686018427387904"));
  EXPECT_THAT(LegacyErrorOf(CpuFile().Header(uint64_t{1} << 63).bytes()),
              HasSubstr("a period of 9223372036854775808 us"));
}

TEST(LegacyCpuTest, CountsARepeatedLeafOnce) {
  const auto file = ReadLegacyFile(CpuFile()
                                       .Header()
                                       .Record(1, {0x1000, 0x1000, 0x1301})
                                       .Record(1, {0x1000, 0x1201, 0x1301})
                                       .End()
                                       .bytes());
  EXPECT_EQ(SamplesText(file->profile),
            "1 10000000: 0x1000@1 0x1300@1\n"
            "1 10000000: 0x1000@1 0x1200@1 0x1300@1\n");
  EXPECT_EQ(file->profile.locations.size(), 3u);  // the duplicate is gone
}

TEST(LegacyCpuTest, RemovesASignalHandlerFrameSharedByNearlyAllSamples) {
  CpuFile file;
  file.Header();
  for (uint64_t i = 0; i < 63; ++i) {
    file.Record(1, {0x1000 + i, 0x9001, 0x2001 + 16 * i});
  }
  file.Record(1, {0x1100, 0x5001, 0x6001});
  const auto read = ReadLegacyFile(file.End().bytes());
  ASSERT_EQ(read->profile.samples.size(), 64u);
  const std::string text = SamplesText(read->profile);
  EXPECT_THAT(text, HasSubstr("1 10000000: 0x1001@1 0x2010@1\n"));
  EXPECT_THAT(text, HasSubstr("1 10000000: 0x1100@1 0x5000@1 0x6000@1\n"));
}

TEST(LegacyCpuTest, KeepsAFrameThatManySamplesLack) {
  const auto file = ReadLegacyFile(CpuFile()
                                       .Header()
                                       .Record(9, {0x1000, 0x9001, 0x2001})
                                       .Record(1, {0x1010, 0x8001, 0x2001})
                                       .End()
                                       .bytes());
  EXPECT_EQ(SamplesText(file->profile),
            "9 90000000: 0x1000@1 0x9000@1 0x2000@1\n"
            "1 10000000: 0x1010@1 0x8000@1 0x2000@1\n");
}

TEST(LegacyCpuTest, NamesJavaFramesFromTheTableAtTheEnd) {
  const auto file = ReadLegacyFile(CpuFile({4, true})
                                       .JavaHeader()
                                       .Record(2, {1, 2, 3})
                                       .Record(0, {4})
                                       .Record(1, {9, 3})
                                       .End()
                                       .Text("0x1 com.shop.Cart.add (Cart.java:31)\n"
                                             " 0x2 com.shop.Main.run (Native Method)\n"
                                             "0x3 start_thread (/lib/libpthread.so.0)\n"
                                             "0x4 GC\n"
                                             "0x7 com.shop.Never.seen (Never.java:1)\n")
                                       .bytes());
  // Number 9 is not in the table and keeps its number.
  EXPECT_EQ(SamplesText(file->profile),
            "2 20000000: com.shop.Cart.add Cart.java:31 com.shop.Main.run"
            " start_thread libpthread.so.0:0\n"
            "0 0: GC\n"
            "1 10000000: 0x9@1 start_thread libpthread.so.0:0\n");
  EXPECT_EQ(file->profile.functions.size(), 4u);
}

TEST(LegacyCpuTest, OtherBinaryDataIsNotMistakenForACpuProfile) {
  EXPECT_FALSE(LooksLikeLegacy(""));
  EXPECT_FALSE(LooksLikeLegacy(std::string(64, '\0')));
  EXPECT_FALSE(LooksLikeLegacy(CpuFile().Words({0, 3, 2, 10000, 0}).bytes()));
  EXPECT_FALSE(LooksLikeLegacy(CpuFile().Words({0, 3, 0, 0, 0}).bytes()));
  EXPECT_FALSE(LooksLikeLegacy(CpuFile().Words({0, 3, 0, 10000}).bytes()));
}

}  // namespace
}  // namespace flarestack::codec::pprof
