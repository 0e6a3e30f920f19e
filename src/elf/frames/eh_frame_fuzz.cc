// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary bytes as .eh_frame, as .eh_frame_hdr, and as a file with one. Functions are not
// empty, their instructions lie in the table, and an entry read by its offset equals the one from
// the walk.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "elf/frames/eh_frame.h"
#include "elf/frames/eh_frame_header.h"

namespace {

namespace elf = flarestack::elf;

void CheckFrames(const elf::EhFrame& frames) {
  const std::string_view bytes = frames.bytes();
  uint64_t visited = 0;
  uint64_t next_offset = 0;
  const auto summary = frames.Visit([&](const elf::Fde& fde) {
    FLARE_CHECK(fde.begin < fde.end);
    FLARE_CHECK(fde.offset >= next_offset && fde.offset < bytes.size());
    next_offset = fde.offset + 1;
    for (const std::string_view view : {fde.instructions, fde.cie->instructions})
      FLARE_CHECK(view.data() >= bytes.data() &&
                  view.data() + view.size() <= bytes.data() + bytes.size());
    elf::Cie cie;
    const auto again = frames.ReadFdeAt(fde.offset, &cie);
    FLARE_CHECK(again.ok() && again->begin == fde.begin && again->end == fde.end);
    FLARE_CHECK(cie.offset == fde.cie->offset);
    ++visited;
    return absl::OkStatus();
  });
  if (!summary.ok())
    return;
  FLARE_CHECK(summary->fde_count == visited);
  FLARE_CHECK((summary->rejected_count == 0) == summary->first_rejection.empty());
  const auto bounds = elf::ReadFunctionBounds(frames);
  FLARE_CHECK(bounds.ok() && bounds->size() <= visited);
  for (size_t i = 1; i < bounds->size(); ++i)
    FLARE_CHECK((*bounds)[i - 1].begin <= (*bounds)[i].begin);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckFrames(elf::EhFrame(bytes, 0x5000, elf::EhFrame::End::kOfBytes));
  CheckFrames(elf::EhFrame(bytes, 0x5000, elf::EhFrame::End::kAtZeroLength));
  if (const auto header = elf::EhFrameHeader::Parse(bytes, 0x4000); header.ok()) {
    FLARE_CHECK(header->entry_count() <= size / 8);
    for (uint64_t i = 0; i < header->entry_count(); ++i) {
      const uint64_t address = header->entry(i).function_address;
      const auto found = header->Find(address);
      FLARE_CHECK(!found.has_value() || found->function_address <= address);
    }
  }
  if (const auto file = elf::ElfFile::Parse(bytes); file.ok()) {
    if (const auto frames = elf::EhFrame::Of(*file); frames.ok())
      CheckFrames(*frames);
  }
  return 0;
}
