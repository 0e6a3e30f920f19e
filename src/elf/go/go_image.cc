// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_image.h"

#include <elf.h>

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr size_t kPlacesMax = 64;
constexpr uint64_t kRelocationBytes = 24;

}  // namespace

absl::StatusOr<GoImage> GoImage::Open(const ElfFile& file, const GoLimits& limits) {
  GoImage image(file);
  for (const Section& section : file.sections()) {
    if (section.type == SHT_RELA && (section.flags & SHF_ALLOC) != 0)
      FLARE_RETURN_IF_ERROR(image.ReadRelocations(file.SectionBytes(section), limits));
  }
  std::sort(image.relocations_.begin(), image.relocations_.end());
  return image;
}

absl::Status GoImage::ReadRelocations(std::string_view table, const GoLimits& limits) {
  const uint32_t relative =
      file_->machine() == EM_AARCH64 ? uint32_t{R_AARCH64_RELATIVE} : uint32_t{R_X86_64_RELATIVE};
  ByteCursor in(table);
  for (uint64_t i = 0; i < table.size() / kRelocationBytes; ++i) {
    const uint64_t place = in.U64();
    const uint64_t info = in.U64();
    const uint64_t addend = in.U64();
    if ((info & UINT32_MAX) != relative)
      continue;
    if (relocations_.size() >= limits.relocation_count_max)
      return absl::ResourceExhaustedError(
          base::StrCat("more than ", limits.relocation_count_max, " relocations"));
    relocations_.emplace_back(place, addend);
  }
  return absl::OkStatus();
}

std::optional<uint64_t> GoImage::PointerAt(uint64_t address) const {
  const auto found = std::lower_bound(relocations_.begin(), relocations_.end(),
                                      std::pair<uint64_t, uint64_t>(address, 0));
  if (found != relocations_.end() && found->first == address)
    return found->second;
  ByteCursor in(BytesAt(address));
  const uint64_t pointer = in.U64();
  return in.ok() ? std::optional(pointer) : std::nullopt;
}

std::vector<uint64_t> GoImage::PlacesOf(uint64_t pointer, const GoLimits& limits) const {
  std::vector<uint64_t> places;
  for (const auto& [place, target] : relocations_) {
    if (target == pointer && places.size() < kPlacesMax)
      places.push_back(place);
  }
  uint64_t scanned = 0;
  for (const Segment& segment : file_->segments()) {
    if (segment.type != PT_LOAD || (segment.flags & PF_W) == 0)
      continue;
    const std::string_view bytes = file_->SegmentBytes(segment);
    ByteCursor in(bytes);
    for (uint64_t word = 0; word < bytes.size() / 8 && places.size() < kPlacesMax; ++word) {
      if (++scanned > limits.scan_bytes_max / 8)
        return places;
      if (in.U64() == pointer)
        places.push_back(segment.address + word * 8);
    }
  }
  return places;
}

}  // namespace flarestack::elf
