// SPDX-License-Identifier: Apache-2.0
//
// Tries forbidden actions in child processes.
#include "symbol/worker/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <new>
#include <string>

#include "base/sanitized.h"

namespace flarestack::symbol {
namespace {

constexpr int kFine = 42;
constexpr int kNoFilter = 43;  // the kernel has no filters

// Runs `work` in a child and returns how it ended: "exit 42", "signal 31".
std::string EndOf(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(kFine);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit " + std::to_string(WEXITSTATUS(status));
}

std::string EndOfFiltered(const std::function<void()>& work) {
  return EndOf([&work] {
    if (!LimitProcess({}).ok())
      _exit(1);
    if (const absl::Status status = FilterSystemCalls(); !status.ok())
      _exit(absl::IsUnimplemented(status) ? kNoFilter : 2);
    work();
  });
}

std::string Exit(int code) { return "exit " + std::to_string(code); }
std::string Signal(int number) { return "signal " + std::to_string(number); }

class SandboxFilterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (EndOfFiltered([] {}) == Exit(kNoFilter))
      GTEST_SKIP() << "this kernel has no seccomp filters";
  }
};

TEST_F(SandboxFilterTest, AllowsMemoryAndOpenDescriptors) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(EndOfFiltered([&ends] {
              std::string text(64 << 20, 'x');
              text.resize(128 << 20);
              if (write(ends[1], text.data(), 1) != 1)
                _exit(1);
            }),
            Exit(kFine));
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  close(ends[0]);
  close(ends[1]);
}

TEST_F(SandboxFilterTest, HidesOtherFiles) {
  EXPECT_EQ(EndOfFiltered([] {
              if (open("/proc/self/maps", O_RDONLY | O_CLOEXEC) >= 0 || errno != ENOENT)
                _exit(1);
              if (access("/", F_OK) == 0 || errno != ENOENT)
                _exit(2);
            }),
            Exit(kFine));
}

TEST_F(SandboxFilterTest, ForbiddenSystemCallKills) {
  EXPECT_EQ(EndOfFiltered([] { socket(AF_INET, SOCK_STREAM, 0); }), Signal(SIGSYS));
  EXPECT_EQ(EndOfFiltered([] { fork(); }), Signal(SIGSYS));
  EXPECT_EQ(EndOfFiltered([] { unlink("/nothing"); }), Signal(SIGSYS));
  EXPECT_EQ(EndOfFiltered([] { kill(getppid(), 0); }), Signal(SIGSYS));
  EXPECT_EQ(EndOfFiltered([] { execl("/bin/true", "true", nullptr); }), Signal(SIGSYS));
  EXPECT_EQ(EndOfFiltered([] {
              mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            }),
            Signal(SIGSYS));
  EXPECT_EQ(EndOfFiltered([] {
              void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              mprotect(page, 4096, PROT_READ | PROT_EXEC);
            }),
            Signal(SIGSYS));
}

TEST_F(SandboxFilterTest, AbortStaysAnAbort) {
  EXPECT_EQ(EndOfFiltered([] { std::abort(); }), Signal(SIGABRT));
}

TEST(SandboxTest, LimitsMemory) {
  if (base::kIsSanitized)
    GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  const auto map = [](size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
           MAP_FAILED;
  };
  EXPECT_EQ(EndOf([&map] {
              if (!LimitProcess({.memory_bytes = 64 << 20}).ok() || !map(48 << 20))
                _exit(1);
              if (map(48 << 20))
                _exit(2);
            }),
            Exit(kFine));
}

TEST(SandboxTest, LimitsFileSize) {
  const int fd = memfd_create("written", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(EndOf([fd] {
              signal(SIGXFSZ, SIG_DFL);
              const std::string text(2000, 'x');
              if (!LimitProcess({.file_bytes = 1000}).ok() || write(fd, text.data(), 1000) != 1000)
                _exit(1);
              if (write(fd, text.data(), 1) >= 0)
                _exit(2);
            }),
            Signal(SIGXFSZ));
  close(fd);
}

TEST(SandboxTest, LimitsTime) {
  EXPECT_EQ(EndOf([] {
              if (!LimitProcess({.cpu_seconds = 0}).ok())
                _exit(1);
              for (std::atomic<uint64_t> i = 0; true; ++i) {
              }
            }),
            Signal(SIGXCPU));
}

TEST(SandboxTest, PreventsOpeningFiles) {
  EXPECT_EQ(EndOf([] {
              if (!LimitProcess({}).ok())
                _exit(1);
              if (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 || errno != EMFILE)
                _exit(2);
            }),
            Exit(kFine));
}

TEST(SandboxTest, DetectsAnotherParent) {
  const pid_t own = getpid();
  EXPECT_EQ(EndOf([own] { _exit(EndWithParent(own).ok() ? kFine : 1); }), Exit(kFine));
  EXPECT_EQ(EndOf([own] { _exit(absl::IsAborted(EndWithParent(own + 1)) ? kFine : 1); }),
            Exit(kFine));
}

}  // namespace
}  // namespace flarestack::symbol
