// SPDX-License-Identifier: Apache-2.0
//
// Uses arbitrary bytes as the memory of an image: every query returns, and a symbol that is found
// has the requested name.
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "base/check.h"
#include "elf/loaded_image.h"

namespace elf = flarestack::elf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kBase = 0x10000;
  const auto read = [&](uint64_t address, std::span<char> out) {
    const uint64_t offset = address - kBase;
    if (offset > size || out.size() > size - offset)
      return absl::OutOfRangeError("nothing is there");
    std::memcpy(out.data(), data + offset, out.size());
    return absl::OkStatus();
  };
  const auto image = elf::LoadedImage::Read(read, kBase);
  if (!image.ok())
    return 0;
  FLARE_CHECK(image->segments().size() <= elf::LoadedImage::kSegmentsMax);
  for (const std::string_view name : {"variable", "elsewhere"}) {
    const auto symbol = image->FindSymbol(read, name);
    if (symbol.ok() && symbol->has_value())
      FLARE_CHECK(image->IsNamed(read, (*symbol)->index, name).value_or(false));
  }
  const auto relocations = image->ThreadLocalRelocations(read);
  if (relocations.ok())
    FLARE_CHECK(relocations->size() * 24 <= 2 * size);
  return 0;
}
