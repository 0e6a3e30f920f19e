// SPDX-License-Identifier: Apache-2.0
//
// Bytes on disk per timestamped event, including dictionaries, after full compaction. The first
// argument is the number of minutes of the fleet to store (default 60), the second the number of
// hosts.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "fleet.h"
#include "store/rocks/database/database.h"
#include "store/rocks/rocks_store.h"

namespace flarestack::bench {
namespace {

constexpr double kBudgetBytes = 4;
constexpr int kEncodedEach = 25;  // odd, so that both idle and busy hosts are included
constexpr uint64_t kStart = uint64_t{490'896} * 3'600'000'000'000;  // start of an hour

uint64_t DirectoryBytes(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file() && entry.path().extension() != ".log" &&
        entry.path().filename().string().rfind("LOG", 0) != 0)
      bytes += entry.file_size();
  }
  return bytes;
}

// Compacts everything into the last level, and prints the size of each column family.
bool CompactAll(const std::string& directory, double events) {
  auto database = store::rocks::Database::Open(
      {.directory = directory, .memory = store::rocks::SharedMemory::Make(256 << 20)});
  if (!database.ok())
    return false;
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  for (size_t i = 0; i < store::rocks::kFamilyCount; ++i) {
    auto* const handle = (*database)->handle(static_cast<store::rocks::Family>(i));
    (*database)->db().Flush(rocksdb::FlushOptions(), handle);
    if (!(*database)->db().CompactRange(options, handle, nullptr, nullptr).ok())
      return false;
    uint64_t bytes = 0;
    (*database)->db().GetIntProperty(handle, rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
    if (bytes > 4096)
      std::printf("  %-16s %9.2f MB  %6.3f bytes per event\n", handle->GetName().c_str(),
                  static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / events);
  }
  return true;
}

int Run(int minutes, int hosts) {
  std::string directory = std::filesystem::temp_directory_path().string() + "/storage_XXXXXX";
  if (mkdtemp(directory.data()) == nullptr)
    return 1;
  Fleet fleet(1, {});
  double events = 0;
  double otlp_bytes = 0;
  {
    auto store = store::OpenRocksStore(
        {.directory = directory, .sync_each_commit = false, .memory_bytes_max = 512 << 20});
    if (!store.ok())
      return 1;
    for (int minute = 0; minute < minutes; ++minute) {
      for (int host = 0; host < hosts; ++host) {
        const model::Batch batch =
            fleet.Message(host, kStart + static_cast<uint64_t>(minute) * Fleet::kMinute);
        if (host % kEncodedEach == 0) {
          codec::wire::ReverseWriter out(codec::otlp::EstimateProtobufBytes(batch));
          codec::otlp::EncodeProtobuf(batch, &out);
          otlp_bytes += static_cast<double>(out.size()) * kEncodedEach;
        }
        const auto appended = (*store)->AppendProfiles(batch);
        if (!appended.ok())
          return 1;
        events += static_cast<double>(appended->samples);
      }
    }
    // Roll-ups use space too.
    if (!(*store)->Maintain(kStart + 48 * base::kNanosPerHour).ok())
      return 1;
  }
  std::printf("%d hosts, %d minutes: %.0f events, about %.0f MB of OTLP (%.1f bytes per event)\n",
              hosts, minutes, events, otlp_bytes / 1e6, otlp_bytes / events);
  if (!CompactAll(directory, events))
    return 1;
  const double per_event = static_cast<double>(DirectoryBytes(directory)) / events;
  std::printf("  %.2f bytes on disk per event (at most %.0f) %s\n", per_event, kBudgetBytes,
              per_event <= kBudgetBytes ? "ok" : "MISSED");
  std::filesystem::remove_all(directory);
  return per_event <= kBudgetBytes ? 0 : 4;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  return flarestack::bench::Run(
      argc > 1 ? std::atoi(argv[1]) : 60,
      argc > 2 ? std::atoi(argv[2]) : flarestack::bench::FleetShape().hosts);
}
