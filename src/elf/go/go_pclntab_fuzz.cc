// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes parse as a Go program or are rejected. Ranges are ascending and do not overlap,
// have at least one frame, and stay within the limits.
#include <cstdint>

#include "base/check.h"
#include "elf/go/go_pclntab.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace elf = flarestack::elf;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const elf::GoLimits limits = {.steps_max = 100'000, .inline_depth_max = 32};
  uint64_t last = 0;
  const auto check = [&](const elf::CodeRange& range) {
    FLARE_CHECK(range.begin < range.end && range.begin >= last);
    FLARE_CHECK(!range.frames.empty() && range.frames.size() <= limits.inline_depth_max + 1);
    last = range.end;
    return absl::OkStatus();
  };
  if (const auto file = elf::ElfFile::Parse(bytes); file.ok())
    static_cast<void>(elf::VisitGoFunctions(*file, limits, check));

  // Also parse the bytes as a bare table, so that the fuzzer need not maintain a valid ELF file.
  const auto table = elf::ReadGoTable(bytes, limits);
  if (!table.ok())
    return 0;
  last = 0;
  static_cast<void>(elf::VisitGoTable(
      *table,
      {.text_start = 0x1000,
       .pointer_at = [&](uint64_t offset) -> std::optional<uint64_t> {
         if (offset + 8 > bytes.size())
           return std::nullopt;
         uint64_t pointer = 0;
         for (size_t i = 8; i-- > 0;)
           pointer = pointer << 8 | static_cast<uint8_t>(bytes[offset + i]);
         return pointer;
       },
       .inline_tree_at = [&](uint64_t slot) { return bytes.substr(slot % bytes.size()); }},
      limits, check));
  return 0;
}
