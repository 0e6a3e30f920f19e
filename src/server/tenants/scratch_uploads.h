// SPDX-License-Identifier: Apache-2.0
//
// Temporary uploads. Each one has its own store in DATA_DIR/scratch/ID, which the API reads instead
// of the tenant's store. An upload is removed when it expires, on request, when the tenant needs
// room for newer uploads, and when the process ends. The user still has the file.
//
// Thread-safe. A removed upload stays readable until its last reader releases it.
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
#include "base/memory/byte_budget.h"
#include "base/mutex.h"
#include "codec/format/format.h"
#include "pipeline/receivers/otlp_receiver.h"
#include "query/data/profile_names.h"
#include "server/limits/room.h"
#include "store/rocks/rocks_store.h"
#include "store/store.h"
#include "symbol/symbolizer.h"

namespace flarestack::server {

struct ScratchOptions {
  std::string directory;                 // created, and emptied at startup
  uint64_t disk_bytes_max = 1 << 30;     // of all uploads together
  uint32_t uploads_max = 64;             // of all tenants together
  uint64_t input_bytes_max = 64 << 20;   // per upload, decompressed
  uint64_t memory_bytes_max = 64 << 20;  // for all stores together
  uint64_t series_max = 1'000'000;       // per upload
  pipeline::OtlpReceiverOptions receiver;
  const Room* room = nullptr;  // required; must outlive the uploads
  // Finds names for the uploads of a tenant; may return null. Null: frames keep their addresses.
  std::function<symbol::Symbolizer*(const std::string& tenant)> find_symbolizer;
};

// One upload. Its destructor deletes its files.
struct Upload {
  std::string id;  // random, unguessable
  std::string tenant;
  std::string name;  // of the file; may be empty
  uint64_t made_nanos = 0;
  uint64_t expires_nanos = 0;
  uint64_t disk_bytes = 0;
  uint64_t samples = 0;
  std::string_view format;   // name of its reader
  std::string default_type;  // the default type of a pprof file, such as "inuse_space:bytes"
  std::vector<std::string> warnings;  // data that was changed or dropped while reading
  store::TimeRange range;             // of all samples
  std::string directory;
  std::unique_ptr<query::ProfileNames> names;  // null: frames keep their addresses
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

  // Adds a file in any format that codec/input_collector.h reads. `lease` covers its bytes, and
  // grows for decoding. Returns kInvalidArgument if the file is not a profile or has no samples,
  // kResourceExhausted if there is no room even after removing the tenant's older uploads.
  struct File {
    std::string tenant;
    std::string name = {};
    std::string bytes;
    const codec::Reader* reader = nullptr;  // null: detect the format from the content
    base::ByteLease* lease = nullptr;
    uint64_t now_nanos = 0;
    uint64_t life_nanos = 0;
  };
  absl::StatusOr<std::shared_ptr<const Upload>> Add(File file);

  // Returns nullptr if the upload never existed, has expired, or belongs to another tenant.
  std::shared_ptr<const Upload> Find(const UploadName& name, uint64_t now_nanos) const;
  bool Remove(const UploadName& name, uint64_t now_nanos);
  void RemoveExpired(uint64_t now_nanos);

  struct Usage {
    uint64_t uploads = 0;  // of the tenant
    uint64_t disk_bytes = 0;
    uint64_t disk_bytes_max = 0;  // of all tenants together
  };
  Usage UsageOf(std::string_view tenant) const;

 private:
  using Uploads = std::map<std::string, std::shared_ptr<const Upload>, std::less<>>;

  explicit ScratchUploads(ScratchOptions options);
  absl::Status Fill(File file, Upload* upload) const;
  // Removes the tenant's oldest uploads from the table until `bytes` and one more upload fit. The
  // caller destroys `removed` without holding the lock.
  absl::Status Reserve(const File& file, uint64_t bytes,
                       std::vector<std::shared_ptr<const Upload>>* removed);
  Uploads::iterator OldestOf(std::string_view tenant) FLARE_REQUIRES(mutex_);

  const ScratchOptions options_;
  const std::shared_ptr<store::StoreMemory> memory_;
  mutable base::Mutex mutex_;
  Uploads uploads_ FLARE_GUARDED_BY(mutex_);          // by id
  uint64_t disk_bytes_ FLARE_GUARDED_BY(mutex_) = 0;  // of them, and of those being added
  uint32_t being_made_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::server
