// SPDX-License-Identifier: Apache-2.0
#include "elf/address_map.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/file/file.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::ElfBuilder;
using testing::NewSegment;

AddressMap MapOf(const std::vector<NewSegment>& segments) {
  ElfBuilder builder;
  for (const NewSegment& segment : segments)
    builder.AddSegment(segment);
  const std::string bytes = builder.Build();
  return AddressMap(*ElfFile::Parse(bytes));
}

// The layout of lld: no padding in the file, each segment one page further in memory.
AddressMap LldLayout() {
  return MapOf({{.flags = PF_R, .offset = 0, .address = 0x200000, .file_bytes = 0x7f4},
                {.flags = PF_R | PF_X, .offset = 0x800, .address = 0x201800, .file_bytes = 0x950},
                {.flags = PF_R | PF_W,
                 .offset = 0x1150,
                 .address = 0x203150,
                 .file_bytes = 0x200,
                 .memory_bytes = 0x5000}});
}

TEST(AddressMap, RuntimeAddressMapsToTheSegmentThatHoldsTheByte) {
  const AddressMap map = LldLayout();
  // The loader rounds to pages: the text segment is mapped from offset 0.
  const MemoryMapping text = {.start = 0x7f0000001000, .end = 0x7f0000003000, .file_offset = 0};
  EXPECT_EQ(map.RuntimeToAddress(0x7f0000001800, text), 0x201800u);
  EXPECT_EQ(map.RuntimeToAddress(0x7f000000214f, text), 0x20214fu);
  // Bytes on the same pages that belong to the neighbours or to no segment.
  EXPECT_EQ(map.RuntimeToAddress(0x7f0000002150, text), 0x203150u);
  EXPECT_EQ(map.RuntimeToAddress(0x7f00000017ff, text), std::nullopt);
  EXPECT_EQ(map.RuntimeToAddress(0x7f0000000fff, text), std::nullopt);
  EXPECT_EQ(map.RuntimeToAddress(0x7f0000003000, text), std::nullopt);
}

TEST(AddressMap, MappingMayBeginInTheMiddleOfASegment) {
  const AddressMap map = LldLayout();
  const MemoryMapping split = {.start = 0x5000, .end = 0x6000, .file_offset = 0x1000};
  EXPECT_EQ(map.RuntimeToAddress(0x5010, split), 0x202010u);
}

TEST(AddressMap, ConvertsOffsetsToAddressesAndBack) {
  const AddressMap map = LldLayout();
  for (const uint64_t offset : {0x0, 0x7f3, 0x800, 0x114f, 0x1150, 0x134f}) {
    const auto address = map.OffsetToAddress(offset);
    ASSERT_TRUE(address.has_value()) << offset;
    EXPECT_EQ(map.AddressToOffset(*address), offset);
  }
  EXPECT_EQ(map.OffsetToAddress(0x7f4), std::nullopt);
  EXPECT_EQ(map.AddressToOffset(0x203350), std::nullopt) << "zeroed memory has no bytes";
  EXPECT_EQ(map.AddressToOffset(0), std::nullopt);
}

TEST(AddressMap, CodeWinsIfTwoSegmentsHoldTheSameByte) {
  const AddressMap map =
      MapOf({{.flags = PF_R, .offset = 0, .address = 0x1000, .file_bytes = 0x100},
             {.flags = PF_R | PF_X, .offset = 0x80, .address = 0x9080, .file_bytes = 0x100}});
  EXPECT_EQ(map.OffsetToAddress(0x90), 0x9090u);
  EXPECT_EQ(map.OffsetToAddress(0x70), 0x1070u);
}

TEST(AddressMap, SkipsSegmentsThatWrapAround) {
  const uint64_t huge = ~uint64_t{0};
  const AddressMap map = MapOf({{.offset = 0x100, .address = 0, .file_bytes = huge},
                                {.offset = 0, .address = 0x100, .file_bytes = huge},
                                {.type = PT_NOTE, .offset = 0, .address = 0, .file_bytes = 0x100},
                                {.offset = 0, .address = 0, .file_bytes = 0}});
  EXPECT_EQ(map.OffsetToAddress(0x10), std::nullopt);
  EXPECT_EQ(map.AddressToOffset(0x110), std::nullopt);
  const MemoryMapping far = {.start = 0, .end = huge, .file_offset = huge};
  EXPECT_EQ(LldLayout().RuntimeToAddress(0x900, far), std::nullopt);
}

TEST(AddressMap, LimitsTheNumberOfSegments) {
  std::vector<NewSegment> segments;
  for (size_t i = 0; i < AddressMap::kSegmentsMax + 1; ++i)
    segments.push_back({.offset = i * 16, .address = 0x1000 + i * 16, .file_bytes = 16});
  const AddressMap map = MapOf(segments);
  EXPECT_TRUE(map.OffsetToAddress(16 * AddressMap::kSegmentsMax - 1).has_value());
  EXPECT_FALSE(map.OffsetToAddress(16 * AddressMap::kSegmentsMax).has_value());
}

// The bytes found through the map equal those in memory.
TEST(AddressMap, FindsAFunctionOfTheCLibraryInItsFile) {
  const std::string path = testing::CLibraryPath();
  if (path.empty())
    GTEST_SKIP() << "no libc.so.6 is mapped";
  void* const function = dlsym(RTLD_DEFAULT, "qsort");
  ASSERT_NE(function, nullptr);
  const auto pc = reinterpret_cast<uint64_t>(function);
  std::ifstream maps("/proc/self/maps");
  MemoryMapping mapping;
  for (std::string line; std::getline(maps, line);) {
    MemoryMapping candidate;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &candidate.start,
                    &candidate.end, &candidate.file_offset) == 3 &&
        pc >= candidate.start && pc < candidate.end && line.find(path) != std::string::npos)
      mapping = candidate;
  }
  if (mapping.end == 0)
    GTEST_SKIP() << "qsort is not from the C library";
  const auto bytes = base::ReadFile(path, 1 << 28);
  ASSERT_TRUE(bytes.ok());
  const auto file = ElfFile::Parse(*bytes);
  ASSERT_TRUE(file.ok());
  const auto address = AddressMap(*file).RuntimeToAddress(pc, mapping);
  ASSERT_TRUE(address.has_value());
  const std::string_view in_file = file->BytesFromAddress(*address).substr(0, 16);
  EXPECT_EQ(std::memcmp(in_file.data(), function, in_file.size()), 0);
}

}  // namespace
}  // namespace flarestack::elf
