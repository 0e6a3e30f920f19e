// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/go_code.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"
#include "elf/go/go_image.h"
#include "elf/go/go_module_data.h"

namespace flarestack::record::unwind {
namespace {

// Limits the search for a table without a section name. Files without sections are small.
constexpr uint64_t kScanBytesMax = uint64_t{64} << 20;
constexpr int64_t kDistanceMax = int64_t{1} << 30;

// Functions at which a stack begins, for programs whose table has no flags yet. Code they run does
// not return to their callers.
constexpr std::array<std::string_view, 9> kOutermostNames = {
    "runtime.goexit",  "runtime.mstart",    "runtime.rt0_go",           "runtime.mcall",
    "runtime.gogo",    "runtime.morestack", "runtime.morestack_noctxt", "_rt0_amd64_linux",
    "_rt0_arm64_linux"};
constexpr std::array<std::string_view, 4> kSwitchingNames = {
    "runtime.systemstack", "runtime.asmcgocall", "runtime.asmcgocall_no_g", "runtime.cgocallback"};

// Called by the kernel, with the registers of the interrupted frame above it. The runtime stops
// unwinding there, we do not.
constexpr std::string_view kSignalHandlerName = "runtime.sigtramp";
constexpr std::string_view kSignalReturnName = "runtime.sigreturn";
// C calls it to get into Go. It saves the registers of C in a layout of its own.
constexpr std::string_view kFromCName = "crosscall2";

enum class FunctionKind {
  kPlain,
  kNoFramePointer,
  kOutermost,
  kSwitching,
  kFromC,
  kSignalReturn,
};

template <size_t kCount>
bool IsAnyOf(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

FunctionKind KindOf(std::string_view name, uint8_t flags) {
  if (name == kFromCName)
    return FunctionKind::kFromC;
  if (flags == 0 && !name.starts_with("runtime.") && !name.starts_with("_rt0_"))
    return FunctionKind::kPlain;
  if (name.ends_with(".abi0"))
    name.remove_suffix(5);
  if (name.starts_with(kSignalReturnName))
    return FunctionKind::kSignalReturn;
  if (name == kSignalHandlerName)
    return FunctionKind::kNoFramePointer;
  if ((flags & elf::kGoTopFrame) != 0 || IsAnyOf(name, kOutermostNames))
    return FunctionKind::kOutermost;
  return (flags & elf::kGoStackSwitch) != 0 || IsAnyOf(name, kSwitchingNames)
             ? FunctionKind::kSwitching
             : FunctionKind::kPlain;
}

// Every linker that supports Go leaves one of these sections. Without any sections, the file may be
// a Go program too.
bool LooksLikeGo(const elf::ElfFile& file) {
  for (const std::string_view name :
       {".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo", ".note.go.buildid"}) {
    if (file.FindSection(name) != nullptr)
      return true;
  }
  return file.sections().size() <= 1;
}

}  // namespace

absl::StatusOr<GoCode> GoCode::Of(Machine machine, const elf::ElfFile& file) {
  if (!LooksLikeGo(file))
    return absl::NotFoundError("not a Go program");
  elf::GoLimits limits;
  limits.scan_bytes_max = kScanBytesMax;
  FLARE_ASSIGN(const elf::GoImage image, elf::GoImage::Open(file, limits));
  FLARE_ASSIGN(const elf::GoTablePlace place, elf::FindGoTable(image, limits));
  GoCode code(machine);
  FLARE_ASSIGN(code.table_, elf::ReadGoTable(place.bytes, limits));
  if (code.table_.function_count == 0)
    return absl::NotFoundError("a Go table without functions");
  if (!code.table_.has_relative_entries()) {
    for (uint64_t i = 0; i <= code.table_.function_count; ++i)
      code.entries_.push_back(
          image.PointerAt(place.address + code.table_.functab_offset + i * 16).value_or(0));
    return code;
  }
  const auto module = elf::FindGoModuleData(image, place, code.table_, limits);
  code.text_start_ = module ? module->text_start
                            : image.PointerAt(place.address + elf::kGoTextStartOffset).value_or(0);
  if (code.text_start_ == 0)
    return absl::InvalidArgumentError("Go table: the start of the code is unknown");
  return code;
}

uint64_t GoCode::EntryOf(uint64_t index) const {
  if (!table_.has_relative_entries())
    return entries_[static_cast<size_t>(index)];
  return text_start_ + elf::ByteCursor(table_.bytes, table_.functab_offset + index * 8).U32();
}

uint64_t GoCode::RecordOf(uint64_t index) const {
  const uint64_t field = table_.has_relative_entries() ? 4 : 8;
  elf::ByteCursor in(table_.bytes, table_.functab_offset + (index * 2 + 1) * field);
  return table_.has_relative_entries() ? in.U32() : in.U64();
}

void GoCode::AddRows(CfiBudget* budget, RowBuilder* builder) const {
  const CodeSpan span = builder->span();
  uint64_t first = 0;
  uint64_t count = table_.function_count;
  while (count > 0) {  // finds the first function after the start
    const uint64_t half = count / 2;
    if (EntryOf(first + half) <= span.begin) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  uint64_t last = 0;
  for (uint64_t i = first == 0 ? 0 : first - 1; i < table_.function_count; ++i) {
    const uint64_t entry = EntryOf(i);
    // Includes the first function after the span, whose rule may begin one byte earlier.
    if (entry > span.end)
      return;
    if (budget->steps == 0) {
      ++budget->counts.exhausted_count;
      return;
    }
    --budget->steps;
    if (entry < last)  // the table is not sorted
      continue;
    last = entry;
    AddFunction(i, budget, builder);
  }
}

void GoCode::AddFunction(uint64_t index, CfiBudget* budget, RowBuilder* builder) const {
  const uint64_t begin = EntryOf(index);
  const uint64_t end = EntryOf(index + 1);
  const auto function = elf::ReadGoFunction(table_, RecordOf(index));
  elf::GoPcValues distances;
  if (end <= begin || !function.ok() ||
      !distances.Read(table_, function->stack_values, end - begin, budget->steps)) {
    ++budget->counts.damaged_count;
    return;
  }
  const auto& entries = distances.entries();
  budget->steps -= std::min<uint64_t>(budget->steps, entries.size());
  const FunctionKind kind = KindOf(elf::GoName(table_, function->name_offset), function->flags);
  const bpf::unwind_rule none = RuleOfKind(bpf::RULE_NONE);
  if (kind == FunctionKind::kSignalReturn) {
    builder->Begin(begin - 1, RuleOfKind(bpf::RULE_SIGNAL));
  } else if (kind == FunctionKind::kOutermost) {
    builder->Begin(begin, RuleOfKind(bpf::RULE_STOP));
  } else {
    const bool has_frame = std::any_of(entries.begin(), entries.end(),
                                       [](const elf::GoPcValue& e) { return e.value > 0; });
    uint64_t from = begin;
    for (const elf::GoPcValue& entry : entries) {
      const bool is_good = entry.value >= 0 && entry.value <= kDistanceMax;
      const auto distance = static_cast<int32_t>(is_good ? entry.value : 0);
      const bool is_switch = kind == FunctionKind::kSwitching && (distance > 0 || !has_frame);
      bpf::unwind_rule rule = PlainRule(distance, kind != FunctionKind::kNoFramePointer);
      if (is_switch)
        rule = SwitchRule(distance);
      else if (kind == FunctionKind::kFromC)
        rule = FromCRule(distance);
      builder->Begin(from, is_good ? rule : none);
      from = begin + entry.end;
    }
    builder->Begin(from, none);
  }
  builder->Begin(end, none);
}

bpf::unwind_rule GoCode::PlainRule(int32_t distance, bool has_saved_fp) const {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.cfa_base = RegistersOf(machine_).stack_pointer;
  const bool is_saved = distance > 0 && has_saved_fp;
  if (machine_ == Machine::kX86_64) {
    rule.cfa_offset = distance + 8;
    rule.ra_offset = -8;
    rule.fp_offset = is_saved ? -16 : 0;
  } else {
    rule.cfa_offset = distance;
    rule.ra_offset = -distance;
    rule.fp_offset = is_saved ? -distance - 8 : 0;
    if (distance == 0) {
      rule.flags |= bpf::RULE_RA_IN_REGISTER;
      rule.extra = bpf::ARM64_REG_LR;
    }
  }
  if (is_saved)
    rule.flags |= bpf::RULE_FP_SAVED;
  return rule;
}

// The caller is C. On arm64 its frame pointer and the return address are in the last two words,
// except in Go 1.18: hence the check for a call.
bpf::unwind_rule GoCode::FromCRule(int32_t distance) const {
  constexpr int32_t kArm64SavedBytes = 24 * 8;
  bpf::unwind_rule rule = PlainRule(distance, /*has_saved_fp=*/machine_ == Machine::kX86_64);
  if (machine_ == Machine::kArm64 && distance >= kArm64SavedBytes) {
    rule.ra_offset = -8;
    rule.fp_offset = -16;
    rule.flags |= bpf::RULE_FP_SAVED | bpf::RULE_FROM_CODE;
  }
  return rule;
}

// On x86-64 the frame pointer is at the upper end of a frame, on arm64 just below the lower end.
bpf::unwind_rule GoCode::SwitchRule(int32_t distance) const {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.flags = bpf::RULE_FP_SAVED | bpf::RULE_OTHER_STACK;
  rule.cfa_base = RegistersOf(machine_).frame_pointer;
  const bool is_x86 = machine_ == Machine::kX86_64;
  rule.cfa_offset = is_x86 ? 16 : 8 + distance;
  rule.ra_offset = is_x86 ? -8 : -distance;
  rule.fp_offset = is_x86 ? -16 : -distance - 8;
  return rule;
}

}  // namespace flarestack::record::unwind
