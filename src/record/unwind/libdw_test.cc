// SPDX-License-Identifier: Apache-2.0
//
// Compares the rules of real files with libdw, at addresses in every file of the system.
#include <dirent.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "base/text/text.h"
#include "elf/frames/eh_frame_header.h"
#include "elf/testing/compiled_program.h"
#include "record/unwind/testing/rows_text.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind {
namespace {

// Number of comparisons by result.
using Classes = std::map<std::string, uint64_t>;

void Print(const Classes& classes) {
  for (const auto& [what, count] : classes)
    std::cout << "  " << count << " " << what << "\n";
}

// ---------------------------------------------------------------------------------------

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> paths;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr)
    return paths;
  while (const dirent* entry = readdir(directory)) {
    const std::string path = folder + "/" + entry->d_name;
    struct stat status = {};
    if (lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      paths.push_back(path);
  }
  closedir(directory);
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Converts libdw's description of an address to a rule; nullopt if a rule cannot represent its
// operations.
class OracleRule {
 public:
  explicit OracleRule(Dwarf_Frame* frame) : frame_(frame) {}

  std::optional<bpf::unwind_rule> Read(Machine machine) {
    const MachineRegisters numbers = RegistersOf(machine);
    bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
    Dwarf_Op memory[3];
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (dwarf_frame_register(frame_, numbers.return_address, memory, &ops, &count) != 0)
      return std::nullopt;
    if (count == 0 && ops != nullptr)
      return RuleOfKind(bpf::RULE_STOP);
    if (!ReadReturnAddress({ops, count}, numbers, &rule))
      return std::nullopt;
    Dwarf_Op* cfa = nullptr;
    if (dwarf_frame_cfa(frame_, &cfa, &count) != 0 || !ReadCfa({cfa, count}, &rule))
      return std::nullopt;
    if (dwarf_frame_register(frame_, numbers.frame_pointer, memory, &ops, &count) != 0)
      return std::nullopt;
    ReadFramePointer({ops, count}, numbers, &rule);
    return rule;
  }

 private:
  using Ops = std::span<const Dwarf_Op>;

  // libdw expresses CFA + offset as "call_frame_cfa, plus_uconst offset".
  static std::optional<bpf::s32> AsOffset(Ops ops) {
    if (ops.empty() || ops[0].atom != DW_OP_call_frame_cfa || ops.size() > 2)
      return std::nullopt;
    if (ops.size() == 1)
      return 0;
    if (ops[1].atom != DW_OP_plus_uconst)
      return std::nullopt;
    return static_cast<bpf::s32>(ops[1].number);
  }

  static bool ReadReturnAddress(Ops ops, const MachineRegisters& numbers, bpf::unwind_rule* rule) {
    if (const auto offset = AsOffset(ops); offset.has_value()) {
      rule->ra_offset = *offset;
      return true;
    }
    rule->flags |= bpf::RULE_RA_IN_REGISTER;
    rule->extra = numbers.return_address;
    if (!ops.empty() && ops[0].atom == DW_OP_regx)
      rule->extra = static_cast<bpf::u8>(ops[0].number);
    return ops.empty() || (ops.size() == 1 && ops[0].atom == DW_OP_regx);
  }

  static bool ReadBase(const Dwarf_Op& op, bpf::unwind_rule* rule) {
    const bool is_short = op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31;
    if (!is_short && op.atom != DW_OP_bregx)
      return false;
    rule->cfa_base = static_cast<bpf::u8>(is_short ? op.atom - DW_OP_breg0 : op.number);
    rule->cfa_offset = static_cast<bpf::s32>(is_short ? op.number : op.number2);
    return true;
  }

  static bool ReadCfa(Ops ops, bpf::unwind_rule* rule) {
    if (ops.empty() || !ReadBase(ops[0], rule))
      return false;
    if (ops.size() == 9 && ops[5].atom == DW_OP_ge) {
      rule->kind = bpf::RULE_PLT;
      rule->extra = static_cast<bpf::u8>(ops[4].atom - DW_OP_lit0);
      return true;
    }
    if (ops.size() == 1)
      return true;
    rule->flags |= bpf::RULE_CFA_LOADED;
    if (ops.size() == 3 && ops[2].atom == DW_OP_plus_uconst && ops[2].number % 8 == 0)
      rule->extra = static_cast<bpf::u8>(ops[2].number / 8);
    else if (ops.size() != 2)
      return false;
    return ops[1].atom == DW_OP_deref;
  }

  static void ReadFramePointer(Ops ops, const MachineRegisters& numbers, bpf::unwind_rule* rule) {
    if (const auto offset = AsOffset(ops); offset.has_value()) {
      rule->flags |= bpf::RULE_FP_SAVED;
      rule->fp_offset = *offset;
      return;
    }
    // Expressions start with the CFA on their stack, which libdw writes explicitly.
    if (!ops.empty() && ops[0].atom == DW_OP_call_frame_cfa)
      ops = ops.subspan(1);
    if (ops.size() == 1 && rule->cfa_base == numbers.frame_pointer &&
        ops[0].atom == DW_OP_breg0 + numbers.frame_pointer) {
      rule->flags |= bpf::RULE_FP_SAVED | bpf::RULE_FP_AT_FP;
      rule->fp_offset = static_cast<bpf::s32>(ops[0].number);
    }
  }

  Dwarf_Frame* frame_;
};

// Classifies a rule for an address without an entry. Valid if we have no rule, the code is
// recognized, or a function ends just before.
std::string WithoutEntry(Dwarf_CFI* cfi, const bpf::unwind_rule& ours, uint64_t address) {
  if (ours.kind == bpf::RULE_NONE)
    return "none has it";
  if (ours.kind == bpf::RULE_STOP || ours.kind == bpf::RULE_SIGNAL)
    return "known by its code";
  for (uint64_t i = 1; i <= RowBuilder::kPaddingBytesMax; ++i) {
    Dwarf_Frame* frame = nullptr;
    if (dwarf_cfi_addrframe(cfi, address - i, &frame) != 0)
      continue;
    free(frame);
    return "padding";
  }
  return "known by its instructions";
}

std::string CompareWithLibdw(Dwarf_CFI* cfi, const UnwindTable& table, uint64_t address) {
  const bpf::unwind_rule ours = table.Find(address);
  Dwarf_Frame* frame = nullptr;
  if (dwarf_cfi_addrframe(cfi, address, &frame) != 0)
    return WithoutEntry(cfi, ours, address);
  bool is_signal = false;
  dwarf_frame_info(frame, nullptr, nullptr, &is_signal);
  const auto theirs = OracleRule(frame).Read(table.machine());
  free(frame);
  if (is_signal || ours.kind == bpf::RULE_SIGNAL)
    return ours.kind == bpf::RULE_SIGNAL ? "signal" : "WRONG signal";
  if (!theirs.has_value())
    return ours.kind == bpf::RULE_NONE ? "no rule can hold it" : "WRONG expression";
  if (AreSame(ours, *theirs))
    return "same";
  if (ours.kind == bpf::RULE_STOP && theirs->cfa_offset + theirs->ra_offset < 0)
    return "return address below the stack";
  return base::StrCat("WRONG ours ", testing::ToText(ours), " theirs ", testing::ToText(*theirs));
}

void CompareFileWithLibdw(const std::string& path, Classes* classes) {
  constexpr uint64_t kAddressesMax = 48;
  const auto file = base::MappedFile::Open(path);
  if (!file.ok())
    return;
  const auto parsed = elf::ElfFile::Parse(file->bytes());
  const auto header = parsed.ok() ? elf::EhFrameHeader::Of(*parsed) : parsed.status();
  if (!header.ok() || header->entry_count() == 0 || !MachineOf(parsed->machine()).has_value())
    return;
  const auto table = UnwindTable::Of(*parsed);
  ASSERT_TRUE(table.ok()) << path << table.status();
  if (table->is_go())
    return;
  // libdw requires writable memory, but never writes to it.
  Elf* elf = elf_memory(const_cast<char*>(file->bytes().data()), file->bytes().size());
  Dwarf_CFI* cfi = dwarf_getcfi_elf(elf);
  if (cfi != nullptr) {
    ++(*classes)["files"];
    const uint64_t stride = header->entry_count() / kAddressesMax + 1;
    for (uint64_t i = 0; i < header->entry_count(); i += stride) {
      const uint64_t begin = header->entry(i).function_address;
      for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, uint64_t{8}, uint64_t{20}, i % 61}) {
        const std::string what = CompareWithLibdw(cfi, *table, begin + offset);
        if (++(*classes)[what.substr(0, 5) == "WRONG" ? "WRONG" : what] <= 5 &&
            what.starts_with("WRONG"))
          ADD_FAILURE() << path << " " << base::Hex(begin + offset) << ": " << what;
      }
    }
    dwarf_cfi_end(cfi);
  }
  elf_end(elf);
}

TEST(LibdwTest, AgreesOnSystemFiles) {
  elf_version(EV_CURRENT);
#if defined(__x86_64__)
  const std::string libraries = "/usr/lib/x86_64-linux-gnu";
#else
  const std::string libraries = "/usr/lib/aarch64-linux-gnu";
#endif
  Classes classes;
  for (const std::string& folder : {libraries, std::string("/usr/bin")}) {
    for (const std::string& path : FilesOf(folder))
      CompareFileWithLibdw(path, &classes);
  }
  Print(classes);
  EXPECT_GT(classes["files"], 20u);
  EXPECT_GT(classes["same"], 500u);
}

// Rules depend on the machine of the file, not on the host.
TEST(LibdwTest, AgreesOnFilesOfBothMachines) {
  elf_version(EV_CURRENT);
  if (!elf::testing::HasProgram("clang-14") || !elf::testing::HasProgram("ld.lld-14"))
    GTEST_SKIP() << "no compiler for both machines";
  for (const char* target : {"aarch64-linux-gnu -mbranch-protection=standard",
                             "aarch64-linux-gnu -fomit-frame-pointer", "x86_64-linux-gnu -mavx"}) {
    elf::testing::WorkFolder folder;
    folder.Write("code.c", R"(
      void use(void*, ...);
      int leaf(int a) { return a * 3; }
      int frame(int a) { char text[100]; use(text); return text[a]; }
      int sized(int a) { char text[a]; use(text); return text[a / 2]; }
      int aligned(int a) { char text[a]; char wide[64] __attribute__((aligned(64)));
                           use(text, wide); return text[1] + wide[2]; }
      int large(int a) { char text[100000]; use(text); return text[a]; }
      int early(int a, int* p) { if (a < 3) return a; use(p); use(p, a, p[a]); return p[3] + a; }
      void many(int* p) { int a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5];
                          use(p); p[6] = a + b * c - d * e + f; use(p); p[7] = a * f; }
    )");
    ASSERT_TRUE(folder.Run(base::StrCat("clang-14 -O2 -shared -nostdlib -fPIC -fuse-ld=lld ",
                                        "-funwind-tables -target ", target, " -o code.so code.c")))
        << target;
    Classes classes;
    CompareFileWithLibdw(folder.Path("code.so"), &classes);
    Print(classes);
    EXPECT_EQ(classes["files"], 1u);
    EXPECT_GE(classes["same"], 14u) << target;
  }
}

}  // namespace
}  // namespace flarestack::record::unwind
