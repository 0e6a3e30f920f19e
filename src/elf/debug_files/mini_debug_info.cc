// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_files/mini_debug_info.h"

#include "absl/status/status.h"
#include "base/status.h"
#include "elf/debug_files/xz.h"

namespace flarestack::elf {

absl::StatusOr<std::string> ReadMiniDebugInfo(const ElfFile& file, uint64_t bytes_max) {
  constexpr std::string_view kName = ".gnu_debugdata";
  const Section* section = file.FindSection(kName);
  if (section == nullptr)
    return absl::NotFoundError(base::StrCat("no section ", kName));
  FLARE_ASSIGN(const SectionContents packed, file.Contents(*section, bytes_max));
  auto inner = Unxz(packed.view(), {.bytes_max = bytes_max});
  if (!inner.ok())
    return base::WithContext(base::StrCat("section ", kName), inner.status());
  // Parse it here, so that a caller need not distinguish a bad inner file from a bad outer one.
  if (auto parsed = ElfFile::Parse(*inner); !parsed.ok())
    return base::WithContext(base::StrCat("the file in section ", kName), parsed.status());
  return inner;
}

}  // namespace flarestack::elf
