// SPDX-License-Identifier: Apache-2.0
#include "record/code/code_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string_view>

#include "base/file/mapped_file.h"
#include "base/text/text.h"
#include "elf/elf_outline.h"
#include "record/testing/memory_tables.h"
#include "symbol/file_ids.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::seconds;
using testing::MemoryTables;

const CodeFiles::Time kNow{};
constexpr LoadBudget::Options kNoLimit = {.burst = std::chrono::hours(1)};

base::Descriptor OpenOwnProgram() {
  return base::Descriptor(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

base::Descriptor FileOf(std::string_view bytes) {
  base::Descriptor file(memfd_create("file", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

uint32_t AddOwnProgram(CodeFiles* files, CodeFiles::Time now = kNow) {
  const auto slot = files->Add(OpenOwnProgram(), "/bin/own", now);
  EXPECT_TRUE(slot.ok()) << slot.status();
  return slot.value_or(0);
}

size_t CountLoaded(const KernelTables& tables) {
  return static_cast<size_t>(
      std::count_if(tables.pages.begin(), tables.pages.end(),
                    [](const bpf::code_page& page) { return page.state == bpf::PAGE_LOADED; }));
}

TEST(CodeFilesTest, PublishesAFileWithItsPages) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  const CodeFile& file = files.file(slot);
  const bpf::code_file& published = memory.tables().files[slot];
  EXPECT_EQ(published.page_first, file.code_begin >> bpf::CODE_PAGE_SHIFT);
  EXPECT_EQ(published.page_first + published.page_count - 1,
            (file.code_end - 1) >> bpf::CODE_PAGE_SHIFT);
  EXPECT_FALSE(file.module.ids.empty());
  EXPECT_EQ(files.pages_loaded(), 0u) << "none requested yet";
}

TEST(CodeFilesTest, SameContentIsTheSameFile) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  EXPECT_EQ(AddOwnProgram(&files), slot);
  EXPECT_EQ(files.count(), 1u);
  files.Release(slot, kNow);
  EXPECT_TRUE(files.Has(slot));
  files.Release(slot, kNow);
  EXPECT_FALSE(files.Has(slot));
  EXPECT_EQ(files.count(), 0u);
}

TEST(CodeFilesTest, RulesMatchTheUnwindTable) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  const auto mapped = base::MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(mapped.ok());
  const auto elf = elf::ElfFile::Parse(mapped->bytes());
  ASSERT_TRUE(elf.ok());
  const auto table = unwind::UnwindTable::Of(*elf);
  ASSERT_TRUE(table.ok());
  const CodeFile& file = files.file(slot);
  const uint64_t step = (file.code_end - file.code_begin) / 3000 | 1;
  for (uint64_t address = file.code_begin; address < file.code_end; address += step) {
    ASSERT_TRUE(unwind::AreSame(files.FindRule(slot, address, kNow), table->Find(address)))
        << std::hex << address;
  }
  EXPECT_EQ(files.FindRule(slot, file.code_begin - 1, kNow).kind, bpf::RULE_NONE);
  EXPECT_EQ(files.FindRule(slot, file.code_end, kNow).kind, bpf::RULE_NONE);
  EXPECT_EQ(files.FindRule(slot + 1, file.code_begin, kNow).kind, bpf::RULE_NONE);
}

TEST(CodeFilesTest, FirstRowOfAPageStartsAtThePage) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  const KernelTables tables = memory.tables();
  for (uint32_t i = 0; i < tables.files[slot].page_count; ++i) {
    const uint32_t page = tables.files[slot].page_base + i;
    files.LoadPage(page, kNow);
    ASSERT_EQ(tables.pages[page].state, bpf::PAGE_LOADED);
    if (tables.pages[page].row_count > 0) {
      EXPECT_EQ(tables.rows[tables.pages[page].row_base].low, 0);
      EXPECT_EQ(
          tables.pages[page].row_base / bpf::ROWS_PER_CHUNK,
          (tables.pages[page].row_base + tables.pages[page].row_count - 1) / bpf::ROWS_PER_CHUNK);
    }
  }
}

TEST(CodeFilesTest, LoadingALoadedOrUnownedPageDoesNothing) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  const uint32_t page = memory.tables().files[slot].page_base;
  files.LoadPage(page, kNow);
  files.LoadPage(page, kNow);
  files.LoadPage(4095, kNow);
  files.LoadPage(UINT32_MAX, kNow);
  EXPECT_EQ(files.pages_loaded(), 1u);
}

TEST(CodeFilesTest, PageStaysAbsentWithoutLoadBudget) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, {.burst = seconds(0)});
  const uint32_t page = memory.tables().files[AddOwnProgram(&files)].page_base;
  files.LoadPage(page, kNow);
  EXPECT_EQ(memory.tables().pages[page].state, bpf::PAGE_ABSENT) << "it is requested again";
  EXPECT_EQ(files.pages_loaded(), 0u);
}

TEST(CodeFilesTest, LoadsTheRestOfAFileAhead) {
  MemoryTables memory({.row_chunks = 128});
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  EXPECT_FALSE(files.LoadAhead(seconds(60))) << "not sampled";
  EXPECT_EQ(files.pages_loaded(), 0u);
  files.LoadPage(memory.tables().files[slot].page_base, kNow);
  EXPECT_TRUE(files.LoadAhead(std::chrono::microseconds(0))) << "one page, whatever the time";
  EXPECT_EQ(files.pages_loaded(), 2u);
  EXPECT_FALSE(files.LoadAhead(seconds(60)));
  EXPECT_EQ(files.pages_loaded(), memory.tables().files[slot].page_count);
}

// The rows of our own program exceed this table.
TEST(CodeFilesTest, EvictsUnusedPagesIfTheTableIsFull) {
  MemoryTables memory({.row_chunks = 1});
  const KernelTables tables = memory.tables();
  CodeFiles files(tables, CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  const uint32_t first = tables.files[slot].page_base;
  const uint32_t end = first + tables.files[slot].page_count;
  uint32_t page = first;
  for (; page < end && files.rows_rejected() == 0; ++page)
    files.LoadPage(page, kNow);
  ASSERT_GT(files.rows_rejected(), 0u);
  const uint32_t rejected = page - 1;
  EXPECT_EQ(tables.pages[rejected].state, bpf::PAGE_ABSENT) << "to be requested again";
  EXPECT_EQ(files.pages_dropped(), 0u) << "all were just met";
  // BPF uses one of them; the others are dropped, and rest before they are reused.
  tables.pages[first].is_used = 1;
  files.LoadPage(rejected, kNow);
  EXPECT_EQ(tables.pages[rejected].state, bpf::PAGE_ABSENT);
  EXPECT_GT(files.pages_dropped(), 0u);
  EXPECT_EQ(tables.pages[first].state, bpf::PAGE_LOADED);
  files.LoadPage(rejected, kNow + seconds(10));
  EXPECT_EQ(tables.pages[rejected].state, bpf::PAGE_LOADED);
}

TEST(CodeFilesTest, LoadingAheadLeavesHalfOfTheTableFree) {
  MemoryTables memory({.row_chunks = 1});
  const KernelTables tables = memory.tables();
  CodeFiles files(tables, CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  files.LoadPage(tables.files[slot].page_base, kNow);
  EXPECT_FALSE(files.LoadAhead(seconds(60)));
  EXPECT_LT(CountLoaded(tables), tables.files[slot].page_count);
  EXPECT_EQ(files.rows_rejected(), 0u);
}

TEST(CodeFilesTest, SlotRestsBeforeReuse) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  files.LoadPage(memory.tables().files[slot].page_base, kNow);
  files.Release(slot, kNow);
  EXPECT_EQ(CountLoaded(memory.tables()), 0u);
  const uint32_t other = AddOwnProgram(&files, kNow + seconds(1));
  EXPECT_NE(other, slot);
  files.Release(other, kNow + seconds(1));
  EXPECT_EQ(AddOwnProgram(&files, kNow + seconds(30)), slot);
}

TEST(CodeFilesTest, ReleaseRemovesTheNamesOfAFile) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  files.SetName(slot, "one");
  files.SetName(slot, "two");
  EXPECT_EQ(files.FindByName("one"), slot);
  EXPECT_EQ(files.FindByName("two"), slot);
  EXPECT_EQ(files.FindByName("three"), std::nullopt);
  files.Release(slot, kNow);
  EXPECT_EQ(files.FindByName("one"), std::nullopt);
}

TEST(CodeFilesTest, OpensFilesAndTheVdsoAgain) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  const uint32_t program = AddOwnProgram(&files);
  const auto vdso = files.AddVdso(kNow);
  const auto open = files.OpenFiles();
  ASSERT_EQ(open.size(), vdso.ok() ? 2u : 1u);
  EXPECT_EQ(open[0].key, files.file(program).module.Key());
  for (const RecordedFile& one : open) {
    const auto outline = elf::ElfOutline::Read(base::StrCat("/proc/self/fd/", one.file->get()));
    ASSERT_TRUE(outline.ok()) << outline.status();
    EXPECT_EQ(symbol::Module{.ids = symbol::IdsOf(*outline)}.Key(), one.key);
  }
}

TEST(CodeFilesTest, KeepsUnusedFilesOnRequest) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kKeep, kNoLimit);
  const uint32_t slot = AddOwnProgram(&files);
  files.Release(slot, kNow);
  EXPECT_TRUE(files.Has(slot));
  EXPECT_EQ(files.OpenFiles().size(), 1u);
  EXPECT_EQ(AddOwnProgram(&files), slot);
}

TEST(CodeFilesTest, RejectsFilesThatAreNotPrograms) {
  MemoryTables memory;
  CodeFiles files(memory.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  EXPECT_FALSE(files.Add(FileOf(""), "empty", kNow).ok());
  EXPECT_FALSE(files.Add(FileOf("#!/bin/sh\n"), "script", kNow).ok());
  EXPECT_FALSE(files
                   .Add(FileOf("\x7f"
                               "ELF"),
                        "cut", kNow)
                   .ok());
  EXPECT_FALSE(files.Add(base::Descriptor(), "none", kNow).ok());
  EXPECT_EQ(files.count(), 0u);
}

TEST(CodeFilesTest, ReportsFullTables) {
  MemoryTables few_pages({.pages = 4});
  CodeFiles files(few_pages.tables(), CodeFiles::Unused::kRelease, kNoLimit);
  EXPECT_EQ(files.Add(OpenOwnProgram(), "own", kNow).status().code(),
            absl::StatusCode::kResourceExhausted);
  MemoryTables no_files({.files = 0});
  CodeFiles others(no_files.tables());
  EXPECT_EQ(others.Add(OpenOwnProgram(), "own", kNow).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace flarestack::record::agent
