// SPDX-License-Identifier: Apache-2.0
#include "symbol/worker/worker_child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flarestack::symbol {
namespace {

using Clock = std::chrono::steady_clock;

// The worker must not see secrets in the environment.
bool IsForWorker(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return name == "LD_LIBRARY_PATH" || name.ends_with("SAN_OPTIONS") || name.starts_with("LLVM_");
}

absl::Status Unavailable(std::string_view what, int error) {
  return absl::UnavailableError(base::StrCat("cannot ", what, ": ", std::strerror(error)));
}

absl::StatusOr<base::Descriptor> OpenInput(const std::string& path, uint64_t* bytes_left) {
  if (path.empty())
    return base::Descriptor();
  // Without O_NONBLOCK, opening a pipe could block forever.
  base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about = {};
  if (!file.is_open() || fstat(file.get(), &about) != 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", path));
  if (!S_ISREG(about.st_mode))
    return absl::InvalidArgumentError(base::StrCat(path, " is not a regular file"));
  const auto size_bytes = static_cast<uint64_t>(about.st_size);
  if (size_bytes > *bytes_left) {
    return absl::ResourceExhaustedError(base::StrCat(
        path, " has ", size_bytes, " bytes, more than the ", *bytes_left, " that may be read"));
  }
  *bytes_left -= size_bytes;
  return file;
}

// The actions between fork and exec.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    // Signals that this process ignores (such as SIGXFSZ) must still end the worker.
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    // Standard error too: a compromised worker must not write to the log of this process.
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // The worker gets `fd` as `number`.
  absl::Status Give(int fd, WorkerDescriptor number) {
    // Copy it above all fixed numbers, so that no descriptor is overwritten before it is passed on.
    base::Descriptor copy(fcntl(fd, F_DUPFD_CLOEXEC, kDescriptorsEnd));
    if (!copy.is_open())
      return Unavailable("start a reader", errno);
    posix_spawn_file_actions_adddup2(&actions_, copy.get(), number);
    copies_.push_back(std::move(copy));
    return absl::OkStatus();
  }

  // Closes this process's own descriptor with that number in the worker. Libraries open some
  // descriptors as inheritable.
  void Withhold(WorkerDescriptor number) { posix_spawn_file_actions_addclose(&actions_, number); }

  absl::StatusOr<pid_t> Run(const std::string& program, std::vector<std::string> words) {
    posix_spawn_file_actions_addclosefrom_np(&actions_, kDescriptorsEnd);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<char*> variables;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
      if (IsForWorker(*variable))
        variables.push_back(*variable);
    }
    variables.push_back(nullptr);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments.data(),
                                  variables.data());
    if (error != 0)
      return Unavailable(base::StrCat("start ", program), error);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_ = {};
  posix_spawnattr_t attributes_ = {};
  std::vector<base::Descriptor> copies_;
};

// How often to check for cancellation, and so how long a cancelled worker may keep running.
constexpr int kLookAroundMs = 200;

int MillisecondsUntil(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

}  // namespace

absl::StatusOr<WorkerInputs> OpenInputs(const SymbolFiles& files, uint64_t bytes_max) {
  WorkerInputs inputs;
  FLARE_ASSIGN(inputs.executable, OpenInput(files.executable, &bytes_max));
  FLARE_ASSIGN(inputs.debug_file, OpenInput(files.debug_file, &bytes_max));
  FLARE_ASSIGN(inputs.supplementary, OpenInput(files.supplementary, &bytes_max));
  return inputs;
}

WorkerChild::WorkerChild(WorkerChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      report_(std::move(other.report_)),
      table_(std::move(other.table_)) {}

WorkerChild::~WorkerChild() { Reap(); }

absl::StatusOr<WorkerChild> WorkerChild::Start(const std::string& program, const WorkerOrder& order,
                                               const WorkerInputs& inputs) {
  WorkerChild child;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Unavailable("make a pipe", errno);
  child.report_ = base::Descriptor(ends[0]);
  const base::Descriptor report_end(ends[1]);
  child.table_ = base::Descriptor(memfd_create("symbol-table", MFD_CLOEXEC));
  if (!child.table_.is_open())
    return Unavailable("make a file in memory", errno);
  SpawnPlan plan;
  FLARE_RETURN_IF_ERROR(plan.Give(report_end.get(), kReportDescriptor));
  FLARE_RETURN_IF_ERROR(plan.Give(child.table_.get(), kTableDescriptor));
  struct Given {
    const base::Descriptor& from;
    WorkerDescriptor as;
  };
  for (const Given& given : {Given{inputs.executable, kExecutableDescriptor},
                             Given{inputs.debug_file, kDebugFileDescriptor},
                             Given{inputs.supplementary, kSupplementaryDescriptor}}) {
    if (given.from.is_open()) {
      FLARE_RETURN_IF_ERROR(plan.Give(given.from.get(), given.as));
    } else {
      plan.Withhold(given.as);
    }
  }
  std::vector<std::string> words = ToWords(order);
  words.insert(words.begin(), {"flarestack", std::string(kWorkerCommand)});
  FLARE_ASSIGN(child.pid_, plan.Run(program, std::move(words)));
  return child;
}

ChildEnd WorkerChild::Await(std::chrono::milliseconds time_max,
                            const std::atomic<bool>& is_cancelled) {
  const Clock::time_point deadline = Clock::now() + time_max;
  ChildEnd end;
  while (true) {
    pollfd watched = {.fd = report_.get(), .events = POLLIN, .revents = 0};
    const int ready = poll(&watched, 1, std::min(MillisecondsUntil(deadline), kLookAroundMs));
    if (ready < 0 && errno == EINTR)
      continue;
    end.is_cancelled = is_cancelled;
    if (end.is_cancelled)
      break;
    if (ready <= 0 && Clock::now() >= deadline) {
      end.is_late = true;
      break;
    }
    if (ready <= 0)
      continue;
    char buffer[4096];
    const ssize_t got = read(report_.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;  // the pipe is closed: the worker has ended, or no longer acts as one
    end.report.append(buffer, static_cast<size_t>(got));
    if (end.report.size() > kReportBytesMax) {
      end.is_report_too_long = true;
      break;
    }
  }
  end.wait_status = Reap();
  return end;
}

// SIGKILL comes too late for a process that is already exiting, and does not change its wait
// status.
int WorkerChild::Reap() {
  int status = 0;
  if (pid_ <= 0)
    return status;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

absl::StatusOr<std::string> WorkerChild::ReadTable(uint64_t bytes_max) const {
  struct stat about = {};
  if (fstat(table_.get(), &about) != 0)
    return absl::ErrnoToStatus(errno, "cannot read the table");
  const auto size_bytes = static_cast<uint64_t>(about.st_size);
  if (size_bytes > bytes_max)
    return absl::ResourceExhaustedError(
        base::StrCat("the table has ", size_bytes, " bytes, more than the limit of ", bytes_max));
  std::string bytes(size_bytes, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(table_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return absl::InternalError("the table cannot be read");
    done += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace flarestack::symbol
