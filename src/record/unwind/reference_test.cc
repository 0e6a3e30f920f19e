// SPDX-License-Identifier: Apache-2.0
//
// Compares the rules of real files with a simple interpreter, row by row, with concrete values for
// registers and memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "elf/testing/own_files.h"
#include "record/unwind/stack_walk.h"
#include "record/unwind/testing/reference_cfi.h"
#include "record/unwind/testing/rows_text.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind {
namespace {

#if defined(__x86_64__)
constexpr Machine kHost = Machine::kX86_64;
#else
constexpr Machine kHost = Machine::kArm64;
#endif

// Every address has a value, and each value is a plausible address of code or stack: above 2^32 and
// below 2^46.
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
  registers.regs[bpf::REG_SP] = 0x10000;  // below all other values, so that no step goes backwards
  registers.pc = pc;
  registers.has_all = 1;
  return registers;
}

// Number of comparisons by result.
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
        // A signal rule begins one byte before its function.
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

TEST(ReferenceTest, EveryRowOfTheCLibraryAndThisProgramFindsTheSameCaller) {
  Classes classes;
  CompareFile("/proc/self/exe", &classes);
  if (const std::string path = elf::testing::CLibraryPath(); !path.empty())
    CompareFile(path, &classes);
  Print(classes);
  EXPECT_GT(classes["same"], 10000u);
  EXPECT_EQ(classes["reference gave up"], 0u);
  // At the beginning and the end of a realigned frame, see cfi_state.cc.
  EXPECT_LT(classes["frame pointer by an expression"], classes["same"] / 1000);
  EXPECT_LT(classes["no rule can hold it"], classes["same"] / 1000);
}

}  // namespace
}  // namespace flarestack::record::unwind
