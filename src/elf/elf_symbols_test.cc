// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_symbols.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>
#include <sstream>

#include "base/file/file.h"
#include "base/status.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::ElfBuilder;
using ::testing::HasSubstr;
using testing::NewSymbol;

constexpr size_t kText = 1;
constexpr size_t kData = 2;

// .text is [0x1000, 0x1100), and .init directly after it [0x1100, 0x1110).
std::string FileWith(const std::vector<NewSymbol>& symbols,
                     const std::vector<NewSymbol>& dynamic = {}, uint16_t machine = EM_X86_64) {
  ElfBuilder builder(machine);
  builder.AddSection({.name = ".text",
                      .flags = SHF_ALLOC | SHF_EXECINSTR,
                      .address = 0x1000,
                      .bytes = std::string(0x100, 'c')});
  builder.AddSection(
      {.name = ".data", .flags = SHF_ALLOC, .address = 0x3000, .bytes = std::string(0x100, 'd')});
  builder.AddSection({.name = ".init",
                      .flags = SHF_ALLOC | SHF_EXECINSTR,
                      .address = 0x1100,
                      .bytes = std::string(0x10, 'i')});
  builder.AddSymbols(".symtab", symbols);
  if (!dynamic.empty())
    builder.AddSymbols(".dynsym", dynamic);
  return builder.Build();
}

std::string ToText(const std::vector<ElfSymbol>& symbols) {
  std::string text;
  for (const ElfSymbol& symbol : symbols)
    base::StrAppend(&text, base::Hex(symbol.begin), "-", base::Hex(symbol.end), " ", symbol.name,
                    "\n");
  return text;
}

std::string SymbolsOf(const std::string& bytes) {
  const auto symbols = ReadFunctionSymbols(*ElfFile::Parse(bytes));
  return symbols.ok() ? ToText(*symbols) : symbols.status().ToString();
}

NewSymbol Function(std::string name, uint64_t address, uint64_t size, unsigned char binding) {
  return {.name = std::move(name),
          .address = address,
          .size_bytes = size,
          .section = kText,
          .binding = binding};
}

NewSymbol Global(std::string name, uint64_t address, uint64_t size) {
  return Function(std::move(name), address, size, STB_GLOBAL);
}

NewSymbol Label(std::string name, uint64_t address, uint64_t size = 0, size_t section = kText) {
  return {.name = std::move(name),
          .address = address,
          .size_bytes = size,
          .section = section,
          .type = STT_NOTYPE};
}

TEST(ElfSymbols, AreTheDefinedFunctionsByAddress) {
  EXPECT_EQ(SymbolsOf(FileWith({
                Global("second", 0x1010, 0x10),
                Global("first", 0x1000, 0x8),
                {.name = "object", .address = 0x1020, .section = kText, .type = STT_OBJECT},
                {.name = "undefined", .address = 0x1030, .section = SHN_UNDEF},
                {.name = "indirect",
                 .address = 0x1040,
                 .size_bytes = 4,
                 .section = kText,
                 .type = STT_GNU_IFUNC},
                {.name = "in_data", .address = 0x3000, .size_bytes = 4, .section = kData},
                {.name = "", .address = 0x1050, .size_bytes = 4, .section = kText},
            })),
            "0x1000-0x1008 first\n"
            "0x1010-0x1020 second\n"
            "0x1040-0x1044 indirect\n");
}

TEST(ElfSymbols, JoinsBothTablesAndStripsVersions) {
  EXPECT_EQ(SymbolsOf(FileWith({Global("qsort@@GLIBC_2.2.5", 0x1000, 8)},
                               {Global("qsort", 0x1000, 8), Global("only_dynamic", 0x1008, 8)})),
            "0x1000-0x1008 qsort\n"
            "0x1008-0x1010 only_dynamic\n");
}

TEST(ElfSymbols, UnsizedSymbolReachesTheNextSymbolOrTheSectionEnd) {
  EXPECT_EQ(SymbolsOf(FileWith({Global("a", 0x1000, 0), Global("b", 0x1010, 4),
                                Global("c", 0x1020, 0), Global("in_init", 0x1104, 0)})),
            "0x1000-0x1010 a\n"
            "0x1010-0x1014 b\n"
            "0x1020-0x1100 c\n"
            "0x1104-0x1110 in_init\n");
}

TEST(ElfSymbols, UsesTheBestNameForTheSameCode) {
  EXPECT_EQ(SymbolsOf(FileWith({
                Function("local", 0x1000, 8, STB_LOCAL),
                Function("weak", 0x1000, 8, STB_WEAK),
                Global("global_long", 0x1000, 8),
                Global("global_b", 0x1000, 8),
                Global("global_a", 0x1000, 0),
                Function("w", 0x1010, 8, STB_LOCAL),
                Function("weaker", 0x1010, 8, STB_WEAK),
            })),
            "0x1000-0x1008 global_a\n"
            "0x1010-0x1018 weaker\n");
}

TEST(ElfSymbols, InnermostNestedFunctionWins) {
  EXPECT_EQ(SymbolsOf(FileWith({
                Global("outer", 0x1000, 0x40),
                Global("inner", 0x1010, 0x10),
                Global("innermost", 0x1014, 0x4),
                Global("head", 0x1000, 0x4),
                Global("entry", 0x1030, 0),
                Global("crossing", 0x1038, 0x10),
            })),
            "0x1000-0x1004 head\n"
            "0x1004-0x1010 outer\n"
            "0x1010-0x1014 inner\n"
            "0x1014-0x1018 innermost\n"
            "0x1018-0x1020 inner\n"
            "0x1020-0x1030 outer\n"
            "0x1030-0x1038 entry\n"
            "0x1038-0x1048 crossing\n");
}

TEST(ElfSymbols, UnsizedSymbolEndsWithTheEnclosingFunction) {
  EXPECT_EQ(SymbolsOf(FileWith({Global("outer", 0x1000, 0x20), Global("entry", 0x1010, 0)})),
            "0x1000-0x1010 outer\n"
            "0x1010-0x1020 entry\n");
}

TEST(ElfSymbols, UsesLabelsWhereThereIsNoFunction) {
  EXPECT_EQ(SymbolsOf(FileWith({
                Label("inside", 0x1004),
                Global("function", 0x1000, 0x10),
                Label("assembly", 0x1010),
                Label("assembly_alias", 0x1010),
                Label("sized", 0x1020, 0x8),
                Label("last", 0x1030),
                Global("behind", 0x1040, 0x10),
                Label("end_of_text", 0x1100),
                Label("data", 0x3000, 0, kData),
                Label(".Lloop", 0x1080),
            })),
            "0x1000-0x1010 function\n"
            "0x1010-0x1020 assembly\n"
            "0x1020-0x1028 sized\n"
            "0x1030-0x1040 last\n"
            "0x1040-0x1050 behind\n"
            "0x1100-0x1110 end_of_text\n");
}

TEST(ElfSymbols, DropsArmMappingSymbols) {
  const std::vector<NewSymbol> symbols = {Label("$x", 0x1000), Label("$d.12", 0x1010),
                                          Label("$xyz", 0x1020), Global("f", 0x1040, 4)};
  EXPECT_EQ(SymbolsOf(FileWith(symbols, {}, EM_AARCH64)), "0x1020-0x1040 $xyz\n0x1040-0x1044 f\n");
  EXPECT_EQ(SymbolsOf(FileWith(symbols)),
            "0x1000-0x1010 $x\n0x1010-0x1020 $d.12\n0x1020-0x1040 $xyz\n0x1040-0x1044 f\n");
}

TEST(ElfSymbols, SizeThatWrapsAroundEndsWithTheSection) {
  EXPECT_EQ(SymbolsOf(FileWith({Global("huge", 0x10f0, ~uint64_t{0}),
                                Global("outside", ~uint64_t{0}, ~uint64_t{0})})),
            "0x10f0-0x1100 huge\n");
}

TEST(ElfSymbols, JoinsSymbolsOfAFileAndItsMiniDebugInfo) {
  const std::string stripped = FileWith({}, {Global("exported", 0x1000, 8)});
  const std::string mini = FileWith({Function("hidden", 0x1008, 8, STB_LOCAL)});
  const auto a = ElfFile::Parse(stripped);
  const auto b = ElfFile::Parse(mini);
  const ElfFile* const files[] = {&*a, &*b};
  EXPECT_EQ(ToText(*ReadFunctionSymbols(files)), "0x1000-0x1008 exported\n0x1008-0x1010 hidden\n");
}

TEST(ElfSymbols, HaveLimits) {
  const std::string bytes = FileWith({Global("a", 0x1000, 8), Global("b", 0x1010, 8)});
  const auto file = ElfFile::Parse(bytes);
  EXPECT_TRUE(ReadFunctionSymbols(*file, {.symbols_max = 3}).ok());
  const auto capped = ReadFunctionSymbols(*file, {.symbols_max = 2});
  EXPECT_EQ(capped.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(base::Message(capped.status()), HasSubstr("the limit is 2"));
}

TEST(ElfSymbols, RejectsNamesThatOverlap) {
  ElfBuilder builder;
  builder.AddSection({.name = ".text",
                      .flags = SHF_ALLOC | SHF_EXECINSTR,
                      .address = 0x1000,
                      .bytes = std::string(0x100, 'c')});
  const size_t names = builder.AddSection(
      {.name = ".strtab", .type = SHT_STRTAB, .bytes = std::string(1 << 20, 'n')});
  std::string entries;
  for (uint32_t i = 0; i < 1000; ++i) {
    testing::Append(i, &entries);
    testing::Append(uint32_t{STT_FUNC | 1 << 16}, &entries);
    testing::Append(uint64_t{0x1000}, &entries);
    testing::Append(uint64_t{8}, &entries);
  }
  builder.AddSection({.name = ".symtab",
                      .type = SHT_SYMTAB,
                      .bytes = entries,
                      .link = static_cast<uint32_t>(names)});
  const std::string bytes = builder.Build();
  const auto symbols = ReadFunctionSymbols(*ElfFile::Parse(bytes));
  EXPECT_EQ(symbols.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(base::Message(symbols.status()), HasSubstr("overlap"));
}

TEST(ElfSymbols, RejectsRelocatableFiles) {
  const std::string bytes = ElfBuilder(EM_X86_64, ET_REL).Build();
  EXPECT_EQ(ReadFunctionSymbols(*ElfFile::Parse(bytes)).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(ElfSymbols, VisitsRangesUntilAnError) {
  const std::string bytes = FileWith({Global("a", 0x1000, 8), Global("b", 0x1010, 8)});
  const auto file = ElfFile::Parse(bytes);
  std::string seen;
  EXPECT_TRUE(VisitSymbols(*file, [&](const CodeRange& range) {
                base::StrAppend(&seen, range.frames[0].function, range.end - range.begin, " ");
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(seen, "a8 b8 ");
  int calls = 0;
  EXPECT_EQ(VisitSymbols(*file,
                         [&](const CodeRange&) {
                           ++calls;
                           return absl::CancelledError("enough");
                         })
                .code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 1);
}

// Lines of `nm --defined-only`: "address size? type name".
std::map<uint64_t, std::set<std::string>> FunctionsByNm(const std::string& options) {
  std::map<uint64_t, std::set<std::string>> functions;
  std::istringstream lines(
      testing::OutputOf("nm --defined-only --without-symbol-versions " + options));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string address;
    std::string type;
    std::string name;
    if (words >> address >> type >> name && std::string("TtWi").find(type) != std::string::npos)
      functions[std::stoull(address, nullptr, 16)].insert(name);
  }
  return functions;
}

TEST(ElfSymbols, MatchesNmForRealFiles) {
  const std::string library = testing::CLibraryPath();
  const std::vector<std::pair<std::string, std::string>> files = {
      {"/proc/self/exe", "/proc/" + std::to_string(getpid()) + "/exe"}, {library, "-D " + library}};
  for (const auto& [path, options] : files) {
    const auto expected = FunctionsByNm(options);
    if (expected.empty())
      GTEST_SKIP() << "nm is not installed";
    const auto bytes = base::ReadFile(path, uint64_t{1} << 32);
    ASSERT_TRUE(bytes.ok());
    const auto file = ElfFile::Parse(*bytes);
    const auto symbols = ReadFunctionSymbols(*file);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    size_t missing = 0;
    for (const auto& [address, names] : expected) {
      const ElfSymbol* symbol = FindSymbol(*symbols, address);
      if (symbol == nullptr || names.count(std::string(symbol->name)) == 0)
        ++missing;
    }
    // nm also counts labels at the very end of a section, or inside functions, as code. Sanitizers
    // add many of them to this program.
    EXPECT_LE(missing, 10 + expected.size() / 25) << path << " of " << expected.size();
    EXPECT_GT(symbols->size(), expected.size() * 9 / 10);
  }
}

}  // namespace
}  // namespace flarestack::elf
