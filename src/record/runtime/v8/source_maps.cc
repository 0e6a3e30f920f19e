// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/source_maps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file/descriptor.h"
#include "base/status.h"
#include "record/process/proc/process_root.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::chrono::minutes kMinute{1};
constexpr int kFolderNamesMax = 32;  // of one script
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

int64_t NanosecondsOf(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// V8 has its own copy of the script. If the file has other lines, it was replaced since, or V8
// loaded a transformed version: the positions of the file and of its map do not apply.
bool HasLinesOf(std::string_view file, const V8Script& script) {
  if (file.starts_with(kByteOrderMark))
    file.remove_prefix(kByteOrderMark.size());
  uint64_t units = 0;
  size_t lines = 1;
  for (size_t i = 0; i < file.size(); ++i) {
    const auto byte = static_cast<uint8_t>(file[i]);
    units += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
    const bool is_return = byte == '\r' && (i + 1 == file.size() || file[i + 1] != '\n');
    const bool is_separator =
        byte == 0xe2 && (file.substr(i, 3) == "\u2028" || file.substr(i, 3) == "\u2029");
    lines += byte == '\n' || is_return || is_separator ? 1 : 0;
  }
  return lines == script.line_ends.size() && units == script.line_ends.back();
}

bool IsOverNetwork(std::string_view url) { return url.find("://") != std::string_view::npos; }

// The URL of a map as a path, relative to the folder of its script.
std::string PathOfMap(std::string_view url, const std::string& script) {
  constexpr std::string_view kFile = "file://";
  if (url.starts_with(kFile))
    url.remove_prefix(kFile.size());
  url = url.substr(0, url.find_first_of("?#"));
  const std::string decoded = V8ScriptPath(base::StrCat(kFile, url));
  return (std::filesystem::path(script).parent_path() / decoded).lexically_normal().string();
}

}  // namespace

struct SourceMaps::OpenFile {
  base::Descriptor descriptor;
  File file;

  static absl::StatusOr<OpenFile> Of(base::Descriptor descriptor, const std::string& path) {
    struct stat about = {};
    if (fstat(descriptor.get(), &about) != 0)
      return absl::ErrnoToStatus(errno, base::StrCat("cannot read ", path));
    if (!S_ISREG(about.st_mode))
      return absl::InvalidArgumentError(base::StrCat(path, " is not a regular file"));
    return OpenFile{.descriptor = std::move(descriptor),
                    .file = {.path = path,
                             .device = about.st_dev,
                             .inode = about.st_ino,
                             .bytes = static_cast<uint64_t>(about.st_size),
                             .modified_ns = NanosecondsOf(about.st_mtim),
                             .changed_ns = NanosecondsOf(about.st_ctim)}};
  }
};

absl::StatusOr<SourceMaps::OpenFile> SourceMaps::Open(pid_t pid, const std::string& path) {
  FLARE_ASSIGN(base::Descriptor file, agent::OpenInRoot(pid, path, agent::LastLink::kFollow));
  return OpenFile::Of(std::move(file), path);
}

absl::StatusOr<SourceMaps::OpenFile> SourceMaps::OpenOnHost(const std::string& path) {
  base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open())
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", path));
  return OpenFile::Of(std::move(file), path);
}

absl::StatusOr<std::string> SourceMaps::Read(const OpenFile& open, size_t bytes_max) {
  const uint64_t size = open.file.bytes;
  if (size > bytes_max) {
    return absl::ResourceExhaustedError(
        base::StrCat(open.file.path, " has ", size, " bytes, the limit is ", bytes_max));
  }
  FLARE_RETURN_IF_ERROR(Charge(size));
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(open.descriptor.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::ErrnoToStatus(errno, base::StrCat("cannot read ", open.file.path));
    if (got == 0)
      break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

// Decoding a map blocks the recorder: a process that writes maps all the time must not stop it.
absl::Status SourceMaps::Charge(uint64_t bytes) {
  const Clock::time_point now = Clock::now();
  if (now - minute_ >= kMinute) {
    minute_ = now;
    minute_bytes_ = 0;
  }
  if (bytes > limits_.minute_bytes_max - minute_bytes_) {
    return absl::UnavailableError(
        base::StrCat("more than ", limits_.minute_bytes_max, " bytes of source maps in a minute"));
  }
  minute_bytes_ += bytes;
  return absl::OkStatus();
}

SourceMaps::MapPtr SourceMaps::Cached(const File& file) const {
  const auto found = maps_.find(file);
  return found == maps_.end() ? nullptr : found->second.lock();
}

absl::StatusOr<SourceMaps::MapPtr> SourceMaps::Add(const File& file, std::string_view json) {
  absl::erase_if(maps_, [](const auto& map) { return map.second.expired(); });
  FLARE_ASSIGN(SourceMap parsed, SourceMap::Parse(json, file.path, limits_.map));
  size_t bytes = parsed.bytes();
  for (const auto& [other, map] : maps_)
    bytes += map.lock()->bytes();
  if (bytes > limits_.bytes_max || maps_.size() >= limits_.maps_max) {
    return absl::UnavailableError(base::StrCat("the source maps in use would need ", bytes,
                                               " bytes, the limit is ", limits_.bytes_max));
  }
  auto map = std::make_shared<const SourceMap>(std::move(parsed));
  maps_[file] = map;
  return map;
}

absl::StatusOr<SourceMaps::MapPtr> SourceMaps::Load(const OpenFile& open, const std::string& path) {
  File file = open.file;
  file.path = path;
  if (MapPtr map = Cached(file); map != nullptr)
    return map;
  FLARE_ASSIGN(const std::string json, Read(open, limits_.map.bytes_max));
  return Add(file, json);
}

absl::StatusOr<SourceMaps::MapPtr> SourceMaps::FindNamed(pid_t pid, const V8Script& script) {
  FLARE_ASSIGN(const OpenFile open, Open(pid, script.file));
  FLARE_ASSIGN(const std::string text, Read(open, limits_.script_bytes_max));
  const std::string_view url = FindSourceMapUrl(text);
  if (url.empty())
    return absl::NotFoundError(base::StrCat(script.file, " names no source map"));
  if (!HasLinesOf(text, script))
    return absl::InvalidArgumentError(base::StrCat(script.file, " is not the script that runs"));
  if (url.starts_with("data:")) {
    if (MapPtr map = Cached(open.file); map != nullptr)
      return map;
    FLARE_ASSIGN(const std::string json, DecodeSourceMapUrl(url));
    return Add(open.file, json);
  }
  if (IsOverNetwork(url) && !url.starts_with("file://"))
    return absl::NotFoundError(base::StrCat("the source map of ", script.file, " is not a file"));
  const std::string path = PathOfMap(url, script.file);
  const auto map = Open(pid, path);
  if (!map.ok())
    return absl::UnavailableError(std::string(base::Message(map.status())));
  return Load(*map, path);
}

// The name of a script does not say which of its folders are in ours: the longest match wins.
absl::StatusOr<SourceMaps::MapPtr> SourceMaps::FindInFolder(const V8Script& script) {
  std::string_view rest = script.file;
  for (int i = 0; i < kFolderNamesMax && !rest.empty(); ++i) {
    rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
    if (rest.empty())
      break;
    const auto open = OpenOnHost(base::StrCat(folder_, "/", rest, ".map"));
    if (open.ok())
      return Load(*open, script.file);
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));
  }
  return absl::NotFoundError(base::StrCat("no source map of ", script.file, " in ", folder_));
}

absl::StatusOr<SourceMaps::MapPtr> SourceMaps::Fitting(absl::StatusOr<MapPtr> map,
                                                       const V8Script& script) {
  if (!map.ok() || (*map)->Fits(script.line_ends))
    return map;
  return absl::InvalidArgumentError(
      base::StrCat("the source map of ", script.file, " belongs to another text"));
}

absl::StatusOr<SourceMaps::MapPtr> SourceMaps::Find(pid_t pid, const V8Script& script) {
  // "node:fs", "evalmachine.<anonymous>"; or a text of which V8 has no lines.
  if (!script.file.starts_with('/') || script.line_ends.empty())
    return absl::NotFoundError("the script is not a file");
  const bool has_dots = script.file.find("/../") != std::string::npos;
  absl::StatusOr<MapPtr> map = Fitting(FindNamed(pid, script), script);
  if (!map.ok() && !folder_.empty() && !has_dots) {
    if (auto other = Fitting(FindInFolder(script), script);
        other.ok() || !absl::IsNotFound(other.status()))
      map = std::move(other);
  }
  return map;
}

}  // namespace flarestack::record::runtime
