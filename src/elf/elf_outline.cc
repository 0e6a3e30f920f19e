// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_outline.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status.h"
#include "elf/byte_cursor.h"
#include "elf/htl_hash.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kHeadBytes = 64 << 10;
constexpr uint64_t kNameBytesMax = 16 << 20;  // of all section names
constexpr uint64_t kNotesBytesMax = 64 << 10;
constexpr size_t kNotesMax = 64;  // sections and segments of notes

// Offsets in the headers of a file and of a section.
constexpr uint64_t kSegmentsOffsetAt = 0x20;  // followed by that of the sections
constexpr uint64_t kSegmentBytesAt = 0x36;    // followed by their count, and both for sections
constexpr uint64_t kSectionOffsetAt = 0x18;

}  // namespace

// The file's image in memory, in which only the needed pages are filled.
class ElfOutline::Image {
 public:
  Image() = default;
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() {
    if (data_ != nullptr)
      munmap(data_, size_bytes_);
    if (fd_ >= 0)
      close(fd_);
  }

  absl::Status Open(const std::string& path) {
    // Without O_NONBLOCK, opening a pipe could block forever.
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about = {};
    if (fd_ < 0 || fstat(fd_, &about) != 0)
      return absl::ErrnoToStatus(errno, "cannot open");
    if (!S_ISREG(about.st_mode))
      return absl::InvalidArgumentError("not a regular file");
    if (about.st_size == 0)
      return absl::InvalidArgumentError("empty");
    size_bytes_ = static_cast<size_t>(about.st_size);
    void* const data = mmap(nullptr, size_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
      return absl::ErrnoToStatus(errno, "cannot allocate memory for it");
    data_ = static_cast<char*>(data);
    return absl::OkStatus();
  }

  // Skips bytes outside the file.
  void Fill(uint64_t offset, uint64_t count) {
    if (offset >= size_bytes_)
      return;
    uint64_t left = std::min<uint64_t>(count, size_bytes_ - offset);
    while (left > 0) {
      const ssize_t got = pread(fd_, data_ + offset, left, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return;  // the rest stays zero
      offset += static_cast<uint64_t>(got);
      left -= static_cast<uint64_t>(got);
    }
  }

  // Reads what Parse needs: both header tables and the section names.
  void FillTables() {
    ByteCursor header(bytes(), kSegmentsOffsetAt);
    const uint64_t segments = header.U64();
    const uint64_t table = header.U64();
    header.SeekTo(kSegmentBytesAt);
    const uint64_t segment_bytes = header.U16();
    Fill(segments, segment_bytes * header.U16());
    const uint64_t entry_bytes = header.U16();
    uint64_t count = header.U16();
    uint64_t names_index = header.U16();
    Fill(table, entry_bytes);
    // Numbers that do not fit into the header are stored in the first section.
    if (count == 0)
      count = NumberIn(table, kSectionOffsetAt + 8);
    if (names_index == 0xffff)
      names_index = NumberIn(table, kSectionOffsetAt + 16) & 0xffffffff;
    count = std::min(count, ElfFile::kSectionsMax);
    Fill(table, entry_bytes * count);
    if (names_index >= count)
      return;
    const uint64_t names = table + names_index * entry_bytes;
    Fill(NumberIn(names, kSectionOffsetAt),
         std::min(NumberIn(names, kSectionOffsetAt + 8), kNameBytesMax));
  }

  void FillNotesAndLinks(const ElfFile& file) {
    size_t left = kNotesMax;
    for (const Section& section : file.sections()) {
      const bool is_wanted = (section.type == SHT_NOTE && left > 0) ||
                             section.name == ".gnu_debuglink" ||
                             section.name == ".gnu_debugaltlink";
      if (!is_wanted)
        continue;
      left -= left > 0 ? 1 : 0;
      Fill(section.offset, std::min(section.size_bytes, kNotesBytesMax));
    }
    for (const Segment& segment : file.segments()) {
      if (segment.type == PT_NOTE && left > 0) {
        --left;
        Fill(segment.offset, std::min(segment.file_bytes, kNotesBytesMax));
      }
    }
  }

  std::string_view bytes() const { return {data_, size_bytes_}; }
  int fd() const { return fd_; }
  char* Release() { return std::exchange(data_, nullptr); }

 private:
  uint64_t NumberIn(uint64_t record, uint64_t place) const {
    return record < size_bytes_ ? ByteCursor(bytes(), record + place).U64() : 0;
  }

  int fd_ = -1;
  char* data_ = nullptr;
  size_t size_bytes_ = 0;
};

ElfOutline::ElfOutline(ElfFile file, char* data, size_t size_bytes, std::string htl_hash)
    : file_(std::move(file)),
      data_(data),
      size_bytes_(size_bytes),
      htl_hash_(std::move(htl_hash)) {}

ElfOutline::ElfOutline(ElfOutline&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(other.size_bytes_),
      htl_hash_(std::move(other.htl_hash_)) {}

ElfOutline::~ElfOutline() {
  if (data_ != nullptr)
    munmap(data_, size_bytes_);
}

absl::StatusOr<ElfOutline> ElfOutline::Read(const std::string& path) {
  Image image;
  FLARE_RETURN_IF_ERROR(image.Open(path));
  image.Fill(0, kHeadBytes);
  if (!image.bytes().starts_with("\x7f"
                                 "ELF"))
    return absl::InvalidArgumentError("not an ELF file");
  image.FillTables();
  FLARE_ASSIGN(ElfFile file, ElfFile::Parse(image.bytes()));
  image.FillNotesAndLinks(file);
  FLARE_ASSIGN(std::string htl_hash, HtlHashOfDescriptor(image.fd()));
  const size_t size_bytes = image.bytes().size();
  return ElfOutline(std::move(file), image.Release(), size_bytes, std::move(htl_hash));
}

bool ElfOutline::is_debug_file() const {
  bool has_code = false;
  for (const Section& section : file_.sections()) {
    if ((section.flags & SHF_EXECINSTR) == 0)
      continue;
    if (section.type != SHT_NOBITS)
      return false;
    has_code = true;
  }
  // A file that several debug files share (dwz) has no code sections at all.
  return has_code || (file_.FindSection(".debug_info") != nullptr && file_.segments().empty());
}

}  // namespace flarestack::elf
