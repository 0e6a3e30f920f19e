// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/jar_manifest.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/compress/compress.h"
#include "base/status.h"
#include "elf/byte_cursor.h"

namespace flarestack::record::agent {
namespace {

constexpr std::string_view kManifest = "META-INF/MANIFEST.MF";
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kFileSignature = 0x04034b50;
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kCommentBytesMax = 65535;
constexpr size_t kFileHeadBytes = 30;
// The directory of a jar with ten thousand classes has about 1 MiB.
constexpr uint64_t kDirectoryBytesMax = 16 << 20;
constexpr uint32_t kManifestBytesMax = 256 << 10;

enum Method : uint16_t { kStored = 0, kDeflated = 8 };

struct JarEntry {
  uint16_t method = 0;
  uint32_t packed_bytes = 0;
  uint32_t offset = 0;  // of its file header
};

struct JarDirectory {
  uint32_t bytes = 0;
  uint32_t offset = 0;
};

absl::Status Damaged(std::string_view what) {
  return absl::InvalidArgumentError(base::StrCat("not a jar: ", what));
}

// The end of the file points to the directory. A comment may follow it.
absl::StatusOr<JarDirectory> FindDirectory(uint64_t file_bytes, JarReader read) {
  const uint64_t begin = file_bytes - std::min(file_bytes, kEndBytes + kCommentBytesMax);
  FLARE_ASSIGN(const std::string tail, read(begin, static_cast<size_t>(file_bytes - begin)));
  for (size_t at = tail.size() + 1; at-- > 0;) {
    elf::ByteCursor in(tail, at);
    if (in.U32() != kEndSignature || !in.ok())
      continue;
    in.U64();  // numbers of disks and entries
    const JarDirectory directory = {.bytes = in.U32(), .offset = in.U32()};
    if (in.ok() && uint64_t{directory.offset} + directory.bytes <= file_bytes)
      return directory;
  }
  return Damaged("it has no directory");
}

absl::StatusOr<JarEntry> FindManifest(std::string_view directory) {
  elf::ByteCursor in(directory);
  while (in.ok() && in.position() < directory.size()) {
    if (in.U32() != kEntrySignature)
      return Damaged("its directory is damaged");
    in.Take(6);  // versions, flags
    JarEntry entry = {.method = in.U16()};
    in.Take(8);  // time, checksum
    entry.packed_bytes = in.U32();
    in.U32();  // size
    const uint16_t name_bytes = in.U16();
    const uint16_t extra_bytes = in.U16();
    const uint16_t comment_bytes = in.U16();
    in.Take(8);  // disk, attributes
    entry.offset = in.U32();
    if (in.Take(name_bytes) == kManifest && in.ok())
      return entry;
    in.Take(size_t{extra_bytes} + comment_bytes);
  }
  return absl::NotFoundError("the jar has no manifest");
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, absl::ascii_tolower, absl::ascii_tolower);
}

}  // namespace

absl::StatusOr<std::string> ReadJarManifest(uint64_t file_bytes, JarReader read) {
  FLARE_ASSIGN(const JarDirectory directory, FindDirectory(file_bytes, read));
  FLARE_ASSIGN(const std::string entries,
               read(directory.offset, std::min<uint64_t>(directory.bytes, kDirectoryBytesMax)));
  FLARE_ASSIGN(const JarEntry entry, FindManifest(entries));
  if (entry.packed_bytes > kManifestBytesMax)
    return absl::ResourceExhaustedError("the manifest is too large");
  FLARE_ASSIGN(const std::string head, read(entry.offset, kFileHeadBytes));
  elf::ByteCursor in(head);
  const bool is_file = in.U32() == kFileSignature;
  in.SeekTo(26);
  const uint64_t names_bytes = uint64_t{in.U16()} + in.U16();
  if (!is_file || !in.ok())
    return Damaged("its manifest is not where its directory says");
  FLARE_ASSIGN(std::string packed,
               read(entry.offset + kFileHeadBytes + names_bytes, entry.packed_bytes));
  if (packed.size() != entry.packed_bytes)
    return Damaged("its manifest is truncated");
  if (entry.method == kStored)
    return packed;
  if (entry.method != kDeflated)
    return Damaged("its manifest is compressed in another way than deflate");
  return base::Inflate(packed, {.bytes_max = kManifestBytesMax});
}

std::string ManifestValue(std::string_view manifest, std::string_view name) {
  std::string value;
  bool is_in_value = false;
  while (!manifest.empty()) {
    const size_t end = std::min(manifest.find('\n'), manifest.size());
    std::string_view line = manifest.substr(0, end);
    manifest.remove_prefix(std::min(end + 1, manifest.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.empty())
      break;  // the sections of single files follow
    const bool continues = line.front() == ' ';
    if (is_in_value && !continues)
      break;
    if (is_in_value) {
      value += line.substr(1);
    } else if (line.size() > name.size() && line[name.size()] == ':' &&
               EqualsIgnoringCase(line.substr(0, name.size()), name)) {
      is_in_value = true;
      line.remove_prefix(name.size() + 1);
      value = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    }
  }
  return value;
}

}  // namespace flarestack::record::agent
