// SPDX-License-Identifier: Apache-2.0
#include "symbol/worker/sandbox.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>

#include "base/sanitized.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::symbol {
namespace {

constexpr int kAllowed[] = {
    // Open descriptors.
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
    SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(close), SCMP_SYS(ftruncate),
    // Memory; mmap and mprotect have separate rules.
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise),
    // Locks, time and random numbers.
    SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
    SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(getrandom),
    // Signals to itself, and exit.
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
    // Process identity, which libraries query.
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid), SCMP_SYS(sched_getaffinity)};

constexpr int kNoSuchFile[] = {SCMP_SYS(open),     SCMP_SYS(openat),    SCMP_SYS(stat),
                               SCMP_SYS(lstat),    SCMP_SYS(statx),     SCMP_SYS(newfstatat),
                               SCMP_SYS(access),   SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
                               SCMP_SYS(readlink), SCMP_SYS(readlinkat)};

absl::Status SetLimit(__rlimit_resource resource, uint64_t value, std::string_view what) {
  // The current hard limit may be lower, and cannot be raised.
  rlimit limit = {};
  if (getrlimit(resource, &limit) == 0)
    value = std::min<uint64_t>(value, limit.rlim_max);
  // For CPU time the hard limit is one second higher, because the kernel sends SIGXCPU only for the
  // soft limit.
  const bool has_more = resource == RLIMIT_CPU && value < limit.rlim_max;
  limit = {.rlim_cur = value, .rlim_max = has_more ? value + 1 : value};
  if (setrlimit(resource, &limit) != 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot limit ", what, " to ", value));
  return absl::OkStatus();
}

// Returns 0 if unknown; the limit then does not include what is already mapped.
uint64_t AddressSpaceBytes() {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  char text[64];
  const ssize_t got = read(fd, text, sizeof(text));
  close(fd);
  uint64_t pages = 0;
  std::from_chars(text, text + std::max<ssize_t>(got, 0), pages);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

struct ReleaseFilter {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, ReleaseFilter>;

// A call that this architecture does not have (open on arm64) needs no rule.
int Worst(int one, int other) { return one == 0 || one == -EDOM ? other : one; }

int AddRules(scmp_filter_ctx filter) {
  int result = 0;
  for (const int call : kAllowed)
    result = Worst(result, seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0));
  for (const int call : kNoSuchFile)
    result = Worst(result, seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOENT), call, 0));
  const scmp_arg_cmp not_to_run = {
      .arg = 2, .op = SCMP_CMP_MASKED_EQ, .datum_a = PROT_EXEC, .datum_b = 0};
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    result = Worst(result, seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &not_to_run));
  // abort() sends a signal to its own process.
  const scmp_arg_cmp to_itself = {
      .arg = 0, .op = SCMP_CMP_EQ, .datum_a = static_cast<scmp_datum_t>(getpid()), .datum_b = 0};
  return Worst(result,
               seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &to_itself));
}

}  // namespace

absl::Status LimitProcess(const SandboxLimits& limits) {
  FLARE_RETURN_IF_ERROR(SetLimit(RLIMIT_CORE, 0, "core files"));
  FLARE_RETURN_IF_ERROR(SetLimit(RLIMIT_FSIZE, limits.file_bytes, "files"));
  FLARE_RETURN_IF_ERROR(
      SetLimit(RLIMIT_CPU, std::max<uint64_t>(limits.cpu_seconds, 1), "CPU seconds"));
  if (!base::kIsSanitized) {
    const uint64_t mapped = AddressSpaceBytes();
    const uint64_t bytes = mapped + std::min(limits.memory_bytes, UINT64_MAX - mapped);
    FLARE_RETURN_IF_ERROR(SetLimit(RLIMIT_AS, bytes, "address space"));
  }
  FLARE_RETURN_IF_ERROR(SetLimit(RLIMIT_NOFILE, 0, "open files"));
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return absl::ErrnoToStatus(errno, "cannot set no_new_privs");
  return absl::OkStatus();
}

absl::Status EndWithParent(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return absl::ErrnoToStatus(errno, "cannot set the parent death signal");
  // The parent may have exited before prctl().
  if (getppid() != parent)
    return absl::AbortedError("parent process exited");
  return absl::OkStatus();
}

absl::Status FilterSystemCalls() {
  const Filter filter(seccomp_init(SCMP_ACT_KILL_PROCESS));
  if (filter == nullptr)
    return absl::UnimplementedError("seccomp filters are not supported on this machine");
  if (const int error = AddRules(filter.get()); error != 0 && error != -EDOM)
    return absl::InternalError(
        base::StrCat("cannot build the seccomp filter: ", std::strerror(-error)));
  if (const int error = seccomp_load(filter.get()); error != 0)
    return absl::UnimplementedError(
        base::StrCat("the kernel rejected the seccomp filter: ", std::strerror(-error)));
  return absl::OkStatus();
}

}  // namespace flarestack::symbol
