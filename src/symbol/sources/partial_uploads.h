// SPDX-License-Identifier: Apache-2.0
//
// Files that are being received, piece by piece. A sender that was interrupted asks how much is
// here and goes on from there. A restart of this process is the end of all of them: their senders
// are told that there is no such upload, and begin again. Thread-safe.
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

// What a sender announces.
struct NewUpload {
  std::string key;  // of module.h, one of the ids in the file
  uint64_t total_bytes = 0;
  std::string sha256;  // of the whole file, in hexadecimal
  std::string name;    // for people
};

struct PartialLimits {
  size_t count_max = 64;
  std::chrono::seconds idle_max{3600};  // without a new piece for so long: dropped
};

class PartialUploads {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::string directory;  // for nothing else: it is emptied at the start
    PartialLimits limits;
    std::function<TimePoint()> now;
  };
  explicit PartialUploads(Options options);

  // The id of the upload. The same announcement has the same id, so that a sender who lost it goes
  // on where it was. All uploads together may announce `bytes_max`. kResourceExhausted when there
  // are too many, or too many bytes.
  absl::StatusOr<std::string> Begin(const NewUpload& upload, uint64_t bytes_max);

  // How many bytes are here; kNotFound for an unknown id.
  absl::StatusOr<uint64_t> Received(const std::string& id) const;

  // How many bytes are here afterwards. kNotFound for an unknown id, kOutOfRange when the piece
  // does not begin where the last one ended, kResourceExhausted when it goes beyond the announced
  // size, kAborted when another piece is being written.
  absl::StatusOr<uint64_t> Append(const std::string& id, uint64_t offset, std::string_view bytes);

  // The whole file, for the caller alone until it is dropped. kFailedPrecondition when bytes are
  // missing.
  struct Complete {
    NewUpload upload;
    std::string path;
  };
  absl::StatusOr<Complete> Take(const std::string& id);

  // Of what was taken, by who took it.
  void Drop(const std::string& id);

  // kNotFound for an unknown id, kAborted when somebody works on it.
  absl::Status Abandon(const std::string& id);

 private:
  struct Partial {
    NewUpload upload;
    uint64_t received_bytes = 0;
    bool is_busy = false;  // a piece is being written, or the whole was taken
    TimePoint used;
  };

  std::string PathOf(const std::string& id) const;
  // One that is busy stays where it is.
  absl::StatusOr<Partial*> FindIdle(const std::string& id) FLARE_REQUIRES(mutex_);
  void DropIdle() FLARE_REQUIRES(mutex_);

  const Options options_;
  mutable base::Mutex mutex_;
  std::map<std::string, Partial> partials_ FLARE_GUARDED_BY(mutex_);  // by id
};

}  // namespace flarestack::symbol
