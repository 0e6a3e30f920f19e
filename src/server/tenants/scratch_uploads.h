// SPDX-License-Identifier: Apache-2.0
//
// Files that somebody wants to look at for a while: each upload is a store of its own in
// DATA_DIR/scratch/ID, which the API reads in the place of the tenant's. It goes when its time is
// over, when it is removed, when the tenant uploads more than fits, and at the latest with the
// process: whoever uploaded it has the file.
//
// Thread-safe. An upload that is removed while it is read stays until the last reader lets it go.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_budget.h"
#include "base/mutex.h"
#include "codec/format/format.h"
#include "pipeline/receivers/otlp_receiver.h"
#include "server/limits/room.h"
#include "store/rocks/rocks_store.h"
#include "store/store.h"

namespace flarestack::server {

struct ScratchOptions {
  std::string directory;                 // made, and emptied at the start
  uint64_t disk_bytes_max = 1 << 30;     // of all uploads
  uint32_t uploads_max = 64;             // of all tenants
  uint64_t input_bytes_max = 64 << 20;   // of one, decompressed
  uint64_t memory_bytes_max = 64 << 20;  // for the stores of all
  uint64_t series_max = 1'000'000;       // of one
  pipeline::OtlpReceiverOptions receiver;
  const Room* room = nullptr;  // must be set, and outlive the uploads
  // Puts something around the store of an upload, such as what gives names; null: nothing.
  std::function<std::unique_ptr<store::Store>(const std::string& tenant,
                                              std::unique_ptr<store::Store> store)>
      wrap;
};

// One of them; its files go with it.
struct Upload {
  std::string id;  // random, and not to be guessed
  std::string tenant;
  std::string name;  // of the file; may be empty
  uint64_t made_nanos = 0;
  uint64_t expires_nanos = 0;
  uint64_t disk_bytes = 0;
  uint64_t samples = 0;
  std::string_view format;            // name of its reader
  std::string default_type;           // of a pprof file: what pprof shows, as "inuse_space:bytes"
  std::vector<std::string> warnings;  // what had to be bent or left out
  store::TimeRange range;             // of all samples
  std::string directory;
  std::unique_ptr<store::Store> store;

  Upload() = default;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload();
};

struct UploadName {
  std::string_view tenant;
  std::string_view id;
};

class ScratchUploads {
 public:
  static absl::StatusOr<std::unique_ptr<ScratchUploads>> Open(ScratchOptions options);
  ~ScratchUploads();

  // A file in any format that codec/input.h reads. `lease` is that of the bytes, and is let grow
  // while they are decoded. kInvalidArgument for what is no profile or has no sample,
  // kResourceExhausted when there is no room even without the older uploads of the tenant.
  struct File {
    std::string tenant;
    std::string name = {};
    std::string bytes;
    const codec::Reader* reader = nullptr;  // of its format; null: recognised by content
    base::ByteLease* lease = nullptr;
    uint64_t now_nanos = 0;
    uint64_t life_nanos = 0;
  };
  absl::StatusOr<std::shared_ptr<const Upload>> Add(File file);

  // Nothing for one that never was, is over, or belongs to another tenant.
  std::shared_ptr<const Upload> Find(const UploadName& name, uint64_t now_nanos) const;
  bool Remove(const UploadName& name, uint64_t now_nanos);
  void RemoveExpired(uint64_t now_nanos);

  struct Usage {
    uint64_t uploads = 0;  // of the tenant
    uint64_t disk_bytes = 0;
    uint64_t disk_bytes_max = 0;  // of all tenants
  };
  Usage UsageOf(std::string_view tenant) const;

 private:
  using Uploads = std::map<std::string, std::shared_ptr<const Upload>, std::less<>>;

  explicit ScratchUploads(ScratchOptions options);
  absl::Status Fill(File file, Upload* upload) const;
  // Takes old ones of the tenant out of the table until so many bytes and one more upload fit; they
  // are to be let go without the lock.
  absl::Status Reserve(const File& file, uint64_t bytes,
                       std::vector<std::shared_ptr<const Upload>>* removed);
  Uploads::iterator OldestOf(std::string_view tenant) FLARE_REQUIRES(mutex_);

  const ScratchOptions options_;
  const std::shared_ptr<store::StoreMemory> memory_;
  mutable base::Mutex mutex_;
  Uploads uploads_ FLARE_GUARDED_BY(mutex_);          // by id
  uint64_t disk_bytes_ FLARE_GUARDED_BY(mutex_) = 0;  // of them, and of those on their way
  uint32_t being_made_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::server
