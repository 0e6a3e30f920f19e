// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_maps.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file/descriptor.h"
#include "base/status.h"
#include "elf/text_fields.h"
#include "record/process/proc/process_list.h"

namespace flarestack::record::agent {
namespace {

using elf::ParseNumber;
using elf::TakeWord;

constexpr std::string_view kDeleted = " (deleted)";
constexpr size_t kReadBytes = 32 << 10;
// A path has at most a page, and each byte is escaped to at most four.
constexpr size_t kLineBytesMax = 64 << 10;
constexpr size_t kOtherThreadsMax = 16;  // tried if the first thread has ended

// Parses "start-end" or "major:minor". Returns nullopt if either half is not a hexadecimal number.
std::optional<std::pair<uint64_t, uint64_t>> ParsePair(std::string_view word, char separator) {
  const size_t middle = word.find(separator);
  if (middle == std::string_view::npos)
    return std::nullopt;
  const auto first = ParseNumber(word.substr(0, middle), 16);
  const auto second = ParseNumber(word.substr(middle + 1), 16);
  if (!first.has_value() || !second.has_value())
    return std::nullopt;
  return std::pair(*first, *second);
}

bool ReadPermissions(std::string_view word, ProcessMapping* mapping) {
  if (word.size() != 4)
    return false;
  mapping->is_readable = word[0] == 'r';
  mapping->is_writable = word[1] == 'w';
  mapping->is_executable = word[2] == 'x';
  mapping->is_shared = word[3] == 's';
  return true;
}

std::string Unescape(std::string_view written) {
  constexpr std::string_view kNewline = "\\012";
  std::string path;
  while (true) {
    const size_t escape = written.find(kNewline);
    path += written.substr(0, escape);
    if (escape == std::string_view::npos)
      return path;
    path += '\n';
    written.remove_prefix(escape + kNewline.size());
  }
}

// "[anon:NAME]" -> NAME, if it starts with `begin`.
std::optional<std::string_view> NameInBrackets(std::string_view written, std::string_view begin) {
  if (!written.starts_with(begin) || !written.ends_with(']'))
    return std::nullopt;
  return written.substr(begin.size(), written.size() - begin.size() - 1);
}

// Splits the chunks of a file into lines.
class LineVisitor {
 public:
  explicit LineVisitor(absl::FunctionRef<bool(const ProcessMapping&)> visit) : visit_(visit) {}

  // Returns false if the visitor wants no more lines.
  absl::StatusOr<bool> Take(std::string_view piece) {
    while (true) {
      const size_t end = piece.find('\n');
      line_ += piece.substr(0, end);
      if (line_.size() > kLineBytesMax)
        return absl::InvalidArgumentError(base::StrCat("line ", number_, " is too long"));
      if (end == std::string_view::npos)
        return true;
      FLARE_ASSIGN(const bool wants_more, TakeLine());
      if (!wants_more)
        return false;
      piece.remove_prefix(end + 1);
    }
  }

  absl::Status TakeEnd() { return line_.empty() ? absl::OkStatus() : TakeLine().status(); }

  bool has_lines() const { return number_ > 1; }

 private:
  absl::StatusOr<bool> TakeLine() {
    const auto mapping = ParseMapsLine(line_);
    if (!mapping.has_value())
      return absl::InvalidArgumentError(base::StrCat("line ", number_, " is not a mapping"));
    ++number_;
    line_.clear();
    return visit_(*mapping);
  }

  absl::FunctionRef<bool(const ProcessMapping&)> visit_;
  std::string line_;
  uint64_t number_ = 1;
};

// Returns whether there was any line.
absl::StatusOr<bool> VisitFile(const std::string& path, const MapsLimits& limits,
                               absl::FunctionRef<bool(const ProcessMapping&)> visit) {
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open())
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", path));
  LineVisitor lines(visit);
  std::string piece(kReadBytes, '\0');
  uint64_t bytes = 0;
  while (true) {
    const ssize_t got = read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && errno != ESRCH)
      return absl::ErrnoToStatus(errno, base::StrCat("cannot read ", path));
    if (got <= 0)
      break;
    bytes += static_cast<uint64_t>(got);
    if (bytes > limits.bytes_max) {
      return absl::ResourceExhaustedError(
          base::StrCat(path, " has more bytes than the limit of ", limits.bytes_max));
    }
    const auto wants_more = lines.Take(std::string_view(piece).substr(0, static_cast<size_t>(got)));
    if (!wants_more.ok())
      return base::WithContext(path, wants_more.status());
    if (!*wants_more)
      return true;
  }
  FLARE_RETURN_IF_ERROR(base::WithContext(path, lines.TakeEnd()));
  return lines.has_lines();
}

// Collects the chosen mappings, up to a limit.
class Collector {
 public:
  Collector(MapsChoice choice, const MapsLimits& limits) : choice_(choice), limits_(limits) {}

  bool Add(const ProcessMapping& mapping) {
    if (choice_ == MapsChoice::kExecutable && !mapping.is_executable)
      return true;
    is_full_ = mappings_.size() >= limits_.mappings_max;
    if (!is_full_)
      mappings_.push_back(mapping);
    return !is_full_;
  }

  absl::StatusOr<std::vector<ProcessMapping>> Result() && {
    if (is_full_) {
      return absl::ResourceExhaustedError(
          base::StrCat("more mappings than the limit of ", limits_.mappings_max));
    }
    return std::move(mappings_);
  }

 private:
  MapsChoice choice_;
  MapsLimits limits_;
  std::vector<ProcessMapping> mappings_;
  bool is_full_ = false;
};

}  // namespace

void ReadMappingPath(std::string_view written, ProcessMapping* mapping) {
  constexpr std::string_view kMemfd = "/memfd:";
  if (written.empty()) {
    mapping->kind = MappingKind::kAnonymous;
    return;
  }
  for (const std::string_view begin : {"[anon:", "[anon_shmem:"}) {
    if (const auto name = NameInBrackets(written, begin); name.has_value()) {
      mapping->kind = MappingKind::kNamedMemory;
      mapping->path = *name;
      return;
    }
  }
  if (!written.starts_with('/')) {
    mapping->kind = written == "[vdso]" ? MappingKind::kVdso : MappingKind::kOther;
    mapping->path = written;
    return;
  }
  mapping->is_deleted = written.ends_with(kDeleted);
  if (mapping->is_deleted)
    written.remove_suffix(kDeleted.size());
  mapping->kind = MappingKind::kFile;
  // A file in the root directory may have such a name too, but is unlikely to be deleted as well.
  if (mapping->is_deleted && written.starts_with(kMemfd)) {
    mapping->kind = MappingKind::kMemfd;
    written.remove_prefix(kMemfd.size());
  }
  mapping->path = Unescape(written);
}

std::optional<ProcessMapping> ParseMapsLine(std::string_view line) {
  ProcessMapping mapping;
  const auto range = ParsePair(TakeWord(&line), '-');
  const bool has_permissions = ReadPermissions(TakeWord(&line), &mapping);
  const auto offset = ParseNumber(TakeWord(&line), 16);
  const auto device = ParsePair(TakeWord(&line), ':');
  const auto inode = ParseNumber(TakeWord(&line), 10);
  if (!range.has_value() || !has_permissions || !offset.has_value() || !device.has_value() ||
      !inode.has_value() || range->first >= range->second || device->first > UINT32_MAX ||
      device->second > UINT32_MAX) {
    return std::nullopt;
  }
  mapping.start = range->first;
  mapping.end = range->second;
  mapping.file_offset = *offset;
  mapping.file = {.device_major = static_cast<uint32_t>(device->first),
                  .device_minor = static_cast<uint32_t>(device->second),
                  .inode = *inode};
  // Spaces precede a path, and may also end it.
  const size_t path = line.find_first_not_of(' ');
  ReadMappingPath(path == std::string_view::npos ? std::string_view() : line.substr(path),
                  &mapping);
  return mapping;
}

absl::StatusOr<std::vector<ProcessMapping>> ParseMaps(std::string_view text, MapsChoice choice,
                                                      const MapsLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return absl::ResourceExhaustedError(
        base::StrCat("more bytes than the limit of ", limits.bytes_max));
  }
  Collector collector(choice, limits);
  const auto add = [&](const ProcessMapping& mapping) { return collector.Add(mapping); };
  LineVisitor lines(add);
  FLARE_ASSIGN(const bool is_read_to_end, lines.Take(text));
  if (is_read_to_end)
    FLARE_RETURN_IF_ERROR(lines.TakeEnd());
  return std::move(collector).Result();
}

absl::Status VisitMaps(pid_t pid, const MapsLimits& limits,
                       absl::FunctionRef<bool(const ProcessMapping&)> visit) {
  FLARE_ASSIGN(const bool has_lines,
               VisitFile(base::StrCat("/proc/", pid, "/maps"), limits, visit));
  if (has_lines)
    return absl::OkStatus();
  // The first thread has ended, or this is a kernel thread.
  FLARE_ASSIGN(const std::vector<pid_t> threads, ListThreads(pid, kOtherThreadsMax));
  for (const pid_t tid : threads) {
    const auto result =
        VisitFile(base::StrCat("/proc/", pid, "/task/", tid, "/maps"), limits, visit);
    if (result.ok() && *result)
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ProcessMapping>> ReadMaps(pid_t pid, MapsChoice choice,
                                                     const MapsLimits& limits) {
  Collector collector(choice, limits);
  FLARE_RETURN_IF_ERROR(VisitMaps(
      pid, limits, [&](const ProcessMapping& mapping) { return collector.Add(mapping); }));
  return std::move(collector).Result();
}

}  // namespace flarestack::record::agent
