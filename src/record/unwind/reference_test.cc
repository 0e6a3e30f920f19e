// SPDX-License-Identifier: Apache-2.0
//
// The rules of real files against two others who read the same: a plain interpreter, row by row
// with numbers for registers and memory, and libdw, at addresses of every file of the system.
#include <dirent.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/own_files.h"
#include "record/unwind/testing/reference_cfi.h"
#include "record/unwind/testing/rows_text.h"
#include "record/unwind/unwind_table.h"
#include "record/unwind/walker.h"

namespace flarestack::record::unwind {
namespace {

#if defined(__x86_64__)
constexpr Machine kHost = Machine::kX86_64;
#else
constexpr Machine kHost = Machine::kArm64;
#endif

// Any address has something, and what it has looks like an address of code, of the stack or of
// both: above 2^32 and below 2^46.
uint64_t Mixed(uint64_t value) {
  const uint64_t hash = base::Hash64(&value, sizeof(value));
  return (uint64_t{1} << 32) + (hash & ((uint64_t{1} << 45) - 8));
}

class MixedMemory final : public Memory {
 public:
  bool Read(uint64_t address, std::span<std::byte> target) override {
    for (size_t at = 0; at < target.size(); at += 8) {
      const uint64_t word = Mixed(address + at);
      std::memcpy(target.data() + at, &word, std::min<size_t>(8, target.size() - at));
    }
    return true;
  }
};

class FixedRule final : public RuleSource {
 public:
  explicit FixedRule(const bpf::unwind_rule& rule) : rule_(rule) {}
  bpf::unwind_rule RuleAt(uint64_t) override { return rule_; }

 private:
  bpf::unwind_rule rule_;
};

bpf::unwind_registers MixedRegisters(uint64_t pc) {
  bpf::unwind_registers registers = {};
  for (uint64_t i = 0; i < bpf::REGISTER_COUNT; ++i)
    registers.regs[i] = Mixed(~i);
  registers.regs[bpf::REG_SP] = 0x10000;  // below all else, so that nothing is backwards
  registers.pc = pc;
  registers.has_all = 1;
  return registers;
}

// What became of a comparison.
using Classes = std::map<std::string, uint64_t>;

std::string CompareAt(uint64_t pc, const testing::ReferenceRow& row, const bpf::unwind_rule& rule) {
  const MachineRegisters numbers = RegistersOf(kHost);
  const bpf::unwind_registers registers = MixedRegisters(pc);
  const testing::ReferenceMachine machine = {
      .register_value = [&](uint64_t number) { return registers.regs[number % 32]; },
      .load = Mixed,
      .pc = pc,
      .pc_register = kHost == Machine::kX86_64 ? uint64_t{16} : UINT64_MAX};
  const auto cfa = row.Cfa(machine);
  const auto return_address = row.Register(numbers.return_address, machine);
  if (!return_address.has_value() && cfa.has_value())
    return rule.kind == bpf::RULE_STOP ? "stop" : "WRONG stop";
  if (rule.kind == bpf::RULE_NONE)
    return "no rule can hold it";
  if (rule.kind == bpf::RULE_STOP)
    return "return address below the stack";
  MixedMemory memory;
  FixedRule rules(rule);
  StackWalk walk(registers, memory, rules);
  if (walk.Step() != bpf::UNWIND_MORE)
    return "WRONG step";
  if (walk.registers().regs[bpf::REG_SP] != cfa)
    return "WRONG cfa";
  if (walk.frame().pc != return_address)
    return "WRONG return address";
  const auto frame_pointer = row.Register(numbers.frame_pointer, machine);
  if (!frame_pointer.has_value())
    return "frame pointer undefined";
  if (walk.registers().regs[bpf::REG_FP] == frame_pointer)
    return "same";
  const auto saved = row.registers.find(numbers.frame_pointer)->second.kind;
  return saved == testing::ReferenceRule::Kind::kOffset ? "WRONG frame pointer"
                                                        : "frame pointer by an expression";
}

void CompareFile(const std::string& path, Classes* classes) {
  const auto file = base::MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << path;
  const auto parsed = elf::ElfFile::Parse(file->bytes());
  ASSERT_TRUE(parsed.ok());
  const auto table = UnwindTable::Of(*parsed);
  ASSERT_TRUE(table.ok()) << table.status();
  const auto frames = elf::EhFrame::Of(*parsed);
  ASSERT_TRUE(frames.ok());
  const auto summary = frames->Visit([&](const elf::Fde& fde) {
    const auto rows = testing::ReferenceRows(fde);
    const std::vector<Row> ours = table->Rows({.begin = fde.begin, .end = fde.end});
    if (!rows.has_value()) {
      ++(*classes)["reference gave up"];
      return absl::OkStatus();
    }
    for (const testing::ReferenceRow& row : *rows) {
      for (const uint64_t pc : {row.begin, row.end - 1}) {
        const bpf::unwind_rule& rule = RuleAt(ours, pc);
        // A rule of signals begins one byte before its function.
        const bool is_signal = fde.cie->is_signal_frame || rule.kind == bpf::RULE_SIGNAL;
        const std::string what = is_signal
                                     ? (rule.kind == bpf::RULE_SIGNAL ? "signal" : "WRONG signal")
                                     : CompareAt(pc, row, rule);
        if (rule.kind == bpf::RULE_NONE && (*classes)[what] < 4)
          std::cout << "no rule at " << base::Hex(pc) << " of " << path << "\n";
        if (++(*classes)[what] == 1 && what.starts_with("WRONG"))
          ADD_FAILURE() << path << " " << base::Hex(pc) << ": " << what << ", ours is "
                        << testing::ToText(rule);
      }
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(summary.ok());
}

void Print(const Classes& classes) {
  for (const auto& [what, count] : classes)
    std::cout << "  " << count << " " << what << "\n";
}

TEST(ReferenceTest, EveryRowOfTheCLibraryAndOfOurselvesLeadsToTheSameCaller) {
  Classes classes;
  CompareFile("/proc/self/exe", &classes);
  if (const std::string path = elf::testing::CLibraryPath(); !path.empty())
    CompareFile(path, &classes);
  Print(classes);
  EXPECT_GT(classes["same"], 10000u);
  EXPECT_EQ(classes["reference gave up"], 0u);
  EXPECT_EQ(classes["frame pointer by an expression"], 0u);
  EXPECT_LT(classes["no rule can hold it"], classes["same"] / 1000);
}

// ---- libdw
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

// A rule from what libdw says about an address; nothing when its operations are none of those that
// rules hold.
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

  // At CFA + offset is "call_frame_cfa, plus_uconst offset" in libdw's words.
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
    // Expressions begin with the CFA on their stack, which libdw writes out.
    if (!ops.empty() && ops[0].atom == DW_OP_call_frame_cfa)
      ops = ops.subspan(1);
    if (ops.size() == 1 && ops[0].atom == DW_OP_breg0 + numbers.frame_pointer) {
      rule->flags |= bpf::RULE_FP_SAVED | bpf::RULE_FP_AT_FP;
      rule->fp_offset = static_cast<bpf::s32>(ops[0].number);
    }
  }

  Dwarf_Frame* frame_;
};

// Right, when nothing is said, the code speaks for itself, or a function ends right before.
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
  return "WRONG known by nobody else";
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
  // libdw wants to write, but never does.
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

TEST(ReferenceTest, FilesOfTheSystemSayTheSameToLibdw) {
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

// Rules follow the machine of the file and not ours.
TEST(ReferenceTest, FilesOfBothMachinesSayTheSameToLibdw) {
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
