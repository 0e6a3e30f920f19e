// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_loops.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

#include "elf/frames/eh_frame.h"
#include "record/unwind/instructions/instruction.h"

namespace flarestack::record::runtime {
namespace {

using elf::AddressRange;
using unwind::Flow;
using unwind::Instruction;

// The loop has about 60 KB.
constexpr uint64_t kFunctionBytesMax = 1 << 20;

bool Contains(const AddressRange& range, uint64_t address) {
  return range.begin <= address && address < range.end;
}

const AddressRange* Find(const std::vector<AddressRange>& sorted, uint64_t address) {
  auto at = std::upper_bound(
      sorted.begin(), sorted.end(), address,
      [](uint64_t value, const AddressRange& range) { return value < range.begin; });
  if (at == sorted.begin() || !Contains(*--at, address))
    return nullptr;
  return &*at;
}

// Returns the targets of all direct jumps that lead out of a function.
std::vector<uint64_t> JumpsOut(const elf::ElfFile& file, const AddressRange& function) {
  std::vector<uint64_t> targets;
  const auto machine =
      file.machine() == EM_X86_64 ? unwind::Machine::kX86_64 : unwind::Machine::kArm64;
  const uint64_t size = std::min(function.end - function.begin, kFunctionBytesMax);
  const std::string_view code = file.BytesFromAddress(function.begin).substr(0, size);
  const size_t unit = machine == unwind::Machine::kX86_64 ? 1 : 4;
  for (size_t at = 0; at < code.size();) {
    const uint64_t address = function.begin + at;
    const Instruction instruction = unwind::DecodeInstruction(machine, code.substr(at), address);
    if ((instruction.flow == Flow::kBranch || instruction.flow == Flow::kJump) &&
        !Contains(function, instruction.target))
      targets.push_back(instruction.target);
    at += std::max<size_t>(instruction.length, unit);
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

// A call or a tail call leads to the first instruction of a function, a jump within a function
// to any other.
bool JumpsIntoMiddle(const elf::ElfFile& file, const AddressRange& from, const AddressRange& to) {
  const std::vector<uint64_t> targets = JumpsOut(file, from);
  return std::any_of(targets.begin(), targets.end(),
                     [&](uint64_t target) { return target != to.begin && Contains(to, target); });
}

}  // namespace

void AppendDetachedParts(const elf::ElfFile& file, std::vector<AddressRange>* loops) {
  const auto by_begin = [](const AddressRange& a, const AddressRange& b) {
    return a.begin < b.begin;
  };
  std::sort(loops->begin(), loops->end(), by_begin);
  if (file.machine() != EM_X86_64 && file.machine() != EM_AARCH64)
    return;
  const auto frames = elf::EhFrame::Of(file);
  if (!frames.ok())
    return;
  const auto bounds = elf::ReadFunctionBounds(*frames);
  if (!bounds.ok())
    return;
  std::vector<AddressRange> parts;
  for (const AddressRange& loop : *loops) {
    for (const uint64_t target : JumpsOut(file, loop)) {
      const AddressRange* const part = Find(*bounds, target);
      if (part == nullptr || Find(*loops, part->begin) != nullptr || Contains(*part, loop.begin))
        continue;
      const bool is_known = std::any_of(parts.begin(), parts.end(), [&](const AddressRange& range) {
        return range.begin == part->begin;
      });
      if (!is_known && (target != part->begin || JumpsIntoMiddle(file, *part, loop)))
        parts.push_back(*part);
    }
  }
  loops->insert(loops->end(), parts.begin(), parts.end());
  std::sort(loops->begin(), loops->end(), by_begin);
}

}  // namespace flarestack::record::runtime
