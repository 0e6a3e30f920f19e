// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_version.h"

#include <elf.h>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr std::string_view kMagic = "\xff Go buildinf:";
constexpr size_t kFlagsOffset = 15;
constexpr uint8_t kHasInlineText = 2;
constexpr size_t kTextOffset = 32;
constexpr uint64_t kVersionBytesMax = 256;
constexpr size_t kSearchedBytesMax = 64 << 10;  // of files without sections
constexpr uint32_t kMinorVersionMax = 999;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Linkers put it at the start of the data.
std::string_view FindBuildInfo(const ElfFile& file) {
  if (const Section* const section = file.FindSection(".go.buildinfo"); section != nullptr)
    return file.SectionBytes(*section);
  if (file.sections().size() > 1)
    return {};
  for (const Segment& segment : file.segments()) {
    if (segment.type != PT_LOAD || (segment.flags & PF_W) == 0)
      continue;
    const std::string_view bytes = file.SegmentBytes(segment);
    const size_t at = bytes.substr(0, kSearchedBytesMax).find(kMagic);
    if (at != std::string_view::npos)
      return bytes.substr(at);
  }
  return {};
}

}  // namespace

absl::StatusOr<std::string_view> GoVersionOf(const ElfFile& file) {
  const std::string_view info = FindBuildInfo(file);
  if (!info.starts_with(kMagic))
    return absl::NotFoundError("not a Go program");
  if (info.size() < kTextOffset)
    return absl::InvalidArgumentError(
        base::StrCat("Go build information of ", info.size(), " bytes"));
  if ((static_cast<uint8_t>(info[kFlagsOffset]) & kHasInlineText) == 0)
    return absl::NotFoundError("a Go program from before 1.18");
  ByteCursor in(info, kTextOffset);
  const uint64_t length = in.Uleb();
  if (!in.ok() || length > kVersionBytesMax)
    return absl::InvalidArgumentError(base::StrCat("a Go version of ", length, " bytes"));
  const std::string_view version = in.Take(length);
  if (!in.ok() || !version.starts_with("go") || !base::IsValidUtf8(version))
    return absl::InvalidArgumentError("a Go version that is not text");
  return version;
}

std::optional<uint32_t> GoMinorVersion(std::string_view version) {
  constexpr std::string_view kPrefix = "go1.";
  if (!version.starts_with(kPrefix))
    return std::nullopt;
  version.remove_prefix(kPrefix.size());
  uint32_t minor = 0;
  size_t digits = 0;
  for (; digits < version.size() && IsDigit(version[digits]) && minor <= kMinorVersionMax; ++digits)
    minor = minor * 10 + static_cast<uint32_t>(version[digits] - '0');
  if (digits == 0 || minor > kMinorVersionMax)
    return std::nullopt;
  const std::string_view rest = version.substr(digits);
  if (rest.empty() || rest[0] == ' ')
    return minor;
  if (rest[0] == '.' && rest.size() > 1 && IsDigit(rest[1]))
    return minor;
  return std::nullopt;
}

}  // namespace flarestack::elf
