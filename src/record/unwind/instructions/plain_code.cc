// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/plain_code.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "elf/elf_symbols.h"

namespace flarestack::record::unwind {
namespace {

// A function has about 200 bytes of code on average. If a file has more bytes than this per table
// entry, the tables miss much of its code.
constexpr uint64_t kBytesPerEntry = 256;
constexpr uint64_t kSymbolsMax = uint64_t{1} << 15;
// Limits the search for calls, which takes about 15 ms per MiB.
constexpr uint64_t kSearchBytesMax = uint64_t{4} << 20;
constexpr uint64_t kFunctionAlignment = 16;
// Longer functions may be missed if they cross the end of a page.
constexpr uint64_t kAroundBytes = uint64_t{16} << 10;
// Shorter gaps are padding.
constexpr uint64_t kGapBytesMin = 16;

std::vector<CodeSpan> FunctionsOf(const elf::ElfFile& file) {
  std::vector<CodeSpan> functions;
  const auto symbols = elf::ReadFunctionSymbols(file, {.symbols_max = kSymbolsMax});
  if (!symbols.ok())
    return functions;
  for (const elf::ElfSymbol& symbol : *symbols) {
    // Outlined parts of functions are jumped to with a frame and not called.
    if (symbol.name.find(".cold") == std::string_view::npos)
      functions.push_back({.begin = symbol.begin, .end = symbol.end});
  }
  return functions;
}

// Decodes linearly from the start. After bytes that are not instructions it takes a few of them to
// resynchronize.
std::vector<uint64_t> CalledFrom(Machine machine, const CodeSpan& span, std::string_view bytes) {
  const size_t step = machine == Machine::kX86_64 ? 1 : 4;
  std::vector<uint64_t> called;
  for (size_t at = 0; at < bytes.size();) {
    const Instruction instruction =
        DecodeInstruction(machine, bytes.substr(at, 16), span.begin + at);
    const bool is_start = instruction.flow == Flow::kCall ||
                          (instruction.is_address && instruction.target % kFunctionAlignment == 0);
    if (is_start && instruction.target >= span.begin && instruction.target < span.end)
      called.push_back(instruction.target);
    at += instruction.length == 0 ? step : instruction.length;
  }
  std::sort(called.begin(), called.end());
  called.erase(std::unique(called.begin(), called.end()), called.end());
  return called;
}

void AddRows(Machine machine, const FunctionWalk& walk, RowBuilder* builder) {
  uint64_t end = 0;
  walk.known().ForEach([&](const KnownInstruction& known) {
    if (end != 0 && known.address != end)
      builder->Begin(end, RuleOfKind(bpf::RULE_NONE));
    builder->Begin(known.address, RuleOf(machine, known.state));
    end = known.address + known.length;
  });
  if (end != 0)
    builder->Begin(end, RuleOfKind(bpf::RULE_NONE));
}

}  // namespace

PlainCode::PlainCode(Machine machine, const elf::ElfFile& file, uint64_t entry_count)
    : machine_(machine), code_(file) {
  uint64_t bytes = 0;
  for (const CodeSpan& span : code_.Spans())
    bytes += span.end - span.begin;
  if (bytes / (entry_count + 1) < kBytesPerEntry)
    return;
  functions_ = FunctionsOf(file);
  for (CodeSpan span : code_.Spans()) {
    span.end = span.begin + std::min(span.end - span.begin, kSearchBytesMax);
    const std::vector<uint64_t> called = CalledFrom(machine, span, code_.In(span));
    called_.insert(called_.end(), called.begin(), called.end());
  }
  std::sort(called_.begin(), called_.end());
}

std::vector<CodeSpan>::const_iterator PlainCode::FirstEndingAbove(uint64_t address) const {
  return std::upper_bound(functions_.begin(), functions_.end(), address,
                          [](uint64_t at, const CodeSpan& function) { return at < function.end; });
}

// Collects the known facts about a gap. Functions cross page boundaries, so at both ends of the
// span the gap is widened to where the first function begins and the last one may end.
CodeGap PlainCode::GapOf(const CodeSpan& gap_span, const CodeSpan& span) const {
  CodeGap gap = {.span = gap_span, .bytes = {}, .starts = {}};
  const uint64_t below = gap_span.begin - std::min(gap_span.begin, kAroundBytes);
  const auto first = FirstEndingAbove(gap_span.begin);
  const auto called = std::upper_bound(called_.begin(), called_.end(), gap_span.begin);
  if (gap_span.begin == span.begin) {
    if (first != functions_.end() && first->begin < gap_span.begin && first->begin >= below)
      gap.span.begin = first->begin;
    else if (called != called_.begin() && *std::prev(called) >= below)
      gap.span.begin = *std::prev(called);
  }
  if (gap_span.end == span.end)
    gap.span.end += std::min(UINT64_MAX - gap_span.end, kAroundBytes);
  gap.span = code_.Within(gap.span);
  gap.bytes = code_.In(gap.span);
  gap.span.end = gap.span.begin + gap.bytes.size();
  for (auto function = first; function != functions_.end() && function->begin < gap.span.end;
       ++function)
    gap.starts.push_back(function->begin);
  const auto known = std::lower_bound(called_.begin(), called_.end(), gap.span.begin);
  gap.starts.insert(gap.starts.end(), known, std::lower_bound(known, called_.end(), gap.span.end));
  const std::vector<uint64_t> near = CalledFrom(machine_, gap.span, gap.bytes);
  gap.starts.insert(gap.starts.end(), near.begin(), near.end());
  std::sort(gap.starts.begin(), gap.starts.end());
  gap.starts.erase(std::unique(gap.starts.begin(), gap.starts.end()), gap.starts.end());
  return gap;
}

std::vector<Row> PlainCode::Rows(const CodeSpan& span, const std::vector<Row>& known) const {
  RowBuilder builder(span);
  for (size_t i = 0; i < known.size(); ++i) {
    const uint64_t gap_end = i + 1 < known.size() ? known[i + 1].address : span.end;
    if (known[i].rule.kind != bpf::RULE_NONE || gap_end - known[i].address < kGapBytesMin)
      continue;
    const CodeGap gap = GapOf({.begin = known[i].address, .end = gap_end}, span);
    FunctionWalk walk(machine_, gap);
    for (const uint64_t start : gap.starts)
      walk.Add(start);
    for (uint64_t at = walk.NextUnknown(gap.span.begin); at < gap.span.end;) {
      // Unreached code inside a named function does not start another function.
      const auto around = FirstEndingAbove(at);
      if (around != functions_.end() && around->begin < at) {
        at = walk.NextUnknown(around->end);
        continue;
      }
      const bool is_known = walk.Add(at) || walk.AddLinkageStub(at);
      at = walk.NextUnknown(is_known ? at : walk.AfterNextEnd(at));
    }
    AddRows(machine_, walk, &builder);
    builder.Begin(gap_end, RuleOfKind(bpf::RULE_NONE));
  }
  return std::move(builder).Finish();
}

}  // namespace flarestack::record::unwind
