// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/info_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include "base/mutex.h"

namespace flarestack::store::rocks {
namespace {

class SilentLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

class InfoLog : public rocksdb::Logger {
 public:
  InfoLog(const std::string& directory, uint64_t bytes_max)
      : path_(directory + "/LOG"), bytes_max_(bytes_max) {
    Open();
  }
  ~InfoLog() override {
    if (fd_ >= 0)
      close(fd_);
  }

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[4096];
    const std::time_t now = std::time(nullptr);
    std::tm utc = {};
    gmtime_r(&now, &utc);
    const size_t head = std::strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%SZ ", &utc);
    const int written = std::vsnprintf(line + head, sizeof line - head - 1, format, arguments);
    size_t size =
        head + std::min(sizeof line - head - 2, static_cast<size_t>(std::max(0, written)));
    line[size++] = '\n';
    const base::MutexLock lock(mutex_);
    if (bytes_ + size > bytes_max_)
      Turn();
    if (fd_ >= 0 && write(fd_, line, size) > 0)
      bytes_ += size;
  }

 private:
  void Open() FLARE_REQUIRES(mutex_) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    struct stat info = {};
    bytes_ = fd_ >= 0 && fstat(fd_, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
  }

  void Turn() FLARE_REQUIRES(mutex_) {
    if (fd_ >= 0)
      close(fd_);
    std::rename(path_.c_str(), (path_ + ".old").c_str());
    Open();
  }

  const std::string path_;
  const uint64_t bytes_max_;
  base::Mutex mutex_;
  int fd_ FLARE_GUARDED_BY(mutex_) = -1;
  uint64_t bytes_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> MakeInfoLog(const std::string& directory, uint64_t bytes_max) {
  return std::make_shared<InfoLog>(directory, bytes_max);
}

std::shared_ptr<rocksdb::Logger> MakeSilentLog() { return std::make_shared<SilentLog>(); }

}  // namespace flarestack::store::rocks
