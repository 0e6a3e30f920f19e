// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_files/debug_link.h"

#include "absl/status/status.h"
#include "base/compress/compress.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kLinkBytesMax = 16 << 10;
constexpr size_t kPlainNameBytesMax = 255;
constexpr size_t kBuildIdBytesMax = 64;

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kPlainNameBytesMax && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos;
}

absl::StatusOr<std::string_view> LinkBytes(const ElfFile& file, std::string_view name) {
  const Section* section = file.FindSection(name);
  if (section == nullptr)
    return absl::NotFoundError(base::StrCat("no section ", name));
  FLARE_ASSIGN(const SectionContents contents, file.Contents(*section, kLinkBytesMax));
  if (contents.is_owned())
    return absl::InvalidArgumentError(base::StrCat("section ", name, " is compressed"));
  return contents.view();
}

}  // namespace

absl::StatusOr<DebugLink> ReadDebugLink(const ElfFile& file) {
  FLARE_ASSIGN(const std::string_view bytes, LinkBytes(file, ".gnu_debuglink"));
  ByteCursor in(bytes);
  DebugLink link;
  link.file_name = in.Text();
  in.Take((4 - in.position() % 4) % 4);
  link.crc32 = in.U32();
  if (!in.ok())
    return absl::InvalidArgumentError("section .gnu_debuglink is truncated");
  if (!IsPlainName(link.file_name))
    return absl::InvalidArgumentError("section .gnu_debuglink does not contain a plain file name");
  return link;
}

absl::StatusOr<DebugAltLink> ReadDebugAltLink(const ElfFile& file) {
  FLARE_ASSIGN(const std::string_view bytes, LinkBytes(file, ".gnu_debugaltlink"));
  ByteCursor in(bytes);
  DebugAltLink link;
  link.file_name = in.Text();
  if (!in.ok() || in.rest().empty() || in.rest().size() > kBuildIdBytesMax)
    return absl::InvalidArgumentError("section .gnu_debugaltlink has no build id");
  link.build_id = base::HexEncode(in.rest());
  return link;
}

bool IsLinked(const DebugLink& link, std::string_view debug_file_bytes) {
  return base::Crc32(debug_file_bytes) == link.crc32;
}

}  // namespace flarestack::elf
