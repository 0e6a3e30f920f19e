// SPDX-License-Identifier: Apache-2.0
#include "elf/kernel/vdso.h"

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"
#include "elf/text_fields.h"

namespace flarestack::elf {
namespace {

// Returns how many bytes are mapped from the address on; 0 if unknown.
uint64_t MappedBytes(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string text; std::getline(maps, text);) {
    std::string_view line = text;
    const std::string_view bounds = TakeWord(&line);
    const size_t dash = bounds.find('-');
    if (dash == std::string_view::npos)
      continue;
    const uint64_t start = ParseNumber(bounds.substr(0, dash), 16).value_or(0);
    const uint64_t end = ParseNumber(bounds.substr(dash + 1), 16).value_or(0);
    if (address >= start && address < end)
      return end - address;
  }
  return 0;
}

// The image ends with the section headers; the rest of the last page is not part of it.
uint64_t ImageBytes(std::string_view mapped) {
  ByteCursor in(mapped, offsetof(Elf64_Ehdr, e_shoff));
  const uint64_t offset = in.U64();
  in.SeekTo(offsetof(Elf64_Ehdr, e_shentsize));
  const uint64_t each = in.U16();
  const uint64_t count = in.U16();
  uint64_t end = 0;
  if (!in.ok() || offset == 0 || __builtin_add_overflow(offset, each * count, &end) ||
      end > mapped.size())
    return mapped.size();
  return end;
}

}  // namespace

absl::StatusOr<std::string_view> OwnVdsoBytes() {
  const uint64_t address = getauxval(AT_SYSINFO_EHDR);
  if (address == 0)
    return absl::NotFoundError("this process has no vDSO");
  const uint64_t mapped_bytes = MappedBytes(address);
  if (mapped_bytes == 0)
    return absl::NotFoundError(
        base::StrCat("no mapping of this process holds the vDSO at ", base::Hex(address)));
  const std::string_view mapped(reinterpret_cast<const char*>(address), mapped_bytes);
  return mapped.substr(0, static_cast<size_t>(ImageBytes(mapped)));
}

}  // namespace flarestack::elf
