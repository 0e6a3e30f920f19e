// SPDX-License-Identifier: Apache-2.0
//
// Programs, libraries and debug files uploaded by users, stored by the ids in them:
//
//   DIRECTORY/ab/abcdef.../executable, executable.txt     the file and its record
//   DIRECTORY/ab/abcdef.../debuginfo, debuginfo.txt
//   DIRECTORY/partial/                                    incomplete uploads
//
// A file is stored under its best id and found by any of them. It exists completely or not at all,
// even if the process is killed. Thread-safe; only one process may use the directory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "symbol/file_facts.h"
#include "symbol/sources/partial_uploads.h"
#include "symbol/sources/upload_record.h"
#include "symbol/symbol_source.h"

namespace flarestack::symbol {

enum class UploadKind : uint8_t { kExecutable = 0, kDebugInfo = 1 };
inline constexpr size_t kUploadKindCount = 2;

struct UploadedFile {
  std::string key;  // where it is stored; each id of the record leads to it
  UploadKind kind = UploadKind::kExecutable;
  UploadRecord record;
};

struct UploadsOptions {
  std::string directory;
  uint64_t file_bytes_max = uint64_t{2} << 30;
  uint64_t directory_bytes_max = uint64_t{64} << 30;  // including uploads in progress
  PartialLimits partial;
  std::function<std::chrono::steady_clock::time_point()> now;  // for durations; null: steady_clock
  std::function<uint64_t()> now_nanos;  // for records; null: the system clock
};

class Uploads : public SymbolSource {
 public:
  // Reads the records and repairs what a killed process left behind.
  static absl::StatusOr<std::unique_ptr<Uploads>> Open(UploadsOptions options);

  // An upload: Begin, pieces in order, Finish. Begin returns the id of the upload; the same
  // announcement gives the same id, and Received says where to resume. Returns kResourceExhausted
  // if the file or the directory would be too large, and kInvalidArgument for an invalid key or
  // hash. partial_uploads.h describes the other errors.
  absl::StatusOr<std::string> Begin(NewUpload upload);
  absl::StatusOr<uint64_t> Received(const std::string& upload_id) const;
  absl::StatusOr<uint64_t> Append(const std::string& upload_id, uint64_t offset,
                                  std::string_view bytes);
  absl::Status Abandon(const std::string& upload_id) { return partials_.Abandon(upload_id); }

  // Verifies the hash, inspects the file, and replaces the previous one. Returns
  // kFailedPrecondition if bytes are missing; the upload can then continue. Any other result ends
  // the upload: kInvalidArgument if it is not the announced file or does not match the key,
  // kAlreadyExists if the stored file has more symbols.
  absl::StatusOr<UploadedFile> Finish(const std::string& upload_id);

  std::vector<UploadedFile> List() const;

  // Accepts the key of any id. Returns kNotFound if there is nothing.
  absl::Status Remove(const std::string& key);

  std::string name() const override { return "uploads"; }
  absl::StatusOr<SymbolFiles> Find(const Module& module) override;

 private:
  using Records = std::array<std::optional<UploadRecord>, kUploadKindCount>;

  explicit Uploads(UploadsOptions options);

  std::string PathOf(const std::string& key, UploadKind kind) const;
  void Load();
  void SweepFolder(const std::string& key) const;
  void LoadFile(const std::string& key, UploadKind kind) FLARE_REQUIRES(mutex_);
  absl::StatusOr<UploadedFile> Store(const PartialUploads::Complete& complete);
  absl::Status Install(const std::string& path, const UploadedFile& file);
  void Remember(const std::string& key, UploadKind kind, UploadRecord record)
      FLARE_REQUIRES(mutex_);
  void Unremember(const std::string& key, UploadKind kind) FLARE_REQUIRES(mutex_);
  const std::string* FindStoredKey(const std::string& key) const FLARE_REQUIRES(mutex_);
  // Empty if there is no such file.
  std::string StoredPath(const std::string& key, UploadKind kind) const FLARE_REQUIRES(mutex_);

  const UploadsOptions options_;
  PartialUploads partials_;
  mutable base::Mutex mutex_;
  std::map<std::string, Records> stored_ FLARE_GUARDED_BY(mutex_);
  // Maps the keys of other ids of a file to its key in `stored_`.
  std::unordered_map<std::string, std::string> aliases_ FLARE_GUARDED_BY(mutex_);
  uint64_t stored_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::symbol
