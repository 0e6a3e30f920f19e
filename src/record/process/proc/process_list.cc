// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_list.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "base/clock.h"
#include "base/status.h"
#include "base/text/text.h"
#include "elf/text_fields.h"
#include "record/process/proc/bounded_file.h"

namespace flarestack::record::agent {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Returns the numeric entries, at most one more than `count_max`.
absl::StatusOr<std::vector<pid_t>> ListNumbers(const std::string& path, size_t count_max) {
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  if (folder == nullptr)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot list ", path));
  std::vector<pid_t> numbers;
  // One thread reads the directory, as readdir requires.
  while (const dirent* entry = readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::optional<uint64_t> number = elf::ParseNumber(entry->d_name, 10);
    if (!number.has_value() || *number > INT32_MAX)
      continue;
    numbers.push_back(static_cast<pid_t>(*number));
    if (numbers.size() > count_max)
      break;
  }
  return numbers;
}

uint64_t TickNanos() {
  static const uint64_t kNanos =
      base::kNanosPerSecond / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  return kNanos;
}

// Fields of /proc/PID/stat, counted from 1 as in its manual page. The name is the second.
constexpr int kParentField = 4;
constexpr int kStartField = 22;

std::optional<uint64_t> ParseStatField(std::string_view stat, int wanted) {
  constexpr int kFirstFieldAfterName = 3;
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos)
    return std::nullopt;
  std::string_view rest = stat.substr(name_end + 1);
  for (int field = kFirstFieldAfterName; field < wanted; ++field)
    elf::TakeWord(&rest);
  return elf::ParseNumber(elf::TakeWord(&rest), 10);
}

absl::StatusOr<std::string> ReadStat(pid_t pid) {
  constexpr size_t kStatBytesMax = 4096;
  return ReadBegin(base::StrCat("/proc/", pid, "/stat"), kStatBytesMax);
}

constexpr size_t kEnvironmentBytesMax = 1 << 20;
constexpr size_t kCommandLineBytesMax = 64 << 10;

// Returns the target of a link in /proc; empty if it cannot be read.
std::string ReadProcLink(const std::string& link) {
  std::string path(PATH_MAX, '\0');
  const ssize_t bytes = readlink(link.c_str(), path.data(), path.size());
  path.resize(static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
  return path;
}

}  // namespace

absl::StatusOr<std::vector<pid_t>> ListProcesses(size_t processes_max) {
  FLARE_ASSIGN(std::vector<pid_t> processes, ListNumbers("/proc", processes_max));
  if (processes.size() > processes_max) {
    return absl::ResourceExhaustedError(
        base::StrCat("more processes than the limit of ", processes_max));
  }
  return processes;
}

absl::StatusOr<std::vector<pid_t>> ListThreads(pid_t pid, size_t threads_max) {
  FLARE_ASSIGN(std::vector<pid_t> threads,
               ListNumbers(base::StrCat("/proc/", pid, "/task"), threads_max));
  if (threads.size() > threads_max)
    threads.resize(threads_max);
  return threads;
}

absl::StatusOr<std::string> ThreadName(pid_t pid, pid_t tid) {
  constexpr size_t kNameBytesMax = 64;  // names of kernel workers are longer than 15
  FLARE_ASSIGN(std::string name,
               ReadBegin(base::StrCat("/proc/", pid, "/task/", tid, "/comm"), kNameBytesMax));
  if (name.ends_with('\n'))
    name.pop_back();
  return name;
}

std::optional<uint64_t> ParseStartTicks(std::string_view stat) {
  return ParseStatField(stat, kStartField);
}

absl::StatusOr<uint64_t> StartTime(pid_t pid) {
  FLARE_ASSIGN(const std::string stat, ReadStat(pid));
  const std::optional<uint64_t> ticks = ParseStartTicks(stat);
  if (!ticks.has_value() || *ticks > UINT64_MAX / TickNanos())
    return absl::InvalidArgumentError(base::StrCat("/proc/", pid, "/stat has no start time"));
  return *ticks * TickNanos();
}

absl::StatusOr<pid_t> ParentOf(pid_t pid) {
  FLARE_ASSIGN(const std::string stat, ReadStat(pid));
  const std::optional<uint64_t> parent = ParseStatField(stat, kParentField);
  if (!parent.has_value() || *parent > INT32_MAX)
    return absl::InvalidArgumentError(base::StrCat("/proc/", pid, "/stat has no parent"));
  return static_cast<pid_t>(*parent);
}

bool IsSameStart(uint64_t kernel_ns, uint64_t stat_ns) {
  return kernel_ns >= stat_ns && kernel_ns - stat_ns < TickNanos();
}

absl::StatusOr<ProcessTexts> ReadProcessTexts(pid_t pid) {
  ProcessTexts texts;
  FLARE_ASSIGN(texts.thread_name, ThreadName(pid, pid));
  const std::string folder = base::StrCat("/proc/", pid, "/");
  texts.environment = ReadBegin(folder + "environ", kEnvironmentBytesMax).value_or("");
  texts.command_line = ReadBegin(folder + "cmdline", kCommandLineBytesMax).value_or("");
  texts.executable = ReadExecutable(pid);
  texts.working_directory = ReadProcLink(folder + "cwd");
  return texts;
}

std::string ReadExecutable(pid_t pid) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::string path = ReadProcLink(base::StrCat("/proc/", pid, "/exe"));
  if (path.ends_with(kDeleted))
    path.resize(path.size() - kDeleted.size());
  return path;
}

}  // namespace flarestack::record::agent
