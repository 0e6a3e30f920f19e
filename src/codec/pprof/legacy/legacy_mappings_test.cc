// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy_mappings.h"

#include <string>
#include <vector>

#include "base/text/text.h"
#include "codec/pprof/testing/legacy_text_dump.h"
#include "gtest/gtest.h"

namespace flarestack::codec::pprof::legacy {
namespace {

using testing::MappingsText;

// The mappings of a memory map before any joining.
std::string Listed(std::string_view text) {
  Profile profile;
  base::Warnings warnings;
  ReadMemoryMap(Lines(text), &profile, &warnings);
  for (size_t i = 0; i < profile.mappings.size(); ++i) {
    profile.mappings[i].id = i + 1;
  }
  return MappingsText(profile);
}

struct Assigned {
  std::string mappings;
  std::vector<uint32_t> mapping_of;  // per address, by id; 0 if none
};

Assigned Assign(std::string_view text, const std::vector<uint64_t>& addresses) {
  Profile profile;
  base::Warnings warnings;
  ReadMemoryMap(Lines(text), &profile, &warnings);
  for (const uint64_t address : addresses) {
    profile.locations.emplace_back().address = address;
  }
  AssignMappings(&profile);
  Assigned assigned = {.mappings = MappingsText(profile), .mapping_of = {}};
  for (const Location& location : profile.locations) {
    assigned.mapping_of.push_back(location.mapping == kNoMapping ? 0 : location.mapping + 1);
  }
  return assigned;
}

TEST(LegacyMemoryMapTest, AcceptsBothLayoutsInAnyMixture) {
  EXPECT_EQ(Listed("00400000-00407000 r-xp 00001000 08:01 1234   /usr/bin/my cart (deleted)\n"
                   "00407000-00408000 r-xs 00000000 00:00 0\n"
                   "  500000-507000: /usr/bin/brief (@1000) 9f86D081\n"
                   "0x600000 0x607000 /usr/bin/bare abcd\n"
                   "700000-701000:\n"
                   "800000-801000 00002000 fd:00 7 /no/permissions\n"),
            "1: 0x400000-0x407000 +0x1000 /usr/bin/my cart\n"
            "2: 0x407000-0x408000 +0x0\n"
            "3: 0x500000-0x507000 +0x1000 /usr/bin/brief 9f86D081\n"
            "4: 0x600000-0x607000 +0x0 /usr/bin/bare abcd\n"
            "5: 0x700000-0x701000 +0x0\n"
            "6: 0x800000-0x801000 +0x2000 /no/permissions\n");
}

TEST(LegacyMemoryMapTest, SkipsNonExecutableMappings) {
  EXPECT_EQ(Listed("00400000-00407000 r--p 00000000 08:01 1234 /usr/bin/cart\n"
                   "00407000-00408000 rw-p 00000000 00:00 0 [heap]\n"),
            "");
}

TEST(LegacyMemoryMapTest, WarnsAboutLinesThatAreNotMappings) {
  Profile profile;
  base::Warnings warnings;
  ReadMemoryMap(Lines("nothing here\n5000-4000: /backwards\n11112222333344445-2: /far\nface\n"),
                &profile, &warnings);
  EXPECT_TRUE(profile.mappings.empty());
  ASSERT_EQ(warnings.kinds().size(), 1u);
  EXPECT_EQ(warnings.kinds().begin()->second.count, 4u);
}

TEST(LegacyMemoryMapTest, RemovesALogPrefix) {
  EXPECT_EQ(Listed("I1115 10:00:00.000000 77 maps.cc:12] 30000-40000: /lib/a.so\n"),
            "1: 0x30000-0x40000 +0x0 /lib/a.so\n");
}

TEST(LegacyMemoryMapTest, ReplacesVariables) {
  EXPECT_EQ(Listed("build=/srv/releases\n400000-401000: $build/cart$x (@100)\n"),
            "1: 0x400000-0x401000 +0x100 /srv/releases/cart$x\n");
}

TEST(LegacyMemoryMapTest, TruncatesVariablesThatGrowWithoutLimit) {
  std::string text = "a=xxxxxxxxxxxxxxxx\n";
  for (char name = 'b'; name <= 'p'; ++name) {
    text += base::StrCat(name, "=$", static_cast<char>(name - 1), "$", static_cast<char>(name - 1),
                         "\n");
  }
  for (int i = 0; i < 10000; ++i) {
    text += "1000-2000: $h\n";  // 2 KiB each
  }
  Profile profile;
  base::Warnings warnings;
  ReadMemoryMap(Lines(text), &profile, &warnings);
  EXPECT_EQ(profile.mappings.size(), 10000u);
  EXPECT_LT(profile.arena.allocated_bytes(), size_t{4} << 20);
}

TEST(LegacyMappingsTest, JoinsPartsOfOneFile) {
  EXPECT_EQ(Assign("400000-401000: /srv/cart (@1000)\n"
                   "401000-402000: /srv/cart (@2000) abcd\n"
                   "402000-403000: /srv/cart (@9000)\n"
                   "403000-404000: /srv/other (@a000)\n"
                   "405000-406000: /srv/other (@c000)\n",
                   {})
                .mappings,
            "1: 0x400000-0x402000 +0x1000 /srv/cart abcd\n"
            "2: 0x402000-0x403000 +0x9000 /srv/cart\n"
            "3: 0x403000-0x404000 +0xa000 /srv/other\n"
            "4: 0x405000-0x406000 +0xc000 /srv/other\n");
}

TEST(LegacyMappingsTest, MainBinaryComesFirst) {
  EXPECT_EQ(Assign("1000-2000: [vdso]\n"
                   "3000-4000: /lib/libc.so.6\n"
                   "5000-6000: /lib/libm.so\n"
                   "7000-8000: /lib/libx.so_1\n"
                   "9000-a000: /srv/cart\n",
                   {})
                .mappings,
            "1: 0x9000-0xa000 +0x0 /srv/cart\n"
            "2: 0x3000-0x4000 +0x0 /lib/libc.so.6\n"
            "3: 0x5000-0x6000 +0x0 /lib/libm.so\n"
            "4: 0x7000-0x8000 +0x0 /lib/libx.so_1\n"
            "5: 0x1000-0x2000 +0x0 [vdso]\n");
}

TEST(LegacyMappingsTest, RepairsTheMainBinary) {
  EXPECT_EQ(Assign("402000-403000: /srv/cart (@2000)\n", {}).mappings,
            "1: 0x400000-0x403000 +0x0 /srv/cart\n");
  EXPECT_EQ(Assign("400000-500000: /anon_hugepage\n500000-600000: /srv/cart\n", {}).mappings,
            "1: 0x500000-0x600000 +0x0 /srv/cart\n");
}

TEST(LegacyMappingsTest, LocationsGetTheFirstMappingThatCoversThem) {
  const Assigned assigned = Assign(
      "8000-9000: /srv/inner\n"
      "1000-f000: /srv/outer\n",
      {0x8800, 0x1000, 0xefff, 0, 0x7fff});
  EXPECT_EQ(assigned.mapping_of, (std::vector<uint32_t>{1, 2, 2, 0, 2}));
}

TEST(LegacyMappingsTest, ExtendsAMappingToAnEarlierLocation) {
  const Assigned assigned = Assign("51000-52000: /srv/cart (@1000)\n", {0x50500, 0x4ffff});
  EXPECT_EQ(assigned.mappings,
            "1: 0x50000-0x52000 +0x0 /srv/cart\n"
            "2: 0x0-0xffffffffffffffff +0x0\n");
  EXPECT_EQ(assigned.mapping_of, (std::vector<uint32_t>{1, 2}));
}

TEST(LegacyMappingsTest, ManyOverlappingMappingsTakeOnlySortingTime) {
  std::string text;
  std::vector<uint64_t> addresses;
  for (uint64_t i = 0; i < 50000; ++i) {
    text += base::StrCat(base::Hex(0x1000 + i), "-", base::Hex(0x100000 - i), ": /srv/", i, "\n");
    addresses.push_back(0x1000 + i);
  }
  const Assigned assigned = Assign(text, addresses);
  EXPECT_EQ(assigned.mapping_of.front(), 1u);
  EXPECT_EQ(assigned.mapping_of.back(), 1u);
}

}  // namespace
}  // namespace flarestack::codec::pprof::legacy
