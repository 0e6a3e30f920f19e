// SPDX-License-Identifier: Apache-2.0
#include "symbol/host_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "elf/build_id.h"
#include "elf/debug_files/debug_link.h"
#include "elf/elf_outline.h"
#include "symbol/file_ids.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

// Shorter ids are not unique enough for a file name.
constexpr size_t kIdDigitsMin = 16;

// Returns "ab/cdef" for the id abcdef; empty if it cannot be a path.
std::string IdPath(const std::string& gnu_id) {
  if (gnu_id.size() < kIdDigitsMin || !elf::IsSafeBuildId(gnu_id))
    return "";
  return base::StrCat(gnu_id.substr(0, 2), "/", gnu_id.substr(2));
}

constexpr std::string_view kTriplet =
#if defined(__aarch64__)
    "aarch64-linux-gnu";
#else
    "x86_64-linux-gnu";
#endif

std::string WithTriplet(std::string directory) {
  if (const size_t at = directory.find('*'); at != std::string::npos)
    directory.replace(at, 1, kTriplet);
  return directory;
}

class Search {
 public:
  Search(const HostFilesOptions& options, FileIndex* index, std::vector<Attempt>* attempts)
      : options_(options), index_(*index), attempts_(*attempts) {}

  absl::StatusOr<SymbolFiles> Run(const Module& module);

 private:
  // Returns the file if it is the wanted one. Records why if it is not.
  std::optional<elf::ElfOutline> Try(const std::string& path);
  bool TryAs(const std::string& path, std::string* place);
  void Note(const std::string& path, std::string outcome, bool is_found = false) {
    attempts_.push_back({.source = path, .outcome = std::move(outcome), .is_found = is_found});
  }

  void LookInSymbolPaths();
  void LookInIndex();
  void LookInDebugDirectories();
  void LookAtMappedPath(const std::string& path);
  void TryProgram(const std::string& full);
  void FollowDebugLink();
  void TryLinked(const elf::DebugLink& link, const std::string& path);
  void FollowAltLink();
  bool IsBelowDebugDirectory(const fs::path& path) const;
  bool is_complete() const { return !files_.debug_file.empty() && !files_.executable.empty(); }
  std::string gnu_id() const { return IdText(ids_, IdKind::kGnu); }

  const HostFilesOptions& options_;
  FileIndex& index_;
  std::vector<Attempt>& attempts_;
  std::vector<FileId> ids_;
  SymbolFiles files_;
};

std::optional<elf::ElfOutline> Search::Try(const std::string& path) {
  auto outline = elf::ElfOutline::Read(path);
  if (absl::IsNotFound(outline.status())) {
    Note(path, "no such file");
    return std::nullopt;
  }
  if (!outline.ok()) {
    Note(path, std::string(base::Message(outline.status())));
    return std::nullopt;
  }
  const std::vector<FileId> found = IdsOf(*outline);
  switch (Match(ids_, *outline)) {
    case IdMatch::kOther:
      Note(path, base::StrCat("has another ", ToText(found.front())));
      return std::nullopt;
    case IdMatch::kUnknown:
      Note(path, "has no id to compare");
      return std::nullopt;
    case IdMatch::kSame:
      break;
  }
  return *std::move(outline);
}

bool Search::TryAs(const std::string& path, std::string* place) {
  if (!place->empty() || !Try(path).has_value())
    return false;
  *place = path;
  Note(path, "has the requested id", true);
  return true;
}

void Search::LookInSymbolPaths() {
  const std::string id_path = IdPath(gnu_id());
  for (const std::string& directory : options_.symbol_paths) {
    std::error_code error;
    if (id_path.empty() || !fs::is_directory(directory, error))
      continue;
    TryAs(base::StrCat(directory, "/.build-id/", id_path, ".debug"), &files_.debug_file);
    TryAs(base::StrCat(directory, "/", id_path, "/debuginfo"), &files_.debug_file);
    TryAs(base::StrCat(directory, "/", id_path, "/executable"), &files_.executable);
  }
  if (!is_complete() && !options_.symbol_paths.empty())
    LookInIndex();
}

void Search::LookInIndex() {
  bool is_found = false;
  for (const FileId& id : ids_) {
    for (const IndexedFile& file : index_.Find(id)) {
      is_found |= TryAs(file.path, file.is_debug_file ? &files_.debug_file : &files_.executable);
    }
  }
  if (!is_found)
    Note("symbol paths", base::StrCat("no other file with its id in ", index_.Extent()));
}

void Search::LookInDebugDirectories() {
  const std::string id_path = IdPath(gnu_id());
  for (const std::string& directory : options_.debug_directories) {
    if (!id_path.empty() && files_.debug_file.empty())
      TryAs(base::StrCat(options_.root, directory, "/.build-id/", id_path, ".debug"),
            &files_.debug_file);
  }
}

void Search::LookAtMappedPath(const std::string& path) {
  if (!files_.executable.empty())
    return;
  if (!options_.may_use_mapped_path) {
    Note(path, "paths in profiles are not searched");
    return;
  }
  if (path.starts_with('/'))
    return TryProgram(options_.root + path);
  // [vdso], memory and similar mappings have names that are not files.
  if (path.empty() || path.find('/') != std::string::npos || path.starts_with('['))
    return Note(path.empty() ? "path" : path, "is not a file path");
  bool is_there = false;
  for (const std::string& directory : options_.usual_directories) {
    const std::string full = base::StrCat(options_.root, WithTriplet(directory), "/", path);
    std::error_code error;
    if (!files_.executable.empty() || !fs::is_regular_file(full, error))
      continue;
    is_there = true;
    TryProgram(full);
  }
  if (!is_there)
    Note(path, "no file of this name in the usual directories of programs and libraries");
}

void Search::TryProgram(const std::string& full) {
  const std::optional<elf::ElfOutline> outline = Try(full);
  if (!outline.has_value())
    return;
  files_.executable = full;
  Note(full, "has the requested id", true);
  // If only the hash was known, the file provides the id of its debug file.
  for (FileId& id : IdsOf(*outline)) {
    if (IdText(ids_, id.kind).empty())
      ids_.push_back(std::move(id));
  }
}

void Search::TryLinked(const elf::DebugLink& link, const std::string& path) {
  std::error_code error;
  if (!files_.debug_file.empty() || fs::equivalent(path, files_.executable, error))
    return;
  if (!gnu_id().empty()) {
    TryAs(path, &files_.debug_file);
    return;
  }
  const auto bytes = fs::is_regular_file(path, error) ? base::ReadFile(path, options_.crc_bytes_max)
                                                      : absl::NotFoundError("no such file");
  if (!bytes.ok()) {
    Note(path, std::string(base::Message(bytes.status())));
  } else if (!elf::IsLinked(link, *bytes)) {
    Note(path, "does not have the CRC of the link");
  } else {
    files_.debug_file = path;
    Note(path, "has the CRC of the link", true);
  }
}

void Search::FollowDebugLink() {
  if (files_.executable.empty() || !files_.debug_file.empty())
    return;
  const auto outline = elf::ElfOutline::Read(files_.executable);
  if (!outline.ok())
    return;
  const auto link = elf::ReadDebugLink(outline->file());
  if (!link.ok()) {
    Note(files_.executable, absl::IsNotFound(link.status())
                                ? "names no debug file (.gnu_debuglink)"
                                : std::string(base::Message(link.status())));
    return;
  }
  const std::string name(link->file_name);
  const std::string folder = fs::path(files_.executable).parent_path().string();
  TryLinked(*link, base::StrCat(folder, "/", name));
  TryLinked(*link, base::StrCat(folder, "/.debug/", name));
  // The debug directories mirror the host's directory tree.
  const std::string on_host =
      files_.executable.starts_with(options_.root) ? folder.substr(options_.root.size()) : folder;
  for (const std::string& directory : options_.debug_directories)
    TryLinked(*link, base::StrCat(options_.root, directory, on_host, "/", name));
}

bool Search::IsBelowDebugDirectory(const fs::path& path) const {
  const std::string text = path.lexically_normal().string();
  const auto is_above = [&text](const std::string& directory) {
    return text.starts_with(base::StrCat(directory, "/"));
  };
  return std::ranges::any_of(options_.symbol_paths, is_above) ||
         std::ranges::any_of(options_.debug_directories, [&](const std::string& directory) {
           return is_above(options_.root + directory);
         });
}

void Search::FollowAltLink() {
  const std::string& from = files_.debug_file.empty() ? files_.executable : files_.debug_file;
  const auto outline = elf::ElfOutline::Read(from);
  if (!outline.ok())
    return;
  const auto link = elf::ReadDebugAltLink(outline->file());
  if (!link.ok())
    return;
  ids_ = {{.kind = IdKind::kGnu, .text = link->build_id}};
  const std::string id_path = IdPath(link->build_id);
  for (const std::string& directory : options_.debug_directories) {
    if (!id_path.empty() && files_.supplementary.empty())
      TryAs(base::StrCat(options_.root, directory, "/.build-id/", id_path, ".debug"),
            &files_.supplementary);
  }
  if (!options_.symbol_paths.empty()) {
    for (const IndexedFile& file : index_.Find(ids_.front()))
      TryAs(file.path, &files_.supplementary);
  }
  // The name may point anywhere, so it is followed only below directories of debug files.
  const fs::path named(link->file_name);
  const fs::path path = named.is_absolute() ? fs::path(options_.root + named.string())
                                            : fs::path(from).parent_path() / named;
  if (IsBelowDebugDirectory(path))
    TryAs(path.lexically_normal().string(), &files_.supplementary);
  else if (files_.supplementary.empty())
    Note(named.string(), "is a file shared by debug files, outside the debug directories");
}

absl::StatusOr<SymbolFiles> Search::Run(const Module& module) {
  ids_ = module.ids;
  if (ids_.empty())
    return absl::NotFoundError("the module has no id, and a name is not enough");
  LookInSymbolPaths();
  LookAtMappedPath(module.path);
  LookInDebugDirectories();
  FollowDebugLink();
  if (files_.executable.empty() && files_.debug_file.empty()) {
    std::string reasons;
    for (const Attempt& attempt : attempts_)
      base::StrAppend(&reasons, reasons.empty() ? "" : "; ", attempt.source, " ", attempt.outcome);
    return absl::NotFoundError(reasons);
  }
  FollowAltLink();
  files_.origin = files_.executable.empty() ? files_.debug_file : files_.executable;
  if (!files_.executable.empty() && !files_.debug_file.empty())
    base::StrAppend(&files_.origin, " with ", files_.debug_file);
  return std::move(files_);
}

}  // namespace

HostFiles::HostFiles(HostFilesOptions options)
    : options_(std::move(options)), index_(options_.symbol_paths, options_.files_max) {}

absl::StatusOr<SymbolFiles> HostFiles::Find(const Module& module) {
  std::vector<Attempt> attempts;
  return FindWithAttempts(module, &attempts);
}

absl::StatusOr<SymbolFiles> HostFiles::FindWithAttempts(const Module& module,
                                                        std::vector<Attempt>* attempts) {
  return Search(options_, &index_, attempts).Run(module);
}

}  // namespace flarestack::symbol
