// SPDX-License-Identifier: Apache-2.0
#include "server/tenants/scratch_uploads.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/input_collector.h"
#include "model/sample_type.h"
#include "pipeline/receivers/prepare_items.h"

namespace flarestack::server {
namespace {

namespace fs = std::filesystem;

// Memory for a decoded file, as a multiple of its bytes and in addition to them.
constexpr uint64_t kDecodedFactor = 3;

// Disk space of an empty store.
constexpr uint64_t kEmptyStoreBytes = 128 << 10;

constexpr size_t kWarningsMax = 20;  // each message of a file may cause one

// The id must be unguessable: it is the only thing that protects an upload from other users of the
// same tenant.
std::string RandomId() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    const uint32_t word = random();
    bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
  }
  return base::HexEncode(bytes);
}

std::string WarningText(std::string_view kind, const base::Warnings::Kind& found) {
  std::string text = base::StrCat(kind, ": ", found.examples.empty() ? "" : found.examples[0]);
  if (found.count > 1)
    base::StrAppend(&text, " and ", found.count - 1, " more");
  return text;
}

void AddWarning(std::string text, Upload* upload) {
  if (!text.empty() && upload->warnings.size() < kWarningsMax)
    upload->warnings.push_back(std::move(text));
}

// Reserves the memory before decompressing.
absl::Status Unpack(uint64_t bytes_max, ScratchUploads::File* file) {
  const uint64_t held = file->lease == nullptr ? 0 : file->lease->held_bytes();
  const base::ExpandLimits limits = {.bytes_max = bytes_max, .try_reserve = [&](uint64_t bytes) {
                                       return file->lease == nullptr ||
                                              file->lease->GrowTo(held + bytes);
                                     }};
  if (!codec::LooksCompressed(file->bytes))
    return absl::OkStatus();
  auto unpacked = codec::Unpack(std::move(file->bytes), limits);
  if (absl::IsUnavailable(unpacked.status()))
    return absl::ResourceExhaustedError("not enough memory to decompress the file");
  FLARE_RETURN_IF_ERROR(unpacked.status());
  file->bytes = std::move(unpacked->bytes);
  // The reader would decompress it again without reserving memory.
  if (codec::LooksCompressed(file->bytes))
    return absl::InvalidArgumentError("the file is compressed twice");
  return absl::OkStatus();
}

// Widens the range to include all samples of a batch.
void Include(const model::Batch& batch, store::TimeRange* range) {
  const auto include = [range](uint64_t from, uint64_t to) {
    range->from = std::min(range->from, from);
    range->to = std::max(range->to, to);
  };
  for (const model::Profile& profile : batch.profiles) {
    const uint64_t begin = profile.time_unix_nano;
    include(begin,
            begin + std::min(UINT64_MAX - begin, std::max<uint64_t>(profile.duration_nano, 1)));
    for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
      for (const uint64_t time : model::In(batch.timestamps, sample.timestamps))
        include(time, time + 1);
    }
  }
}

}  // namespace

Upload::~Upload() {
  store.reset();
  std::error_code ignored;
  if (!directory.empty())
    fs::remove_all(directory, ignored);
}

ScratchUploads::ScratchUploads(ScratchOptions options)
    : options_(std::move(options)),
      // At least two: a single upload must leave memory for the next one.
      memory_(
          store::MakeStoreMemory(options_.memory_bytes_max, std::max(options_.uploads_max, 2u))) {}

ScratchUploads::~ScratchUploads() {
  uploads_.clear();
  std::error_code ignored;
  fs::remove(options_.directory, ignored);
}

absl::StatusOr<std::unique_ptr<ScratchUploads>> ScratchUploads::Open(ScratchOptions options) {
  std::error_code error;
  fs::remove_all(options.directory, error);
  if (error) {
    return absl::FailedPreconditionError(
        base::StrCat("cannot clear ", options.directory, ": ", error.message()));
  }
  return std::unique_ptr<ScratchUploads>(new ScratchUploads(std::move(options)));
}

absl::StatusOr<std::shared_ptr<const Upload>> ScratchUploads::Add(File file) {
  FLARE_RETURN_IF_ERROR(options_.room->Admit());
  FLARE_RETURN_IF_ERROR(Unpack(options_.input_bytes_max, &file));
  if (file.lease != nullptr && !file.lease->GrowTo(file.bytes.size() * (1 + kDecodedFactor)))
    return absl::ResourceExhaustedError("not enough memory to decode the file");
  // The size on disk is not known yet; it is rarely larger than the file.
  const uint64_t reserved = file.bytes.size() + kEmptyStoreBytes;
  {
    std::vector<std::shared_ptr<const Upload>> removed;
    FLARE_RETURN_IF_ERROR(Reserve(file, reserved, &removed));
  }
  auto upload = std::make_shared<Upload>();
  upload->id = RandomId();
  upload->tenant = file.tenant;
  upload->name = file.name;
  upload->made_nanos = file.now_nanos;
  upload->expires_nanos = file.now_nanos + std::min(file.life_nanos, UINT64_MAX - file.now_nanos);
  upload->directory = options_.directory + "/" + upload->id;
  const absl::Status status = Fill(std::move(file), upload.get());
  const base::MutexLock lock(mutex_);
  --being_made_;
  disk_bytes_ -= reserved;
  FLARE_RETURN_IF_ERROR(status);
  disk_bytes_ += upload->disk_bytes;
  uploads_.emplace(upload->id, upload);
  return upload;
}

absl::Status ScratchUploads::Fill(File file, Upload* upload) const {
  base::Warnings warnings;
  std::string own_type;  // of the first batch
  upload->range = {.from = UINT64_MAX, .to = 0};
  const auto keep = [&](model::Batch batch) -> absl::Status {
    const pipeline::PreparedProfiles prepared =
        pipeline::PrepareProfiles(options_.receiver.attributes, file.now_nanos, &batch);
    AddWarning(prepared.sifted.Explain(), upload);
    AddWarning(prepared.losses.Explain(options_.receiver.attributes), upload);
    if (batch.samples.empty())
      return absl::OkStatus();
    if (upload->store == nullptr) {
      FLARE_ASSIGN(const model::SampleTypeView own, model::SelectSampleType(batch, ""));
      own_type = base::StrCat(own.type, ":", own.unit);
      FLARE_ASSIGN(upload->store, store::OpenRocksStore({.directory = upload->directory,
                                                         .sync_each_commit = false,
                                                         .memory = memory_,
                                                         .series_max = options_.series_max}));
      symbol::Symbolizer* const symbolizer =
          options_.find_symbolizer == nullptr ? nullptr : options_.find_symbolizer(upload->tenant);
      if (symbolizer != nullptr)
        upload->names = std::make_unique<query::ProfileNames>(symbolizer);
    }
    FLARE_ASSIGN(const store::AppendedProfiles appended, upload->store->AppendProfiles(batch));
    if (upload->names != nullptr)
      upload->names->Prefetch(batch);
    upload->samples += appended.samples;
    if (appended.rejected_profiles > 0)
      AddWarning(base::StrCat(appended.rejected_profiles, " profiles omitted: too many series"),
                 upload);
    Include(batch, &upload->range);
    return absl::OkStatus();
  };
  FLARE_ASSIGN(
      const codec::InputInfo info,
      codec::ReadInput(&file.bytes, {.bytes_max = options_.input_bytes_max, .reader = file.reader},
                       &warnings, keep));
  if (upload->samples == 0)
    return absl::InvalidArgumentError("the file has no samples");
  upload->format = info.format;
  // Other formats do not name a default type.
  if (info.format.starts_with("pprof"))
    upload->default_type = std::move(own_type);
  for (const auto& [kind, found] : warnings.kinds())
    AddWarning(WarningText(kind, found), upload);
  FLARE_ASSIGN(const store::StoreStats stats, upload->store->Stats());
  upload->disk_bytes = stats.disk_bytes;
  return absl::OkStatus();
}

absl::Status ScratchUploads::Reserve(const File& file, uint64_t bytes,
                                     std::vector<std::shared_ptr<const Upload>>* removed) {
  const base::MutexLock lock(mutex_);
  while (disk_bytes_ + bytes > options_.disk_bytes_max ||
         uploads_.size() + being_made_ >= options_.uploads_max) {
    const auto oldest = OldestOf(file.tenant);
    if (oldest == uploads_.end() || bytes > options_.disk_bytes_max) {
      return absl::ResourceExhaustedError(
          base::StrCat("no space for ", bytes, " bytes: uploads use ", disk_bytes_, " of ",
                       options_.disk_bytes_max, ", in ", uploads_.size() + being_made_, " of ",
                       options_.uploads_max));
    }
    disk_bytes_ -= oldest->second->disk_bytes;
    removed->push_back(oldest->second);
    uploads_.erase(oldest);
  }
  disk_bytes_ += bytes;
  ++being_made_;
  return absl::OkStatus();
}

ScratchUploads::Uploads::iterator ScratchUploads::OldestOf(std::string_view tenant) {
  auto oldest = uploads_.end();
  for (auto at = uploads_.begin(); at != uploads_.end(); ++at) {
    if (at->second->tenant == tenant &&
        (oldest == uploads_.end() || at->second->made_nanos < oldest->second->made_nanos))
      oldest = at;
  }
  return oldest;
}

std::shared_ptr<const Upload> ScratchUploads::Find(const UploadName& name,
                                                   uint64_t now_nanos) const {
  const base::MutexLock lock(mutex_);
  const auto found = uploads_.find(name.id);
  if (found == uploads_.end() || found->second->tenant != name.tenant ||
      found->second->expires_nanos <= now_nanos)
    return nullptr;
  return found->second;
}

bool ScratchUploads::Remove(const UploadName& name, uint64_t now_nanos) {
  const std::shared_ptr<const Upload> upload = Find(name, now_nanos);
  if (upload == nullptr)
    return false;
  // Unlock before `upload` is released: that closes a store.
  const base::MutexLock lock(mutex_);
  if (uploads_.erase(upload->id) == 0)
    return false;
  disk_bytes_ -= upload->disk_bytes;
  return true;
}

void ScratchUploads::RemoveExpired(uint64_t now_nanos) {
  std::vector<std::shared_ptr<const Upload>> removed;
  const base::MutexLock lock(mutex_);
  for (auto at = uploads_.begin(); at != uploads_.end();) {
    if (at->second->expires_nanos > now_nanos) {
      ++at;
      continue;
    }
    disk_bytes_ -= at->second->disk_bytes;
    removed.push_back(std::move(at->second));
    at = uploads_.erase(at);
  }
}

ScratchUploads::Usage ScratchUploads::UsageOf(std::string_view tenant) const {
  const base::MutexLock lock(mutex_);
  Usage usage = {.disk_bytes_max = options_.disk_bytes_max};
  for (const auto& [id, upload] : uploads_) {
    if (upload->tenant != tenant)
      continue;
    ++usage.uploads;
    usage.disk_bytes += upload->disk_bytes;
  }
  return usage;
}

}  // namespace flarestack::server
