// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/thread_stopper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/poll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <new>
#include <optional>
#include <thread>

#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "record/process/proc/bounded_file.h"

namespace flarestack::record::agent {
namespace {

using base::testing::Eventually;

// Shared with the child.
struct Board {
  std::atomic<uint64_t> rounds;
  std::atomic<int> signals;
  std::atomic<pid_t> tid;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

Board* board = nullptr;  // also for a signal handler

[[noreturn]] void Spin() {
  for (;;)
    ++board->rounds;
}

class ThreadStopperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* const memory =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    board = new (memory) Board();
    ASSERT_EQ(pipe2(pipe_, O_CLOEXEC), 0);
  }
  void TearDown() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(pipe_[0]);
    close(pipe_[1]);
    munmap(board, sizeof(Board));
  }

  // The child exits with what the function returns.
  void Start(const std::function<int()>& run) {
    child_ = fork();
    if (child_ == 0)
      _exit(run());
    ASSERT_GT(child_, 0);
  }
  void StartSpinning() {
    Start([]() -> int { Spin(); });
    ASSERT_TRUE(Eventually([] { return board->rounds > 0; }));
    if (absl::IsPermissionDenied(Stop()))
      GTEST_SKIP() << "not permitted to trace";
  }

  absl::Status Stop() {
    return stopper().Stop({.pid = child_, .tid = child_}, [](const ThreadState&) {});
  }
  // On a busy machine it takes as long as it takes.
  ThreadStopper& stopper() {
    if (!stopper_.has_value())
      stopper_.emplace(child_, ThreadStopper::Options{.wait_max = std::chrono::minutes(1)});
    return *stopper_;
  }
  ThreadId child() const { return {.pid = child_, .tid = child_}; }

  char StateOfChild() const {
    const auto stat = ReadBegin(base::StrCat("/proc/", child_, "/stat"), 512);
    return stat.ok() ? (*stat)[stat->rfind(')') + 2] : '?';
  }
  bool RunsOn() {
    const uint64_t before = board->rounds;
    return Eventually([&] { return board->rounds != before; });
  }
  int WaitForExit() {
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    child_ = -1;
    return status;
  }

  pid_t child_ = -1;
  int pipe_[2] = {-1, -1};
  std::optional<ThreadStopper> stopper_;
};

TEST_F(ThreadStopperTest, ThreadDoesNotRunWhileItIsVisited) {
  StartSpinning();
  if (IsSkipped())
    return;
  bool is_visited = false;
  const absl::Status status = stopper().Stop(child(), [&](const ThreadState& thread) {
    is_visited = true;
    EXPECT_NE(thread.registers.pc, 0u);
    EXPECT_NE(thread.registers.regs[bpf::REG_SP], 0u);
    EXPECT_EQ(thread.registers.has_all, 1);
    EXPECT_NE(thread.thread_pointer, 0u);
    EXPECT_FALSE(thread.has_waited);
    const uint64_t before = board->rounds;
    for (int i = 0; i < 100; ++i)
      std::this_thread::yield();
    EXPECT_EQ(board->rounds, before);
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(is_visited);
  EXPECT_FALSE(stopper().has_late());
  EXPECT_TRUE(RunsOn());
}

TEST_F(ThreadStopperTest, SleepingAndMissingThreadsAreNotStopped) {
  Start([&] {
    char byte;
    return static_cast<int>(read(pipe_[0], &byte, 1));
  });
  EXPECT_TRUE(Eventually([&] { return StateOfChild() == 'S'; }));
  EXPECT_TRUE(absl::IsFailedPrecondition(Stop()));
  const absl::Status gone =
      stopper().StopAny({.pid = child_, .tid = 0x7ffffffe}, [](const ThreadState&) {});
  EXPECT_TRUE(absl::IsNotFound(gone)) << gone;
}

TEST_F(ThreadStopperTest, SignalsThatArriveMeanwhileAreDelivered) {
  Start([]() -> int {
    signal(SIGUSR1, [](int) { ++board->signals; });
    Spin();
  });
  ASSERT_TRUE(Eventually([] { return board->rounds > 0; }));
  if (absl::IsPermissionDenied(Stop()))
    GTEST_SKIP() << "not permitted to trace";
  for (int i = 1; i <= 200; ++i) {
    kill(child_, SIGUSR1);
    const absl::Status status = Stop();
    EXPECT_TRUE(status.ok()) << status;
    ASSERT_TRUE(Eventually([&] { return board->signals == i; })) << board->signals;
  }
}

TEST_F(ThreadStopperTest, SignalSentWhileAThreadIsStoppedIsDelivered) {
  Start([]() -> int {
    signal(SIGUSR1, [](int) { ++board->signals; });
    Spin();
  });
  ASSERT_TRUE(Eventually([] { return board->rounds > 0; }));
  const absl::Status status =
      stopper().Stop(child(), [&](const ThreadState&) { kill(child_, SIGUSR1); });
  if (absl::IsPermissionDenied(status))
    GTEST_SKIP() << "not permitted to trace";
  EXPECT_TRUE(Eventually([] { return board->signals == 1; }));
}

TEST_F(ThreadStopperTest, StoppedProcessStaysStopped) {
  StartSpinning();
  if (IsSkipped())
    return;
  kill(child_, SIGSTOP);
  ASSERT_EQ(waitpid(child_, nullptr, WUNTRACED), child_);
  EXPECT_TRUE(stopper().StopAny(child(), [](const ThreadState&) {}).ok());
  EXPECT_TRUE(Eventually([&] { return StateOfChild() == 'T'; }));
  kill(child_, SIGCONT);
  EXPECT_TRUE(RunsOn());
}

TEST_F(ThreadStopperTest, InterruptedSystemCallsStartAgain) {
  const std::function<int()> calls[] = {
    [&] {
      char byte;
      return read(pipe_[0], &byte, 1) == 1 ? 0 : errno;
    },
    [&] {
      pollfd one = {.fd = pipe_[0], .events = POLLIN, .revents = 0};
      return poll(&one, 1, 600'000) == 1 ? 0 : errno;
    },
#if defined(__x86_64__)
    // Elsewhere the kernel does not report enough to start it again.
    [&] {
      const int epoll = epoll_create1(0);
      epoll_event event = {};
      event.events = EPOLLIN;
      epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_[0], &event);
      return epoll_wait(epoll, &event, 1, -1) == 1 ? 0 : errno;
    },
#endif
  };
  for (const auto& call : calls) {
    Start(call);
    stopper_.reset();
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(Eventually([&] { return StateOfChild() == 'S'; }));
      const absl::Status status = stopper().StopAny(
          child(), [](const ThreadState& thread) { EXPECT_TRUE(thread.has_waited); });
      if (absl::IsPermissionDenied(status))
        GTEST_SKIP() << "not permitted to trace";
      EXPECT_TRUE(status.ok()) << status;
    }
    ASSERT_EQ(write(pipe_[1], "x", 1), 1);
    EXPECT_EQ(WEXITSTATUS(WaitForExit()), 0);
    pollfd rest = {.fd = pipe_[0], .events = POLLIN, .revents = 0};
    char byte;
    if (poll(&rest, 1, 0) == 1) {
      ASSERT_EQ(read(pipe_[0], &byte, 1), 1);
    }
  }
}

TEST_F(ThreadStopperTest, ExitOfTheChildIsLeftToItsParent) {
  StartSpinning();
  if (IsSkipped())
    return;
  EXPECT_TRUE(stopper().Stop(child(), [&](const ThreadState&) { kill(child_, SIGKILL); }).ok());
  EXPECT_TRUE(Eventually([&] {
    stopper().ReleaseLate();
    return !stopper().has_late();
  }));
  const int status = WaitForExit();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

// Its process cannot end before its tracer has seen it end.
TEST_F(ThreadStopperTest, ThreadThatIsKilledDoesNotHoldItsProcess) {
  Start([]() -> int {
    pthread_t thread;
    const auto run = [](void*) -> void* {
      board->tid = static_cast<pid_t>(syscall(SYS_gettid));
      Spin();
    };
    pthread_create(&thread, nullptr, run, nullptr);
    pthread_join(thread, nullptr);
    return 0;
  });
  ASSERT_TRUE(Eventually([] { return board->rounds > 0; }));
  const absl::Status status = stopper().Stop({.pid = child_, .tid = board->tid},
                                             [&](const ThreadState&) { kill(child_, SIGKILL); });
  if (absl::IsPermissionDenied(status))
    GTEST_SKIP() << "not permitted to trace";
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(Eventually([&] {
    stopper().ReleaseLate();
    return !stopper().has_late();
  }));
  EXPECT_TRUE(WIFSIGNALED(WaitForExit()));
}

// A thread in vfork stops when its child has ended.
TEST_F(ThreadStopperTest, ThreadThatStopsLateIsReleased) {
  Start([&] {
    const pid_t grandchild = vfork();
    if (grandchild == 0) {
      char byte;
      syscall(SYS_read, pipe_[0], &byte, 1);
      _exit(0);
    }
    return 42;
  });
  ASSERT_TRUE(Eventually([&] { return StateOfChild() == 'D'; }));
  stopper_.emplace(child_, ThreadStopper::Options{.wait_max = std::chrono::milliseconds(1)});
  const absl::Status status = stopper().StopAny(child(), [](const ThreadState&) {});
  if (absl::IsPermissionDenied(status))
    GTEST_SKIP() << "not permitted to trace";
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_TRUE(stopper().has_late());
  ASSERT_EQ(write(pipe_[1], "x", 1), 1);
  EXPECT_TRUE(Eventually([&] {
    stopper().ReleaseLate();
    return !stopper().has_late();
  }));
  EXPECT_EQ(WEXITSTATUS(WaitForExit()), 42);
}

TEST_F(ThreadStopperTest, ThreadThatAnotherProgramTracesIsLeftAlone) {
  Start([]() -> int {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    Spin();
  });
  ASSERT_TRUE(Eventually([] { return board->rounds > 0; }));
  const absl::Status status = Stop();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_TRUE(RunsOn());
}

}  // namespace
}  // namespace flarestack::record::agent
