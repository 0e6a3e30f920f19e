// SPDX-License-Identifier: Apache-2.0
#include "elf/kernel/kernel_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file/file.h"
#include "base/status.h"
#include "elf/build_id.h"
#include "elf/elf_symbols.h"
#include "elf/kernel/vdso.h"

namespace flarestack::elf {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;

constexpr std::string_view kText =
    "0000000000000000 A fixed_percpu_data\n"
    "0000000000001000 A cpu_debug_store\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000060 t verify_cpu\n"
    "ffffffff81000060 W weak_alias\n"
    "ffffffff81000100 T zz_global\n"
    "ffffffff81000100 T long_global_name\n"
    "ffffffff81000100 t a\n"
    "ffffffff81000200 t last\n"
    "ffffffff81000300 T _etext\n"
    "ffffffff81000400 D some_data\n"
    "ffffffff81000500 d other_data\n"
    "ffffffffc0a01000 t nft_do_chain\t[nf_tables]\n"
    "ffffffffc0a02000 t nft_last\t[nf_tables]\n"
    "ffffffffc0b02000 t bpf_prog_6deef7357e7b4530_sd_fw_egress\t[bpf]\n";

std::string NameAt(const KernelSymbols& symbols, uint64_t address) {
  const auto function = symbols.Find(address);
  if (!function.has_value())
    return "-";
  return base::StrCat(function->name, function->module.empty() ? "" : "@", function->module, "+",
                      address - function->begin);
}

TEST(Kallsyms, FindsFunctionsOfKernelModulesAndBpf) {
  const auto symbols = KernelSymbols::Parse(kText);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->stext_address(), 0xffffffff81000000u);
  EXPECT_EQ(NameAt(*symbols, 0xffffffff81000000), "startup_64+0") << "not a mark of the linker";
  EXPECT_EQ(NameAt(*symbols, 0xffffffff81000061), "weak_alias+1");
  EXPECT_EQ(NameAt(*symbols, 0xffffffff81000100), "zz_global+0") << "global and shorter";
  EXPECT_EQ(NameAt(*symbols, 0xffffffff810002ff), "last+255");
  EXPECT_EQ(NameAt(*symbols, 0xffffffff81000300), "-") << "behind the text";
  EXPECT_EQ(NameAt(*symbols, 0xffffffff81000500), "-") << "data";
  EXPECT_EQ(NameAt(*symbols, 0xffffffff80ffffff), "-");
  EXPECT_EQ(NameAt(*symbols, 0x1000), "-");
  EXPECT_EQ(NameAt(*symbols, 0xffffffffc0a01004), "nft_do_chain@nf_tables+4");
  EXPECT_EQ(NameAt(*symbols, 0xffffffffc0b02001), "bpf_prog_6deef7357e7b4530_sd_fw_egress@bpf+1");
}

TEST(Kallsyms, LastFunctionOfAModuleEndsWithTheModule) {
  const KernelModule modules[] = {
      {.name = "nf_tables", .address = 0xffffffffc0a01000, .size_bytes = 0x2000}};
  const auto bounded = KernelSymbols::Parse(kText, modules);
  ASSERT_TRUE(bounded.ok());
  EXPECT_EQ(NameAt(*bounded, 0xffffffffc0a02fff), "nft_last@nf_tables+4095");
  EXPECT_EQ(NameAt(*bounded, 0xffffffffc0a03000), "-");
  const auto unbounded = KernelSymbols::Parse(kText);
  EXPECT_EQ(NameAt(*unbounded, 0xffffffffc0a03000), "nft_last@nf_tables+4096");
}

TEST(Kallsyms, NoFunctionIsLargerThanAMegabyte) {
  const auto symbols = KernelSymbols::Parse(kText);
  EXPECT_NE(NameAt(*symbols, 0xffffffffc0b02000 + KernelSymbols::kFunctionBytesMax - 1), "-");
  EXPECT_EQ(NameAt(*symbols, 0xffffffffc0b02000 + KernelSymbols::kFunctionBytesMax), "-");
  const auto highest = KernelSymbols::Parse("ffffffffffffffff T f\n");
  ASSERT_TRUE(highest.ok());
  EXPECT_EQ(NameAt(*highest, 0xfffffffffffffffe), "-");
}

TEST(Kallsyms, DistinguishesHiddenAddressesFromNoSymbols) {
  const auto hidden =
      KernelSymbols::Parse("0000000000000000 T _stext\n0000000000000000 T f\t[m]\n");
  EXPECT_EQ(hidden.status().code(), StatusCode::kPermissionDenied);
  EXPECT_THAT(base::Message(hidden.status()), HasSubstr("kptr_restrict"));
  const auto empty = KernelSymbols::Parse("");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->function_count(), 0u);
}

TEST(Kallsyms, ReportsTheNumberOfABadLine) {
  for (const std::string bad :
       {"xyz T f", "ffffffff81000000", "ffffffff81000000 T", "ffffffff81000000 TT f",
        "ffffffff81000000 T f m", "1ffffffff81000000 T f", "ffffffff81000000 T f []"}) {
    const auto symbols = KernelSymbols::Parse("ffffffff81000000 T f\n" + bad + "\n");
    EXPECT_EQ(symbols.status().code(), StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(base::Message(symbols.status()), HasSubstr("line 2"));
  }
}

TEST(Kallsyms, RejectsANameWithANul) {
  const std::string text("ffffffff81000000 T a\0b\n", 23);
  EXPECT_EQ(KernelSymbols::Parse(text).status().code(), StatusCode::kInvalidArgument);
}

TEST(Kallsyms, UsesSixteenBytesPerFunctionPlusItsName) {
  std::string text;
  for (uint64_t i = 0; i < 10'000; ++i)
    base::StrAppend(&text,
                    fmt::format("{:016x} t function_{:05}\n", 0xffffffff81000000 + i * 64, i));
  const auto symbols = KernelSymbols::Parse(text);
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(symbols->function_count(), 10'000u);
  EXPECT_LE(symbols->memory_bytes(), 10'000u * (16 + 15) + 64);
}

TEST(Kallsyms, ReadsThisMachineUnlessHidden) {
  const auto text = base::ReadFile("/proc/kallsyms", 1 << 28);
  if (!text.ok())
    GTEST_SKIP() << "no /proc/kallsyms: " << text.status();
  const auto symbols = KernelSymbols::Parse(*text);
  if (symbols.status().code() == StatusCode::kPermissionDenied)
    GTEST_SKIP() << symbols.status();
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  for (const KernelFunction& function : symbols->List())
    EXPECT_EQ(symbols->Find(function.begin), function);
}

TEST(KernelModules, AreOrderedByAddress) {
  const auto modules = ParseKernelModules(
      "nf_tables 303104 4 nft_compat,nft_chain_nat, Live 0xffffffffc0a00000 (E)\n"
      "loop 40960 0 - Live 0xffffffffc0900000\n");
  ASSERT_TRUE(modules.ok()) << modules.status();
  EXPECT_THAT(
      *modules,
      ::testing::ElementsAre(
          KernelModule{.name = "loop", .address = 0xffffffffc0900000, .size_bytes = 40960},
          KernelModule{.name = "nf_tables", .address = 0xffffffffc0a00000, .size_bytes = 303104}));
}

TEST(KernelModules, DistinguishesHiddenBadAndTooMany) {
  constexpr std::string_view kHidden = "loop 40960 0 - Live 0x0000000000000000\n";
  EXPECT_EQ(ParseKernelModules(kHidden).status().code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(ParseKernelModules("")->empty());
  for (const std::string_view bad : {"loop", "loop x 0 - Live 0x1", "loop 1 0 - Live",
                                     "loop 18446744073709551615 0 - Live 0x1"}) {
    EXPECT_THAT(base::Message(ParseKernelModules(bad).status()), HasSubstr("line 1")) << bad;
  }
  constexpr std::string_view kTwo = "a 1 0 - Live 0x1\nb 1 0 - Live 0x2\n";
  EXPECT_TRUE(ParseKernelModules(kTwo, 2).ok());
  EXPECT_EQ(ParseKernelModules(kTwo, 1).status().code(), StatusCode::kResourceExhausted);
}

TEST(Vdso, IsAnElfFileWithKernelFunctions) {
  const auto bytes = OwnVdsoBytes();
  if (!bytes.ok())
    GTEST_SKIP() << bytes.status();
  const auto file = ElfFile::Parse(*bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  const auto symbols = ReadFunctionSymbols(*file);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  const bool has_clock = std::any_of(symbols->begin(), symbols->end(), [](const ElfSymbol& symbol) {
    return symbol.name.find("clock_gettime") != std::string_view::npos;
  });
  EXPECT_TRUE(has_clock) << symbols->size() << " symbols";
  EXPECT_NE(GnuBuildId(*file), "");
}

}  // namespace
}  // namespace flarestack::elf
