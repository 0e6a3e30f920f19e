// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/unwind_table.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"
#include "record/unwind/instructions/instruction.h"

namespace flarestack::record::unwind {
namespace {

// The number of entries that start files contribute. A file with no more was compiled without
// unwind tables.
constexpr uint64_t kTinyEntryCount = 8;
// Maximum code size of a program entry up to its first function call.
constexpr uint64_t kEntryBytesMax = 64;

// Returns the entry code of a program, up to where it ends or to a function that it calls.
std::optional<CodeSpan> EntryOf(Machine machine, const elf::ElfFile& file) {
  const uint64_t entry = file.entry_address();
  if (entry == 0 || entry > UINT64_MAX - kEntryBytesMax)
    return std::nullopt;
  const std::string_view code = CodeBytes(file).In({.begin = entry, .end = entry + kEntryBytesMax});
  if (code.empty())
    return std::nullopt;
  CodeSpan span = {.begin = entry, .end = entry + kEntryBytesMax};
  for (uint64_t at = entry; at < span.end;) {
    const Instruction instruction =
        DecodeInstruction(machine, code.substr(static_cast<size_t>(at - entry)), at);
    if (instruction.length == 0)
      break;
    at += instruction.length;
    if (instruction.flow == Flow::kCall && instruction.target >= at)
      span.end = std::min(span.end, instruction.target);
    if (instruction.flow != Flow::kNext && instruction.flow != Flow::kBranch &&
        instruction.flow != Flow::kCall)
      span.end = std::min(span.end, at);
  }
  return span;
}

bool IsResourceError(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

}  // namespace

absl::StatusOr<UnwindTable> UnwindTable::Of(const elf::ElfFile& file,
                                            const elf::ElfFile* debug_file,
                                            const UnwindLimits& limits) {
  const auto machine = MachineOf(file.machine());
  if (!machine.has_value()) {
    return absl::UnimplementedError(
        base::StrCat("no unwinding for files of machine ", file.machine()));
  }
  UnwindTable table(SignalCode(*machine, file), ContextCode(*machine, file));
  table.steps_max_ = limits.steps_max;
  table.entry_ = EntryOf(*machine, file);
  if (auto go = GoCode::Of(*machine, file); go.ok())
    table.go_ = *std::move(go);
  const absl::Status frames = table.AddFrames(file, limits);
  if (IsResourceError(frames))
    return frames;
  absl::Status debug = absl::NotFoundError("no .debug_frame");
  if (table.entry_count() < kTinyEntryCount && !table.is_go()) {
    debug = table.AddDebugFrames(file, limits);
    if (absl::IsNotFound(debug) && debug_file != nullptr)
      debug = table.AddDebugFrames(*debug_file, limits);
    if (IsResourceError(debug))
      return debug;
  }
  const uint64_t entry_count =
      table.entry_count() + (table.debug_frames_ ? table.debug_frames_->entry_count() : 0);
  if (!table.is_go())
    table.plain_.emplace(*machine, file, entry_count);
  if (!table.frames_ && !table.debug_frames_ && !table.go_ && CodeBytes(file).Spans().empty()) {
    return absl::NotFoundError(
        base::StrCat("no unwind information: ", base::Message(frames), "; ", base::Message(debug)));
  }
  return table;
}

absl::Status UnwindTable::AddFrames(const elf::ElfFile& file, const UnwindLimits& limits) {
  FLARE_ASSIGN(const elf::EhFrame frames, elf::EhFrame::Of(file));
  const auto header = elf::EhFrameHeader::Of(file);
  FLARE_ASSIGN(FrameIndex index,
               FrameIndex::Of(frames, header.ok() ? std::optional(*header) : std::nullopt,
                              limits.index_entries_max));
  if (index.entry_count() == 0)
    return absl::NotFoundError(".eh_frame is empty");
  frames_ = std::move(index);
  return absl::OkStatus();
}

absl::Status UnwindTable::AddDebugFrames(const elf::ElfFile& file, const UnwindLimits& limits) {
  const elf::Section* section = file.FindSection(".debug_frame");
  if (section == nullptr || file.type() == ET_REL)
    return absl::NotFoundError("no .debug_frame");
  FLARE_ASSIGN(elf::SectionContents contents,
               file.Contents(*section, limits.debug_frame_bytes_max));
  auto bytes = std::make_unique<elf::SectionContents>(std::move(contents));
  FLARE_ASSIGN(FrameIndex index, FrameIndex::Of(elf::EhFrame::OfDebugFrame(bytes->view()),
                                                std::nullopt, limits.index_entries_max));
  if (index.entry_count() == 0)
    return absl::NotFoundError(".debug_frame is empty");
  debug_bytes_ = std::move(bytes);
  debug_frames_ = std::move(index);
  return absl::OkStatus();
}

// Returns rows for ranges that the tables do not cover.
std::vector<Row> UnwindTable::RowsOfCode(const CodeSpan& span,
                                         const std::vector<Row>& known) const {
  RowBuilder builder(span);
  if (entry_.has_value() && entry_->begin < span.end) {
    builder.Begin(entry_->begin, RuleOfKind(bpf::RULE_STOP));
    builder.Begin(entry_->end, RuleOfKind(bpf::RULE_NONE));
  }
  RowBuilder signals(span);
  for (size_t i = 0; i < known.size(); ++i) {
    const uint64_t end = i + 1 < known.size() ? known[i + 1].address : span.end;
    if (known[i].rule.kind == bpf::RULE_NONE)
      signals_.AddRows({.begin = known[i].address, .end = end}, &signals);
  }
  return FillGaps(std::move(signals).Finish(), std::move(builder).Finish());
}

std::vector<Row> UnwindTable::Rows(const CodeSpan& span, UnwindCounts* counts) const {
  CfiBudget budget = {.steps = steps_max_, .counts = {}};
  RowBuilder builder(span);
  if (frames_.has_value())
    frames_->AddRows(signals_, &budget, &builder);
  if (signals_.IsAt(span.end))  // its rule begins on our last byte
    builder.Begin(span.end - 1, RuleOfKind(bpf::RULE_SIGNAL));
  std::vector<Row> rows = std::move(builder).Finish();
  if (go_.has_value()) {
    RowBuilder go_builder(span);
    go_->AddRows(&budget, &go_builder);
    rows = FillGaps(std::move(go_builder).Finish(), rows);
  }
  if (debug_frames_.has_value()) {
    RowBuilder debug_builder(span);
    debug_frames_->AddRows(signals_, &budget, &debug_builder);
    rows = FillGaps(rows, std::move(debug_builder).Finish());
  }
  const auto is_unknown = [](const Row& row) { return row.rule.kind == bpf::RULE_NONE; };
  if (std::any_of(rows.begin(), rows.end(), is_unknown))
    rows = FillGaps(rows, RowsOfCode(span, rows));
  if (plain_.has_value() && std::any_of(rows.begin(), rows.end(), is_unknown))
    rows = FillGaps(rows, plain_->Rows(span, rows));
  if (const auto ends = contexts_.Ends(span); ends.has_value())
    rows = FillGaps(*ends, rows);
  if (counts != nullptr) {
    counts->unsupported_count += budget.counts.unsupported_count;
    counts->damaged_count += budget.counts.damaged_count;
    counts->exhausted_count += budget.counts.exhausted_count;
  }
  return rows;
}

bpf::unwind_rule UnwindTable::Find(uint64_t address) const {
  const bpf::unwind_rule rule =
      Rows({.begin = address, .end = address + std::min(~address, uint64_t{1})})[0].rule;
  if (rule.kind != bpf::RULE_NONE || !plain_.has_value())
    return rule;
  // Rules from instructions need the surrounding functions.
  const uint64_t page = address >> bpf::CODE_PAGE_SHIFT << bpf::CODE_PAGE_SHIFT;
  const uint64_t bytes = uint64_t{1} << bpf::CODE_PAGE_SHIFT;
  return RuleAt(Rows({.begin = page, .end = page + std::min(~page, bytes)}), address);
}

}  // namespace flarestack::record::unwind
