// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/code_file_owner.h"

#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "elf/text_fields.h"
#include "record/process/proc/bounded_file.h"

namespace flarestack::record::runtime {
namespace {

constexpr size_t kStatusBytesMax = 16 << 10;
// File times come from a clock that is up to a tick behind, and wall clocks are adjusted.
constexpr int64_t kSlackNs = 2 * int64_t{base::kNanosPerSecond};

int64_t Nanos(const timespec& time) {
  return time.tv_sec * int64_t{base::kNanosPerSecond} + time.tv_nsec;
}

int64_t NowNs(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return Nanos(time);
}

}  // namespace

std::optional<ProcessOwner> ParseOwner(std::string_view status) {
  ProcessOwner owner;
  bool has_user = false;
  bool has_pid = false;
  while (!status.empty()) {
    std::string_view line = elf::TakeLine(&status);
    const std::string_view key = elf::TakeWord(&line);
    if (key == "Uid:") {
      elf::TakeWord(&line);  // real
      const auto effective = elf::ParseNumber(elf::TakeWord(&line), 10);
      has_user = effective.has_value() && *effective <= UINT32_MAX;
      owner.user = static_cast<uid_t>(effective.value_or(0));
    } else if (key == "NSpid:") {
      for (std::string_view word = elf::TakeWord(&line); !word.empty();
           word = elf::TakeWord(&line)) {
        const auto pid = elf::ParseNumber(word, 10);
        has_pid = pid.has_value() && *pid <= INT32_MAX;
        owner.pid_inside = static_cast<pid_t>(pid.value_or(0));
      }
    }
  }
  return has_user && has_pid ? std::optional(owner) : std::nullopt;
}

absl::StatusOr<ProcessOwner> ReadOwner(pid_t pid) {
  FLARE_ASSIGN(const std::string status,
               agent::ReadBegin(base::StrCat("/proc/", pid, "/status"), kStatusBytesMax));
  const std::optional<ProcessOwner> owner = ParseOwner(status);
  if (!owner.has_value())
    return absl::InvalidArgumentError(base::StrCat("/proc/", pid, "/status has no Uid or NSpid"));
  return *owner;
}

absl::Status CheckCodeFile(int file, const ProcessOwner& owner, uint64_t start_ns) {
  struct stat about = {};
  if (fstat(file, &about) != 0)
    return absl::ErrnoToStatus(errno, "cannot read a file of JIT-compiled code");
  if (about.st_uid != owner.user && about.st_uid != 0)
    return absl::PermissionDeniedError(
        base::StrCat("the file of JIT-compiled code belongs to user ", about.st_uid,
                     ", and the process to user ", owner.user));
  const int64_t booted_at = NowNs(CLOCK_REALTIME) - NowNs(CLOCK_BOOTTIME);
  if (Nanos(about.st_mtim) + kSlackNs < booted_at + static_cast<int64_t>(start_ns))
    return absl::FailedPreconditionError("the file of JIT-compiled code is older than the process");
  return absl::OkStatus();
}

}  // namespace flarestack::record::runtime
