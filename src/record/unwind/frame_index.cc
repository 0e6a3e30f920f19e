// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/frame_index.h"

#include <algorithm>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::record::unwind {
namespace {

// Checking this many entries shows whether a linker has sorted them. A file that hides unsorted
// entries between them only lacks some rules.
constexpr uint64_t kSortedSamplesMax = 1024;

bool LooksSorted(const elf::EhFrameHeader& header) {
  const uint64_t count = header.entry_count();
  const uint64_t stride = count / kSortedSamplesMax + 1;
  uint64_t last = 0;
  for (uint64_t i = 0; i < count; i += stride) {
    const uint64_t address = header.entry(i).function_address;
    if (address < last)
      return false;
    last = address;
  }
  return count != 0;
}

}  // namespace

absl::StatusOr<FrameIndex> FrameIndex::Of(const elf::EhFrame& frames,
                                          const std::optional<elf::EhFrameHeader>& header,
                                          uint64_t entries_max) {
  FrameIndex index(frames);
  if (header.has_value() && LooksSorted(*header)) {
    index.header_ = header;
    return index;
  }
  bool is_full = false;
  const auto summary = frames.Visit([&](const elf::Fde& fde) {
    is_full = index.places_.size() >= entries_max;
    if (is_full)
      return absl::ResourceExhaustedError("full");
    index.places_.push_back({.function_address = fde.begin, .fde_offset = fde.offset});
    return absl::OkStatus();
  });
  if (is_full) {
    return absl::ResourceExhaustedError(
        base::StrCat("more than ", entries_max, " functions in a frame table without an index"));
  }
  // A truncated table is used as far as it goes.
  if (!summary.ok() && index.places_.empty())
    return summary.status();
  index.places_.shrink_to_fit();
  std::stable_sort(index.places_.begin(), index.places_.end(), [](const Place& a, const Place& b) {
    return a.function_address < b.function_address;
  });
  return index;
}

FrameIndex::Place FrameIndex::PlaceAt(uint64_t index) const {
  if (!header_.has_value())
    return places_[static_cast<size_t>(index)];
  const elf::EhFrameHeader::Entry entry = header_->entry(index);
  // For an address below the table this wraps around to an offset beyond any table.
  return {.function_address = entry.function_address,
          .fde_offset = entry.fde_address - frames_.address()};
}

uint64_t FrameIndex::FirstAbove(uint64_t address) const {
  uint64_t first = 0;
  uint64_t count = entry_count();
  while (count > 0) {
    const uint64_t half = count / 2;
    if (PlaceAt(first + half).function_address <= address) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

void FrameIndex::AddRows(const SignalCode& signals, CfiBudget* budget, RowBuilder* builder) const {
  const CodeSpan span = builder->span();
  const uint64_t count = entry_count();
  uint64_t index = FirstAbove(span.begin);
  index -= index == 0 ? 0 : 1;
  CfiProgram program(signals.machine(), frames_.address(), budget);
  elf::Cie cie;
  uint64_t last = 0;
  for (; index < count; ++index) {
    const Place place = PlaceAt(index);
    if (place.function_address >= span.end) {
      builder->BeginFunction(place.function_address);
      return;
    }
    if (budget->steps == 0) {
      ++budget->counts.exhausted_count;
      return;
    }
    --budget->steps;
    // Going back to an earlier function would discard rows.
    if (place.function_address < last)
      continue;
    last = place.function_address;
    const auto fde = frames_.ReadFdeAt(place.fde_offset, &cie);
    if (!fde.ok() || fde->begin != place.function_address) {
      ++budget->counts.damaged_count;
      continue;
    }
    builder->BeginFunction(fde->begin);
    if (fde->end < span.begin && span.begin - fde->end > RowBuilder::kPaddingBytesMax)
      continue;
    if (signals.IsAt(fde->begin))
      builder->Begin(fde->begin - 1, RuleOfKind(bpf::RULE_SIGNAL));
    else
      program.Run(*fde, builder);
    builder->EndFunction(fde->end);
  }
}

}  // namespace flarestack::record::unwind
