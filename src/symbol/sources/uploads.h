// SPDX-License-Identifier: Apache-2.0
//
// Programs, libraries and debug files that users have pushed, by the ids in them:
//
//   DIRECTORY/ab/abcdef.../executable, executable.txt     the file, and what is known about it
//   DIRECTORY/ab/abcdef.../debuginfo, debuginfo.txt
//   DIRECTORY/partial/                                    uploads that are not complete
//
// A file stands under the best of its ids and is found by each of them. It is there as a whole or
// not at all, also when the process is killed. Thread-safe; the directory is that of one process.
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
  std::string key;  // where it stands; each of the record's ids leads to it
  UploadKind kind = UploadKind::kExecutable;
  UploadRecord record;
};

struct UploadsOptions {
  std::string directory;
  uint64_t file_bytes_max = uint64_t{2} << 30;
  uint64_t directory_bytes_max = uint64_t{64} << 30;  // with the uploads that are under way
  PartialLimits partial;
  std::function<std::chrono::steady_clock::time_point()> now;  // for durations; null: the clock
  std::function<uint64_t()> now_nanos;                         // for records; null: the clock
};

class Uploads : public SymbolSource {
 public:
  // Reads the records, and repairs what a killed process left.
  static absl::StatusOr<std::unique_ptr<Uploads>> Open(UploadsOptions options);

  // An upload: Begin, pieces in their order, Finish. The id that Begin answers names it; the same
  // announcement gives the same id, and Received says where to go on. kResourceExhausted where the
  // file or the directory would be too large, kInvalidArgument for a key or hash that cannot be
  // one. partial_uploads.h says more about the errors of each.
  absl::StatusOr<std::string> Begin(NewUpload upload);
  absl::StatusOr<uint64_t> Received(const std::string& upload_id) const;
  absl::StatusOr<uint64_t> Append(const std::string& upload_id, uint64_t offset,
                                  std::string_view bytes);
  absl::Status Abandon(const std::string& upload_id) { return partials_.Abandon(upload_id); }

  // Compares the hash, looks into the file, and puts it in the place of the one before it.
  // kFailedPrecondition when bytes are missing, and the upload goes on. Otherwise it is over:
  // kInvalidArgument when it is not the file that was announced or not of the key it was pushed
  // under, kAlreadyExists when the one that is there tells more.
  absl::StatusOr<UploadedFile> Finish(const std::string& upload_id);

  std::vector<UploadedFile> List() const;

  // By the key of any id; kNotFound when there is nothing.
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
  const std::string* StandsUnder(const std::string& key) const FLARE_REQUIRES(mutex_);
  // Empty if there is no such file.
  std::string StoredPath(const std::string& key, UploadKind kind) const FLARE_REQUIRES(mutex_);

  const UploadsOptions options_;
  PartialUploads partials_;
  mutable base::Mutex mutex_;
  std::map<std::string, Records> stored_ FLARE_GUARDED_BY(mutex_);
  // Key of another id, and where it stands.
  std::unordered_map<std::string, std::string> aliases_ FLARE_GUARDED_BY(mutex_);
  uint64_t stored_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::symbol
