// SPDX-License-Identifier: Apache-2.0
#include "elf/frames/eh_frame.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/file/file.h"
#include "base/status.h"
#include "elf/elf_symbols.h"
#include "elf/frames/eh_frame_header.h"
#include "elf/testing/eh_frame_builder.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::EhFrameBuilder;
using testing::ElfBuilder;
using ::testing::HasSubstr;

constexpr uint64_t kAddress = 0x5000;

std::string ToText(const std::vector<AddressRange>& ranges) {
  std::string text;
  for (const AddressRange& range : ranges)
    base::StrAppend(&text, base::Hex(range.begin), "-", base::Hex(range.end), "\n");
  return text;
}

std::string BoundsOf(const std::string& bytes) {
  const auto bounds = ReadFunctionBounds(EhFrame(bytes, kAddress, EhFrame::End::kOfBytes));
  return bounds.ok() ? ToText(*bounds) : bounds.status().ToString();
}

absl::StatusOr<EhFrameSummary> Walk(const std::string& bytes) {
  return EhFrame(bytes, kAddress, EhFrame::End::kOfBytes).Visit([](const Fde&) {
    return absl::OkStatus();
  });
}

TEST(EhFrame, ReturnsSortedUniqueFunctionBounds) {
  EhFrameBuilder builder(kAddress);
  builder.AddCie();
  builder.AddFde(0x1010, 0x20);
  builder.AddFde(0x1000, 0x10);
  builder.AddZero();
  builder.AddCie();
  builder.AddFde(0x1010, 0x20);
  builder.AddFde(0x9000, 0x8);
  EXPECT_EQ(BoundsOf(builder.bytes()), "0x1000-0x1010\n0x1010-0x1030\n0x9000-0x9008\n");
}

TEST(EhFrame, ReadsTheCommonEncodings) {
  // Absolute and pc-relative, of two, four and eight bytes, signed and unsigned, and LEB128.
  for (const int number :
       {0x00, 0x01, 0x02, 0x03, 0x04, 0x0a, 0x0b, 0x0c, 0x10, 0x11, 0x14, 0x19, 0x1a, 0x1b, 0x1c}) {
    const auto encoding = static_cast<uint8_t>(number);
    EhFrameBuilder builder(kAddress);
    builder.AddCie(encoding);
    builder.AddFde(0x1234, 0x10);
    EXPECT_EQ(BoundsOf(builder.bytes()), "0x1234-0x1244\n") << base::Hex(encoding);
  }
}

TEST(EhFrame, RejectsOtherEncodingsPerEntry) {
  for (const int number : {0x9b, 0x3b, 0x2b, 0x4b, 0x50, 0x05, 0xff}) {
    const auto encoding = static_cast<uint8_t>(number);
    EhFrameBuilder builder(kAddress);
    builder.AddCie(encoding);
    builder.AddFde(0x1234, 0x10);
    builder.AddCie();
    builder.AddFde(0x2000, 0x10);
    const auto summary = Walk(builder.bytes());
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->fde_count, 1u);
    EXPECT_EQ(summary->rejected_count, 1u) << base::Hex(encoding);
    EXPECT_THAT(summary->first_rejection, HasSubstr("entry at 0x"));
  }
}

TEST(EhFrame, ProvidesTheUnwindInformation) {
  EhFrameBuilder builder(kAddress);
  builder.AddCie(0x1b, "zPLRS");
  builder.AddFde(0x1000, 0x10, "\x41\x0e\x10");
  const EhFrame frames(builder.bytes(), kAddress, EhFrame::End::kOfBytes);
  const auto summary = frames.Visit([](const Fde& fde) {
    EXPECT_EQ(fde.cie->augmentation, "zPLRS");
    EXPECT_EQ(fde.cie->code_alignment, 1u);
    EXPECT_EQ(fde.cie->data_alignment, -8);
    EXPECT_EQ(fde.cie->return_register, 16u);
    EXPECT_TRUE(fde.cie->is_signal_frame);
    EXPECT_EQ(fde.cie->lsda_encoding, 0x1b);
    EXPECT_TRUE(fde.cie->instructions.starts_with("\x0c\x07\x08"));
    EXPECT_TRUE(fde.instructions.starts_with("\x41\x0e\x10"));
    return absl::OkStatus();
  });
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->fde_count, 1u);
}

TEST(EhFrame, CountsFunctionsDiscardedByTheLinker) {
  EhFrameBuilder builder(kAddress);
  builder.AddCie();
  builder.AddFde(0x1000, 0);
  builder.AddFde(0x2000, 8);
  const auto summary = Walk(builder.bytes());
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->empty_count, 1u);
  EXPECT_EQ(summary->fde_count, 1u);
}

TEST(EhFrame, RejectsUnknownCies) {
  for (const std::string_view letters :
       {"zRQ", "ehR", "R", "zRPLRSBGRPLRSBGRPLRSBGRPLRSBGRPLRSBG"}) {
    EhFrameBuilder builder(kAddress);
    builder.AddCie(0x1b, letters);
    builder.AddFde(0x1000, 0x10);
    EXPECT_EQ(Walk(builder.bytes())->rejected_count, 1u) << letters;
  }
  EhFrameBuilder builder(kAddress);
  builder.AddCie();
  builder.AddFde(0x1000, 0x10);
  std::string other_version = builder.bytes();
  other_version[8] = 2;
  EXPECT_EQ(Walk(other_version)->rejected_count, 1u);
  std::string far_cie = builder.bytes();
  testing::Poke(&far_cie, builder.last_fde_offset() + 4, uint32_t{0x7fffffff});
  EXPECT_EQ(Walk(far_cie)->rejected_count, 1u);
  std::string not_a_cie = builder.bytes();
  testing::Poke(&not_a_cie, builder.last_fde_offset() + 4, uint32_t{4});
  EXPECT_EQ(Walk(not_a_cie)->rejected_count, 1u);
}

TEST(EhFrame, SkipsThePointerOfTheOldEhAugmentation) {
  std::string body(
      "\x01"
      "eh\0",
      4);
  testing::Append(uint64_t{0x123456789}, &body);  // not used
  body += std::string("\x01\x78\x10\x0c\x07\x08\0\0", 8);
  std::string bytes;
  testing::Append(static_cast<uint32_t>(body.size() + 4), &bytes);
  testing::Append(uint32_t{0}, &bytes);
  bytes += body;
  const auto id_offset = static_cast<uint32_t>(bytes.size() + 4);
  testing::Append(uint32_t{4 + 16}, &bytes);
  testing::Append(id_offset, &bytes);
  testing::Append(uint64_t{0x1000}, &bytes);
  testing::Append(uint64_t{0x10}, &bytes);
  EXPECT_EQ(BoundsOf(bytes), "0x1000-0x1010\n");
}

// The same functions in both forms. In .debug_frame the id is the offset of the CIE.
TEST(EhFrame, ReadsDebugFramesOfBothLengths) {
  for (const bool is_long : {false, true}) {
    std::string bytes;
    const auto add = [&bytes, is_long](uint64_t id, const std::string& body) {
      if (is_long) {
        testing::Append(UINT32_MAX, &bytes);
        testing::Append(uint64_t{body.size() + 8}, &bytes);
        testing::Append(id, &bytes);
      } else {
        testing::Append(static_cast<uint32_t>(body.size() + 4), &bytes);
        testing::Append(static_cast<uint32_t>(id), &bytes);
      }
      bytes += body;
    };
    std::string range;
    testing::Append(uint64_t{0x1000}, &range);
    testing::Append(uint64_t{0x10}, &range);
    add(0, "");  // an FDE that refers to itself as its CIE: rejected
    const uint64_t cie_offset = bytes.size();
    add(UINT64_MAX, std::string("\x04\0\x08\0\x01\x78\x10\x0c\x07\x08", 10));
    const uint64_t fde_offset = bytes.size();
    add(cie_offset, range);
    const EhFrame frames = EhFrame::OfDebugFrame(bytes);
    const auto bounds = ReadFunctionBounds(frames);
    ASSERT_TRUE(bounds.ok()) << bounds.status();
    EXPECT_EQ(ToText(*bounds), "0x1000-0x1010\n");
    Cie cie;
    const auto fde = frames.ReadFdeAt(fde_offset, &cie);
    ASSERT_TRUE(fde.ok()) << fde.status();
    EXPECT_EQ(cie.version, 4u);
    EXPECT_EQ(bytes.substr(fde->instructions_offset), fde->instructions);
    EXPECT_TRUE(cie.instructions.starts_with("\x0c\x07\x08"));
    EXPECT_FALSE(frames.ReadFdeAt(cie_offset, &cie).ok()) << "a CIE";
  }
}

TEST(EhFrame, RejectsLengthsThatWrapAround) {
  EhFrameBuilder builder(kAddress);
  builder.AddCie(0x04);
  builder.AddFde(0x1000, ~uint64_t{0});
  EXPECT_EQ(Walk(builder.bytes())->rejected_count, 1u);
}

TEST(EhFrame, ReportsALengthBeyondTheEnd) {
  EhFrameBuilder builder(kAddress);
  builder.AddCie();
  builder.AddFde(0x1000, 0x10);
  builder.AddRaw("\xf0\xff\xff\xff");
  EXPECT_THAT(base::Message(Walk(builder.bytes()).status()), HasSubstr("beyond the end"));
  std::string long_length(4, '\xff');
  long_length += std::string(8, '\xff');
  EXPECT_THAT(base::Message(Walk(long_length).status()), HasSubstr("beyond the end"));
  EXPECT_FALSE(Walk(std::string("\x02\0\0\0xx", 6)).ok());
  EXPECT_FALSE(Walk("abc").ok());
  EXPECT_TRUE(Walk("").ok());
}

TEST(EhFrame, ReadsLongLengths) {
  EhFrameBuilder inner(kAddress);
  inner.AddCie(0x04);
  inner.AddFde(0x1000, 0x10);
  // The same FDE with an eight-byte length.
  const std::string fde = inner.bytes().substr(inner.last_fde_offset());
  std::string bytes = inner.bytes().substr(0, inner.last_fde_offset());
  bytes += std::string(4, '\xff');
  testing::Append(uint64_t{fde.size() - 4}, &bytes);
  testing::Append(static_cast<uint32_t>(bytes.size()), &bytes);
  bytes += fde.substr(8);
  EXPECT_EQ(BoundsOf(bytes), "0x1000-0x1010\n");
}

TEST(EhFrame, VisitorErrorEndsTheWalk) {
  EhFrameBuilder builder(kAddress);
  builder.AddCie();
  builder.AddFde(0x1000, 0x10);
  builder.AddFde(0x2000, 0x10);
  int calls = 0;
  const auto summary =
      EhFrame(builder.bytes(), kAddress, EhFrame::End::kOfBytes).Visit([&](const Fde&) {
        ++calls;
        return absl::CancelledError("enough");
      });
  EXPECT_EQ(summary.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 1);
}

TEST(EhFrame, IsFoundThroughItsHeaderWithoutSections) {
  EhFrameBuilder frames(kAddress);
  frames.AddCie();
  frames.AddFde(0x1000, 0x10);
  frames.AddZero();
  frames.AddRaw("what follows in the segment");
  ElfBuilder builder;
  const size_t frames_section =
      builder.AddSection({.name = ".other", .address = kAddress, .bytes = frames.bytes()});
  const size_t header_section = builder.AddSection(
      {.name = ".other2",
       .address = 0x4000,
       .bytes = testing::EhFrameHeaderBytes({.address = 0x4000,
                                             .frames_address = kAddress,
                                             .function_address = 0x1000,
                                             .fde_address = kAddress + frames.last_fde_offset()})});
  builder.AddSegmentOver(frames_section, PT_LOAD, PF_R);
  builder.AddSegmentOver(header_section, PT_LOAD, PF_R);
  builder.AddSegmentOver(header_section, PT_GNU_EH_FRAME, PF_R);
  const std::string bytes = builder.Build();
  const auto file = ElfFile::Parse(bytes);
  const auto found = EhFrame::Of(*file);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(ToText(*ReadFunctionBounds(*found)), "0x1000-0x1010\n");

  const auto header = EhFrameHeader::Of(*file);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->entry_count(), 1u);
  EXPECT_EQ(header->Find(0xfff), std::nullopt);
  const auto entry = header->Find(0x1008);
  ASSERT_TRUE(entry.has_value());
  Cie cie;
  const auto fde = found->ReadFdeAt(entry->fde_address - found->address(), &cie);
  ASSERT_TRUE(fde.ok()) << fde.status();
  EXPECT_EQ(fde->end, 0x1010u);
  EXPECT_FALSE(found->ReadFdeAt(0, &cie).ok()) << "a CIE";
  EXPECT_FALSE(found->ReadFdeAt(~uint64_t{0}, &cie).ok());
}

TEST(EhFrame, IsNotFoundInFilesWithoutOne) {
  const std::string bytes = ElfBuilder().Build();
  EXPECT_EQ(EhFrame::Of(*ElfFile::Parse(bytes)).status().code(), absl::StatusCode::kNotFound);
  const std::string object = ElfBuilder(EM_X86_64, ET_REL).Build();
  EXPECT_EQ(EhFrame::Of(*ElfFile::Parse(object)).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(EhFrameHeader, RejectsDamageAndLimitsItsTable) {
  const std::string whole = testing::EhFrameHeaderBytes({.address = 0x4000});
  for (size_t size = 0; size < 8; ++size)
    EXPECT_FALSE(EhFrameHeader::Parse(whole.substr(0, size), 0x4000).ok()) << size;
  EXPECT_EQ(EhFrameHeader::Parse(whole.substr(0, 8), 0x4000)->entry_count(), 0u);
  std::string many = whole;
  testing::Poke(&many, 8, ~uint32_t{0});
  EXPECT_EQ(EhFrameHeader::Parse(many, 0x4000)->entry_count(), 1u);
  std::string version = whole;
  version[0] = 2;
  EXPECT_EQ(EhFrameHeader::Parse(version, 0x4000).status().code(),
            absl::StatusCode::kUnimplemented);
  std::string other_table = whole;
  other_table[3] = '\x1b';
  EXPECT_EQ(EhFrameHeader::Parse(other_table, 0x4000)->entry_count(), 0u);
}

// The header's table agrees with a walk of all entries, and compilers give nearly every function
// both a symbol and an entry with the same bounds.
TEST(EhFrame, AgreesWithHeaderAndSymbolsOfThisProgram) {
  const std::string bytes = testing::OwnProgramBytes();
  const auto file = ElfFile::Parse(bytes);
  const auto frames = EhFrame::Of(*file);
  ASSERT_TRUE(frames.ok()) << frames.status();
  std::map<uint64_t, Fde> by_begin;
  const auto summary = frames->Visit([&](const Fde& fde) {
    by_begin.emplace(fde.begin, fde);
    return absl::OkStatus();
  });
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->rejected_count, 0u) << summary->first_rejection;
  const auto header = EhFrameHeader::Of(*file);
  ASSERT_TRUE(header.ok()) << header.status();
  ASSERT_GT(header->entry_count(), 100u);
  for (uint64_t i = 0; i < header->entry_count(); ++i) {
    const EhFrameHeader::Entry entry = header->entry(i);
    const auto found = by_begin.find(entry.function_address);
    ASSERT_NE(found, by_begin.end()) << base::Hex(entry.function_address);
    EXPECT_EQ(found->second.offset + frames->address(), entry.fde_address);
    EXPECT_EQ(header->Find(entry.function_address)->fde_address, entry.fde_address);
  }
  const auto symbols = ReadFunctionSymbols(*file);
  ASSERT_TRUE(symbols.ok());
  size_t agreeing = 0;
  for (const ElfSymbol& symbol : *symbols) {
    const auto found = by_begin.find(symbol.begin);
    agreeing += found != by_begin.end() && found->second.end == symbol.end ? 1 : 0;
  }
  EXPECT_GT(agreeing, symbols->size() * 9 / 10) << "of " << symbols->size();
}

}  // namespace
}  // namespace flarestack::elf
