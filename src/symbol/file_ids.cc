// SPDX-License-Identifier: Apache-2.0
#include "symbol/file_ids.h"

#include <algorithm>

#include "base/text/text.h"
#include "elf/build_id.h"

namespace flarestack::symbol {

std::vector<FileId> IdsOf(const elf::ElfOutline& outline) {
  std::vector<FileId> ids;
  if (std::string gnu = elf::GnuBuildId(outline.file()); !gnu.empty())
    ids.push_back({IdKind::kGnu, std::move(gnu)});
  if (std::string go = elf::GoBuildId(outline.file()); !go.empty())
    ids.push_back({IdKind::kGo, std::move(go)});
  ids.push_back({IdKind::kHtlHash, outline.htl_hash()});
  return ids;
}

IdMatch Match(std::span<const FileId> wanted, const elf::ElfOutline& found) {
  const std::vector<FileId> ids = IdsOf(found);
  for (const IdKind kind : {IdKind::kGnu, IdKind::kGo, IdKind::kHtlHash}) {
    if (kind == IdKind::kHtlHash && found.is_debug_file())
      continue;
    const std::string one = IdText(wanted, kind);
    const std::string other = IdText(ids, kind);
    if (!one.empty() && !other.empty())
      return one == other ? IdMatch::kSame : IdMatch::kOther;
  }
  return IdMatch::kUnknown;
}

std::string ToText(const FileId& id) {
  switch (id.kind) {
    case IdKind::kGnu:
      return base::StrCat("build id ", id.text);
    case IdKind::kGo:
      return base::StrCat("Go build id ", id.text);
    case IdKind::kHtlHash:
      return base::StrCat("htlhash ", id.text);
  }
  return id.text;
}

std::string IdText(std::span<const FileId> ids, IdKind kind) {
  const auto found = std::ranges::find(ids, kind, &FileId::kind);
  return found == ids.end() ? "" : found->text;
}

}  // namespace flarestack::symbol
