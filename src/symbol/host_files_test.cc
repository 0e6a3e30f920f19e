// SPDX-License-Identifier: Apache-2.0
#include "symbol/host_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/compress/compress.h"
#include "base/text/text.h"
#include "elf/elf_outline.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/elf_builder.h"
#include "symbol/file_ids.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;
using elf::testing::Append;
using elf::testing::ElfBuilder;
using ::testing::AllOf;
using ::testing::HasSubstr;

// 16 digits, the first two of which are a folder.
constexpr char kId[] = "ab34567890abcdef";
constexpr char kIdBytes[] = "\xab\x34\x56\x78\x90\xab\xcd\xef";
constexpr char kOtherBytes[] = "\xff\x34\x56\x78\x90\xab\xcd\xef";

struct NewFile {
  std::string id_bytes = {};
  bool is_debug_file = false;
  std::string debug_link = {};  // with the CRC of `linked`
  std::string linked = {};
  std::string alt_link = {};  // a path, with the id kOtherBytes
};

std::string FileBytes(const NewFile& file) {
  ElfBuilder builder;
  builder.AddSection({.name = ".text",
                      .type = file.is_debug_file ? uint32_t{SHT_NOBITS} : uint32_t{SHT_PROGBITS},
                      .flags = SHF_ALLOC | SHF_EXECINSTR,
                      .address = 0x1000,
                      .bytes = file.is_debug_file ? "" : "code"});
  if (!file.id_bytes.empty())
    builder.AddSection({.name = ".note.gnu.build-id",
                        .type = SHT_NOTE,
                        .flags = SHF_ALLOC,
                        .bytes = elf::testing::Note("GNU", 3, file.id_bytes)});
  if (!file.debug_link.empty()) {
    std::string bytes = file.debug_link;
    bytes.append(4 - bytes.size() % 4, '\0');
    Append(base::Crc32(file.linked), &bytes);
    builder.AddSection({.name = ".gnu_debuglink", .bytes = bytes});
  }
  if (!file.alt_link.empty())
    builder.AddSection(
        {.name = ".gnu_debugaltlink", .bytes = file.alt_link + std::string(1, '\0') + kOtherBytes});
  return builder.Build();
}

class HostFilesTest : public ::testing::Test {
 protected:
  // Writes below the folder and creates parent directories.
  std::string Put(const std::string& path, const std::string& bytes) const {
    fs::create_directories(fs::path(folder_.Path(path)).parent_path());
    return folder_.Write(path, bytes);
  }
  std::string Put(const std::string& path, const NewFile& file) const {
    return Put(path, FileBytes(file));
  }

  HostFilesOptions OnRoot() const { return {.root = folder_.path()}; }
  HostFilesOptions In(const std::string& symbol_path) const {
    return {.symbol_paths = {folder_.Path(symbol_path)}, .root = folder_.path()};
  }

  static Module WithId(const std::string& path = "") {
    return {.ids = {{.kind = IdKind::kGnu, .text = kId}}, .path = path};
  }
  static absl::StatusOr<SymbolFiles> Find(const HostFilesOptions& options, const Module& module) {
    return HostFiles(options).Find(module);
  }

  const NewFile program_ = {.id_bytes = kIdBytes};
  const NewFile debug_ = {.id_bytes = kIdBytes, .is_debug_file = true};
  elf::testing::WorkFolder folder_;
};

TEST_F(HostFilesTest, FindsAMappedPathAndItsDebugFileById) {
  const std::string program = Put("usr/bin/x", program_);
  const std::string debug = Put("usr/lib/debug/.build-id/ab/34567890abcdef.debug", debug_);
  const auto files = Find(OnRoot(), WithId("/usr/bin/x"));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->executable, program);
  EXPECT_EQ(files->debug_file, debug);
  EXPECT_EQ(files->origin, program + " with " + debug);
}

TEST_F(HostFilesTest, DebugFileAloneIsEnough) {
  const std::string debug = Put("usr/lib/debug/.build-id/ab/34567890abcdef.debug", debug_);
  const auto files = Find(OnRoot(), WithId("/gone"));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->executable, "");
  EXPECT_EQ(files->debug_file, debug);
}

TEST_F(HostFilesTest, SkipsAndReportsAFileOfAnotherBuild) {
  Put("usr/bin/x", NewFile{.id_bytes = kOtherBytes});
  const auto files = Find(OnRoot(), WithId("/usr/bin/x"));
  EXPECT_EQ(files.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(files.status().message()),
              AllOf(HasSubstr("/usr/bin/x has another build id ff34567890abcdef"),
                    HasSubstr("/usr/lib/debug/.build-id/ab/34567890abcdef.debug no such file")));
}

// Host profilers send file names without directories.
TEST_F(HostFilesTest, SearchesProgramDirectoriesForABareName) {
  const std::string other = Put("usr/bin/cart", NewFile{.id_bytes = kOtherBytes});
  const std::string path = Put("usr/local/bin/cart", NewFile{.id_bytes = kIdBytes});
  HostFiles files(OnRoot());
  std::vector<Attempt> attempts;
  const auto found =
      files.FindWithAttempts({.ids = {{IdKind::kGnu, kId}}, .path = "cart"}, &attempts);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->executable, path);
  EXPECT_EQ(attempts[0].source, other);
  for (const char* const name : {"chart", "[vdso]", "bin/cart", "../bin/cart", ""})
    EXPECT_FALSE(files.Find({.ids = {{IdKind::kGnu, kId}}, .path = name}).ok()) << name;
}

TEST_F(HostFilesTest, MappedPathsCanBeDisabled) {
  Put("usr/bin/x", program_);
  HostFilesOptions options = OnRoot();
  options.may_use_mapped_path = false;
  EXPECT_EQ(Find(options, WithId("/usr/bin/x")).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(HostFilesTest, FindsNothingWithoutAnId) {
  Put("usr/bin/x", program_);
  EXPECT_EQ(Find(OnRoot(), {.path = "/usr/bin/x"}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(HostFilesTest, HashIsEnoughToFindTheDebugFile) {
  const std::string program = Put("usr/bin/x", program_);
  const std::string debug = Put("usr/lib/debug/.build-id/ab/34567890abcdef.debug", debug_);
  const auto outline = elf::ElfOutline::Read(program);
  ASSERT_TRUE(outline.ok()) << outline.status();
  const auto files = Find(
      OnRoot(),
      {.ids = {{.kind = IdKind::kHtlHash, .text = outline->htl_hash()}}, .path = "/usr/bin/x"});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->debug_file, debug);
}

TEST_F(HostFilesTest, SymbolPathsSupportCommonLayouts) {
  const std::string a = Put("a/.build-id/ab/34567890abcdef.debug", debug_);
  const std::string b = Put("b/ab/34567890abcdef/debuginfo", debug_);
  const std::string c = Put("b/ab/34567890abcdef/executable", program_);
  EXPECT_EQ(Find(In("a"), WithId())->debug_file, a);
  EXPECT_EQ(Find(In("b"), WithId())->debug_file, b);
  EXPECT_EQ(Find(In("b"), WithId())->executable, c);
}

TEST_F(HostFilesTest, SearchesSymbolPathsForTheId) {
  Put("deep/one", NewFile{.id_bytes = kOtherBytes});
  Put("deep/text", std::string("no ELF file"));
  const std::string program = Put("deep/down/two", program_);
  const std::string debug = Put("deep/down/three", debug_);
  ASSERT_EQ(mkfifo(folder_.Path("deep/fifo").c_str(), 0600), 0);
  const auto files = Find(In("deep"), WithId());
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->executable, program);
  EXPECT_EQ(files->debug_file, debug);
  EXPECT_EQ(Find(In("deep/down/three"), WithId())->debug_file, debug);
}

TEST_F(HostFilesTest, NoticesNewFilesAfterAWhile) {
  FileIndex index({folder_.path()}, 10, std::chrono::milliseconds(0));
  const FileId id = {.kind = IdKind::kGnu, .text = kId};
  EXPECT_TRUE(index.Find(id).empty());
  Put("later/x", program_);
  EXPECT_EQ(index.Find(id).size(), 1u);
  FileIndex patient({folder_.path()}, 10, std::chrono::hours(24));
  EXPECT_EQ(patient.Find(id).size(), 1u);
  Put("later/y", NewFile{.id_bytes = kOtherBytes});
  EXPECT_TRUE(patient.Find({.kind = IdKind::kGnu, .text = "ff34567890abcdef"}).empty());
}

TEST_F(HostFilesTest, LimitsTheSearchBelowSymbolPaths) {
  for (int i = 0; i < 5; ++i)
    Put(base::StrCat("many/", i), std::string("text"));
  HostFilesOptions options = In("many");
  options.files_max = 3;
  const auto files = Find(options, WithId());
  EXPECT_THAT(std::string(files.status().message()), HasSubstr("the first 3 files"));
}

TEST_F(HostFilesTest, FollowsADebugLink) {
  const NewFile program = {.id_bytes = kIdBytes, .debug_link = "x.debug"};
  Put("usr/bin/x", program);
  for (const char* place :
       {"usr/lib/debug/usr/bin/x.debug", "usr/bin/.debug/x.debug", "usr/bin/x.debug"}) {
    const std::string debug = Put(place, debug_);
    const auto files = Find(OnRoot(), WithId("/usr/bin/x"));
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_EQ(files->debug_file, debug);
  }
}

TEST_F(HostFilesTest, ComparesADebugLinkWithoutIdsByItsChecksum) {
  const std::string debug_bytes = FileBytes({.is_debug_file = true});
  const std::string program =
      Put("usr/bin/x", NewFile{.debug_link = "x.debug", .linked = debug_bytes});
  const Module module = {
      .ids = {{.kind = IdKind::kHtlHash, .text = elf::ElfOutline::Read(program)->htl_hash()}},
      .path = "/usr/bin/x"};
  Put("usr/bin/x.debug", FileBytes({.is_debug_file = true, .debug_link = "another"}));
  EXPECT_EQ(Find(OnRoot(), module)->debug_file, "");
  const std::string debug = Put("usr/bin/.debug/x.debug", debug_bytes);
  EXPECT_EQ(Find(OnRoot(), module)->debug_file, debug);
}

TEST_F(HostFilesTest, IgnoresADebugLinkToItself) {
  Put("usr/bin/x", NewFile{.id_bytes = kIdBytes, .debug_link = "x"});
  EXPECT_EQ(Find(OnRoot(), WithId("/usr/bin/x"))->debug_file, "");
}

TEST_F(HostFilesTest, FindsTheSharedSupplementaryFile) {
  const NewFile shared = {.id_bytes = kOtherBytes, .is_debug_file = true};
  Put("usr/lib/debug/.build-id/ab/34567890abcdef.debug",
      NewFile{.id_bytes = kIdBytes, .is_debug_file = true, .alt_link = "../../.dwz/shared.debug"});
  EXPECT_EQ(Find(OnRoot(), WithId())->supplementary, "");
  const std::string by_name = Put("usr/lib/debug/.dwz/shared.debug", shared);
  EXPECT_EQ(Find(OnRoot(), WithId())->supplementary, by_name);
  const std::string by_id = Put("usr/lib/debug/.build-id/ff/34567890abcdef.debug", shared);
  EXPECT_EQ(Find(OnRoot(), WithId())->supplementary, by_id);
}

TEST_F(HostFilesTest, SupplementaryNameCannotEscapeTheDebugFolder) {
  const NewFile shared = {.id_bytes = kOtherBytes, .is_debug_file = true};
  Put("etc/shared.debug", shared);
  for (const char* name : {"/etc/shared.debug", "../../../../../etc/shared.debug"}) {
    Put("usr/lib/debug/.build-id/ab/34567890abcdef.debug",
        NewFile{.id_bytes = kIdBytes, .is_debug_file = true, .alt_link = name});
    EXPECT_EQ(Find(OnRoot(), WithId())->supplementary, "") << name;
  }
}

}  // namespace
}  // namespace flarestack::symbol
