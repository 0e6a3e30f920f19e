// SPDX-License-Identifier: Apache-2.0
//
// Files that are being received, piece by piece. An interrupted sender queries how much has arrived
// and resumes from there. A restart of this process drops all of them: senders then get kNotFound
// and begin again. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"

namespace flarestack::symbol {

// The announcement of a sender.
struct NewUpload {
  std::string key;  // as in module.h, for one of the ids in the file
  uint64_t total_bytes = 0;
  std::string sha256;  // of the whole file, in hexadecimal
  std::string name;    // for display
};

struct PartialLimits {
  size_t count_max = 64;
  std::chrono::seconds idle_max{3600};  // dropped after this time without a new piece
};

class PartialUploads {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::string directory;  // used only for this; emptied at startup
    PartialLimits limits;
    std::function<TimePoint()> now;
  };
  explicit PartialUploads(Options options);

  // Returns the id of the upload. The same announcement gives the same id, so that a sender that
  // lost it can resume. `bytes_max` limits the announced bytes of all uploads together. Returns
  // kResourceExhausted if there are too many uploads or bytes.
  absl::StatusOr<std::string> Begin(const NewUpload& upload, uint64_t bytes_max);

  // Returns how many bytes have arrived, or kNotFound for an unknown id.
  absl::StatusOr<uint64_t> Received(const std::string& id) const;

  // Returns how many bytes have arrived afterwards. Returns kNotFound for an unknown id,
  // kOutOfRange if the piece does not begin where the last one ended, kResourceExhausted if it
  // exceeds the announced size, and kAborted if another piece is being written.
  absl::StatusOr<uint64_t> Append(const std::string& id, uint64_t offset, std::string_view bytes);

  // The complete file, exclusive to the caller until Drop(). Take() returns kFailedPrecondition if
  // bytes are missing.
  struct Complete {
    NewUpload upload;
    std::string path;
  };
  absl::StatusOr<Complete> Take(const std::string& id);

  // Removes an upload; only for the caller of Take().
  void Drop(const std::string& id);

  // Returns kNotFound for an unknown id, and kAborted if the upload is busy.
  absl::Status Abandon(const std::string& id);

 private:
  struct Partial {
    NewUpload upload;
    uint64_t received_bytes = 0;
    bool is_busy = false;  // a piece is being written, or the file was taken
    TimePoint used;
  };

  std::string PathOf(const std::string& id) const;
  // Other calls do not remove a busy upload, so the pointer stays valid.
  absl::StatusOr<Partial*> FindIdle(const std::string& id) FLARE_REQUIRES(mutex_);
  void DropIdle() FLARE_REQUIRES(mutex_);

  const Options options_;
  mutable base::Mutex mutex_;
  std::map<std::string, Partial> partials_ FLARE_GUARDED_BY(mutex_);  // by id
};

}  // namespace flarestack::symbol
