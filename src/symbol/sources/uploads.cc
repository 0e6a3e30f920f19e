// SPDX-License-Identifier: Apache-2.0
#include "symbol/sources/uploads.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/clock.h"
#include "base/file/directory.h"
#include "base/file/file.h"
#include "base/file/mapped_file.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/build_id.h"
#include "net/auth/credential_hash.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, kUploadKindCount> kKindNames = {"executable", "debuginfo"};
constexpr std::array<UploadKind, kUploadKindCount> kKinds = {UploadKind::kExecutable,
                                                             UploadKind::kDebugInfo};
constexpr std::string_view kRecordSuffix = ".txt";
constexpr uint64_t kRecordBytesMax = 64 << 10;
constexpr size_t kKeyBytesMin = 8;
constexpr size_t kKeyBytesMax = 200;  // it becomes a folder name
constexpr size_t kNameBytesMax = 4096;
constexpr size_t kSha256Digits = 64;

std::string RecordPath(const std::string& path) { return base::StrCat(path, kRecordSuffix); }

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  FLARE_ASSIGN(const base::MappedFile file, base::MappedFile::Open(path));
  return base::HexEncode(net::Sha256(file.bytes()));
}

absl::Status WriteRecord(const std::string& path, const UploadRecord& record) {
  FLARE_ASSIGN(base::OutputFile file, base::OutputFile::Create(RecordPath(path)));
  FLARE_RETURN_IF_ERROR(file.Write(FormatUploadRecord(record)));
  return file.Commit();
}

// Ensures that a stored file is complete, even after a power failure.
absl::Status Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fsync(fd) != 0) {
    const int error = errno;
    if (fd >= 0)
      close(fd);
    return absl::ErrnoToStatus(error, "cannot store the upload");
  }
  close(fd);
  return absl::OkStatus();
}

std::string BestKey(const std::vector<FileId>& ids) { return Module{.ids = ids, .path = ""}.Key(); }

bool HasKey(const std::vector<FileId>& ids, const std::string& key) {
  return std::any_of(ids.begin(), ids.end(), [&](const FileId& id) { return KeyOf(id) == key; });
}

bool TellsMore(const FileFacts& one, const FileFacts& other) {
  return one.has_lines != other.has_lines ? one.has_lines : one.has_symbols && !other.has_symbols;
}

// Rebuilds the record of a file that lost it: everything except name and time can be read again.
absl::StatusOr<UploadRecord> DescribeAgain(const std::string& path) {
  FLARE_ASSIGN(const FileFacts facts, ReadFileFacts(path));
  UploadRecord record;
  FLARE_ASSIGN(record.sha256, Sha256OfFile(path));
  std::error_code ignored;
  record.bytes = fs::file_size(path, ignored);
  record.ids = facts.ids;
  return record;
}

UploadsOptions WithClocks(UploadsOptions options) {
  if (options.now == nullptr)
    options.now = [] { return std::chrono::steady_clock::now(); };
  if (options.now_nanos == nullptr)
    options.now_nanos = base::NowNanos;
  return options;
}

}  // namespace

Uploads::Uploads(UploadsOptions options)
    : options_(WithClocks(std::move(options))),
      partials_({.directory = base::StrCat(options_.directory, "/partial"),
                 .limits = options_.partial,
                 .now = options_.now}) {}

absl::StatusOr<std::unique_ptr<Uploads>> Uploads::Open(UploadsOptions options) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (!fs::is_directory(options.directory, error))
    return absl::FailedPreconditionError(base::StrCat(options.directory, " is not a directory"));
  std::unique_ptr<Uploads> uploads(new Uploads(std::move(options)));
  uploads->Load();
  return uploads;
}

std::string Uploads::PathOf(const std::string& key, UploadKind kind) const {
  return base::StrCat(options_.directory, "/", key.substr(0, 2), "/", key, "/",
                      kKindNames[static_cast<size_t>(kind)]);
}

void Uploads::Load() {
  const base::MutexLock lock(mutex_);
  std::error_code error;
  for (fs::recursive_directory_iterator at(options_.directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string key = at->path().filename().string();
    if (at.depth() != 1 || !at->is_directory(error) ||
        at->path().parent_path().filename() != key.substr(0, 2)) {
      continue;
    }
    at.disable_recursion_pending();
    SweepFolder(key);
    for (const UploadKind kind : kKinds)
      LoadFile(key, kind);
  }
}

// Removes files with unknown names, left by a process that was killed while writing.
void Uploads::SweepFolder(const std::string& key) const {
  std::error_code error;
  const fs::path folder = fs::path(PathOf(key, UploadKind::kExecutable)).parent_path();
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string stem = at->path().stem().string();
    if (std::count(kKindNames.begin(), kKindNames.end(), stem) == 0)
      fs::remove(at->path(), ignored);
  }
}

void Uploads::LoadFile(const std::string& key, UploadKind kind) {
  const std::string path = PathOf(key, kind);
  std::error_code error;
  const uint64_t bytes = fs::file_size(path, error);
  if (error) {
    fs::remove(RecordPath(path), error);
    return;
  }
  absl::StatusOr<UploadRecord> record = absl::NotFoundError("");
  if (const auto text = base::ReadFile(RecordPath(path), kRecordBytesMax); text.ok())
    record = ParseUploadRecord(*text);
  if (!record.ok() || record->bytes != bytes) {
    record = DescribeAgain(path);
    if (!record.ok() || !WriteRecord(path, *record).ok())
      return;
  }
  Remember(key, kind, *std::move(record));
}

void Uploads::Remember(const std::string& key, UploadKind kind, UploadRecord record) {
  Unremember(key, kind);
  for (const FileId& id : record.ids) {
    // The first one wins: a file may claim the id of another.
    if (std::string alias = KeyOf(id); !alias.empty() && alias != key)
      aliases_.try_emplace(std::move(alias), key);
  }
  stored_bytes_ += record.bytes;
  stored_[key][static_cast<size_t>(kind)] = std::move(record);
}

void Uploads::Unremember(const std::string& key, UploadKind kind) {
  const auto at = stored_.find(key);
  if (at == stored_.end() || !at->second[static_cast<size_t>(kind)].has_value())
    return;
  std::optional<UploadRecord>& record = at->second[static_cast<size_t>(kind)];
  stored_bytes_ -= record->bytes;
  record.reset();
  std::erase_if(aliases_, [&](const auto& alias) {
    return alias.second == key &&
           std::none_of(at->second.begin(), at->second.end(), [&](const auto& other) {
             return other.has_value() && HasKey(other->ids, alias.first);
           });
  });
  if (std::none_of(at->second.begin(), at->second.end(),
                   [](const auto& r) { return r.has_value(); }))
    stored_.erase(at);
}

const std::string* Uploads::FindStoredKey(const std::string& key) const {
  if (const auto at = stored_.find(key); at != stored_.end())
    return &at->first;
  const auto alias = aliases_.find(key);
  return alias != aliases_.end() ? &alias->second : nullptr;
}

std::string Uploads::StoredPath(const std::string& key, UploadKind kind) const {
  const auto at = stored_.find(key);
  const bool is_stored = at != stored_.end() && at->second[static_cast<size_t>(kind)].has_value();
  return is_stored ? PathOf(key, kind) : std::string();
}

absl::StatusOr<std::string> Uploads::Begin(NewUpload upload) {
  if (!elf::IsSafeBuildId(upload.key) || upload.key.size() < kKeyBytesMin ||
      upload.key.size() > kKeyBytesMax) {
    return absl::InvalidArgumentError("the key is not a build id");
  }
  const std::optional<std::string> hash = base::HexDecode(upload.sha256);
  if (upload.sha256.size() != kSha256Digits || !hash.has_value())
    return absl::InvalidArgumentError("the hash is not a SHA-256 of 64 hexadecimal digits");
  if (upload.total_bytes == 0)
    return absl::InvalidArgumentError("the file is empty");
  if (upload.total_bytes > options_.file_bytes_max) {
    return absl::ResourceExhaustedError(base::StrCat("the file has ", upload.total_bytes,
                                                     " bytes, more than the limit of ",
                                                     options_.file_bytes_max));
  }
  upload.sha256 = base::HexEncode(*hash);
  upload.name.resize(std::min(upload.name.size(), kNameBytesMax));
  const base::MutexLock lock(mutex_);
  const uint64_t left =
      options_.directory_bytes_max - std::min(options_.directory_bytes_max, stored_bytes_);
  return partials_.Begin(upload, left);
}

absl::StatusOr<uint64_t> Uploads::Received(const std::string& upload_id) const {
  return partials_.Received(upload_id);
}

absl::StatusOr<uint64_t> Uploads::Append(const std::string& upload_id, uint64_t offset,
                                         std::string_view bytes) {
  return partials_.Append(upload_id, offset, bytes);
}

absl::StatusOr<UploadedFile> Uploads::Finish(const std::string& upload_id) {
  FLARE_ASSIGN(const PartialUploads::Complete complete, partials_.Take(upload_id));
  auto stored = Store(complete);
  partials_.Drop(upload_id);
  return stored;
}

absl::StatusOr<UploadedFile> Uploads::Store(const PartialUploads::Complete& complete) {
  const NewUpload& upload = complete.upload;
  FLARE_ASSIGN(const std::string sha256, Sha256OfFile(complete.path));
  if (sha256 != upload.sha256) {
    return absl::InvalidArgumentError(
        base::StrCat("the SHA-256 of what was received is ", sha256, ", and not ", upload.sha256));
  }
  FLARE_ASSIGN(const FileFacts facts, ReadFileFacts(complete.path));
  if (!facts.has_code && !facts.has_symbols)
    return absl::InvalidArgumentError("the file has neither code nor symbols");
  if (!HasKey(facts.ids, upload.key)) {
    std::string keys;
    for (const FileId& id : facts.ids)
      base::StrAppend(&keys, " ", KeyOf(id));
    return absl::InvalidArgumentError(
        base::StrCat("the file is not of the build ", upload.key,
                     "; its ids are:", keys.empty() ? " none" : keys));
  }
  UploadedFile file = {.key = BestKey(facts.ids),
                       .kind = facts.has_code ? UploadKind::kExecutable : UploadKind::kDebugInfo,
                       .record = {.sha256 = sha256,
                                  .bytes = upload.total_bytes,
                                  .time_nanos = options_.now_nanos(),
                                  .name = upload.name,
                                  .ids = facts.ids}};
  if (file.key.size() < kKeyBytesMin || file.key.size() > kKeyBytesMax)
    return absl::InvalidArgumentError("the best id of the file is too short or too long for a key");
  const auto there = ReadFileFacts(PathOf(file.key, file.kind));
  if (there.ok() && TellsMore(*there, facts))
    return absl::AlreadyExistsError("the stored file has more symbols than this one");
  FLARE_RETURN_IF_ERROR(Sync(complete.path));
  FLARE_RETURN_IF_ERROR(Install(complete.path, file));
  return file;
}

// Stores the file first: if its record is missing, it is rebuilt at the next start.
absl::Status Uploads::Install(const std::string& path, const UploadedFile& file) {
  const std::string target = PathOf(file.key, file.kind);
  const base::MutexLock lock(mutex_);
  std::error_code error;
  fs::create_directories(fs::path(target).parent_path(), error);
  fs::remove(RecordPath(target), error);
  fs::rename(path, target, error);
  if (error)
    return absl::ErrnoToStatus(error.value(), "cannot store the upload");
  FLARE_RETURN_IF_ERROR(base::SyncDirectoryOf(target));
  FLARE_RETURN_IF_ERROR(base::SyncDirectoryOf(fs::path(target).parent_path()));
  Remember(file.key, file.kind, file.record);
  return WriteRecord(target, file.record);
}

std::vector<UploadedFile> Uploads::List() const {
  const base::MutexLock lock(mutex_);
  std::vector<UploadedFile> files;
  for (const auto& [key, records] : stored_) {
    for (const UploadKind kind : kKinds) {
      if (const auto& record = records[static_cast<size_t>(kind)]; record.has_value())
        files.push_back({.key = key, .kind = kind, .record = *record});
    }
  }
  return files;
}

absl::Status Uploads::Remove(const std::string& key) {
  const base::MutexLock lock(mutex_);
  const std::string* found_key = FindStoredKey(key);
  if (found_key == nullptr)
    return absl::NotFoundError(base::StrCat("nothing was uploaded for ", key));
  const std::string stored_key = *found_key;
  for (const UploadKind kind : kKinds) {
    const std::string path = PathOf(stored_key, kind);
    std::error_code ignored;
    fs::remove(path, ignored);
    fs::remove(RecordPath(path), ignored);
    Unremember(stored_key, kind);
  }
  std::error_code ignored;
  fs::remove_all(fs::path(PathOf(stored_key, UploadKind::kExecutable)).parent_path(), ignored);
  return absl::OkStatus();
}

absl::StatusOr<SymbolFiles> Uploads::Find(const Module& module) {
  SymbolFiles files = {.origin = "uploaded"};
  {
    const base::MutexLock lock(mutex_);
    const std::string* key = nullptr;
    for (const FileId& id : module.ids)
      key = key == nullptr ? FindStoredKey(KeyOf(id)) : key;
    if (key == nullptr)
      return absl::NotFoundError("nothing was uploaded for its ids");
    files.executable = StoredPath(*key, UploadKind::kExecutable);
    files.debug_file = StoredPath(*key, UploadKind::kDebugInfo);
  }
  // A file made by dwz is uploaded as a separate debug file.
  const auto facts = ReadFileFacts(files.debug_file.empty() ? files.executable : files.debug_file);
  if (facts.ok() && !facts->supplementary_id.empty()) {
    const base::MutexLock lock(mutex_);
    files.supplementary = StoredPath(facts->supplementary_id, UploadKind::kDebugInfo);
  }
  return files;
}

}  // namespace flarestack::symbol
