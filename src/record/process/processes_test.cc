// SPDX-License-Identifier: Apache-2.0
#include "record/process/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/process/proc/process_list.h"
#include "record/testing/memory_tables.h"
#include "record/testing/recording_here.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Time kNow{seconds(1000)};

// Above the largest pid of Linux.
constexpr uint32_t kNobody = (1u << 22) + 7;

std::string Ranges(const Process& process) {
  std::string text;
  for (const bpf::code_mapping& mapping : process.mappings) {
    char range[64];
    snprintf(range, sizeof(range), "%lx-%lx ", static_cast<unsigned long>(mapping.start),
             static_cast<unsigned long>(mapping.end));
    text += range;
  }
  return text;
}

uint64_t OwnCode() { return reinterpret_cast<uint64_t>(&Ranges); }

class ProcessesTest : public ::testing::Test {
 protected:
  template <typename What>
  void Apply(const What& what, Time now = kNow) {
    processes_.Apply({.time_ns = 0, .cpu = 0, .what = what}, now);
  }

  static MmapEvent Memory(uint64_t start, uint64_t length) {
    return {.pid = kNobody,
            .tid = kNobody,
            .start = start,
            .length = length,
            .prot = PROT_EXEC,
            .path = "//anon"};
  }

  Process* Own() {
    const auto start = StartTime(getpid());
    EXPECT_TRUE(start.ok());
    return processes_.Find(getpid(), start.value_or(0));
  }

  testing::MemoryTables tables_;
  CodeFiles files_{tables_.tables()};
  Processes processes_{nullptr, &files_};
};

TEST_F(ProcessesTest, ScanFindsThisProcessAndItsCode) {
  processes_.ScanAll(kNow);
  const Process* const own = Own();
  ASSERT_NE(own, nullptr);
  const bpf::code_mapping* const mapping = own->FindMapping(OwnCode());
  ASSERT_NE(mapping, nullptr);
  ASSERT_NE(mapping->file, NO_FILE);
  char executable[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", executable, sizeof(executable) - 1), 0);
  EXPECT_EQ(files_.file(mapping->file).path, executable);
  EXPECT_EQ(own->executable, executable);
  EXPECT_EQ(own->command, ThreadName(getpid(), getpid()).value_or("?"));
  const uint64_t in_file = OwnCode() - mapping->bias;
  EXPECT_GE(in_file, files_.file(mapping->file).code_begin);
  EXPECT_LT(in_file, files_.file(mapping->file).code_end);
  EXPECT_EQ(own->FindMapping(0), nullptr);
}

// A process with a mapping without a file counts as a JIT compiler, and unknown addresses count as
// its code. A library mapped a moment ago would then truncate its stacks.
TEST_F(ProcessesTest, CodeOfThisProcessIsAllInFiles) {
  processes_.Learn(getpid(), kNow);
  ASSERT_NE(Own(), nullptr);
  for (const bpf::code_mapping& mapping : Own()->mappings)
    EXPECT_NE(mapping.file, NO_FILE) << std::hex << mapping.start;
}

TEST_F(ProcessesTest, ProcessWithAnotherStartTimeIsANewProcess) {
  processes_.Learn(getpid(), kNow);
  ASSERT_NE(Own(), nullptr);
  EXPECT_EQ(processes_.Find(getpid(), Own()->start_ns + 1'000'000'000), nullptr);
  EXPECT_EQ(processes_.Find(1 << 23, 0), nullptr);
}

TEST_F(ProcessesTest, NewMappingTruncatesOlderOnes) {
  Apply(Memory(0x1000, 0x1000));
  Apply(Memory(0x4000, 0x4000));
  Process* const process = processes_.Find(kNobody, 1);
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(Ranges(*process), "1000-2000 4000-8000 ");
  Apply(Memory(0x5000, 0x1000));
  EXPECT_EQ(Ranges(*process), "1000-2000 4000-5000 5000-6000 6000-8000 ");
  Apply(Memory(0x1800, 0x3000));
  EXPECT_EQ(Ranges(*process), "1000-1800 1800-4800 4800-5000 5000-6000 6000-8000 ");
  Apply(Memory(0x0, 0x10000));
  EXPECT_EQ(Ranges(*process), "0-10000 ");
}

TEST_F(ProcessesTest, IgnoresMappingsWithoutCode) {
  MmapEvent data = Memory(0x1000, 0x1000);
  data.prot = PROT_READ;
  Apply(data);
  Apply(Memory(0x1000, 0));
  EXPECT_EQ(processes_.count(), 0u);
}

TEST_F(ProcessesTest, ChildStartsWithTheMappingsOfItsParent) {
  processes_.Learn(getpid(), kNow);
  const std::string before = Ranges(*Own());
  const size_t files = files_.count();
  const auto parent = static_cast<uint32_t>(getpid());
  Apply(ForkEvent{.pid = kNobody, .ppid = parent, .tid = kNobody, .ptid = parent});
  Process* const child = processes_.Find(kNobody, 1);
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(Ranges(*child), before);
  EXPECT_EQ(child->command, Own()->command);
  EXPECT_EQ(files_.count(), files);
  // A thread is not a process.
  Apply(ForkEvent{.pid = parent, .ppid = parent, .tid = kNobody + 1, .ptid = parent});
  EXPECT_EQ(processes_.Find(kNobody + 1, 1), nullptr);
}

TEST_F(ProcessesTest, NewProgramStartsWithoutMappings) {
  processes_.Learn(getpid(), kNow);
  const auto parent = static_cast<uint32_t>(getpid());
  Apply(ForkEvent{.pid = kNobody, .ppid = parent, .tid = kNobody, .ptid = parent});
  Process* const child = processes_.Find(kNobody, 1);
  const uint64_t generation = child->generation;
  Apply(CommEvent{.pid = kNobody, .tid = kNobody, .name = "other", .is_exec = true});
  EXPECT_EQ(Ranges(*child), "");
  EXPECT_EQ(child->command, "other");
  EXPECT_EQ(child->executable, "");
  EXPECT_NE(child->generation, generation);
}

// The exec event is missing, so this process is assumed to run its parent's program.
TEST_F(ProcessesTest, FindsANewProgramAfterALostExecEvent) {
  MmapEvent program = Memory(0x1000, 0x1000);
  program.path = "/opt/parent";
  Apply(program);
  Apply(CommEvent{.pid = kNobody, .tid = kNobody, .name = "parent"});
  const auto own = static_cast<uint32_t>(getpid());
  Apply(ForkEvent{.pid = own, .ppid = kNobody, .tid = own, .ptid = kNobody});
  ASSERT_NE(Own(), nullptr);
  EXPECT_EQ(Own()->executable, "/opt/parent");
  const uint64_t generation = Own()->generation;
  processes_.Learn(getpid(), kNow);
  char executable[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", executable, sizeof(executable) - 1), 0);
  EXPECT_EQ(Own()->executable, executable);
  EXPECT_EQ(Own()->command, ThreadName(getpid(), getpid()).value_or("?"));
  EXPECT_NE(Own()->generation, generation);
  const uint64_t known = Own()->generation;
  processes_.Learn(getpid(), kNow + seconds(100));
  EXPECT_EQ(Own()->generation, known);
}

TEST_F(ProcessesTest, OnlyTheFirstThreadNamesAProcess) {
  Apply(Memory(0x1000, 0x1000));
  Apply(CommEvent{.pid = kNobody, .tid = kNobody + 1, .name = "thread", .is_exec = false});
  EXPECT_EQ(processes_.Find(kNobody, 1)->command, "");
  Apply(CommEvent{.pid = kNobody, .tid = kNobody, .name = "name", .is_exec = false});
  EXPECT_EQ(processes_.Find(kNobody, 1)->command, "name");
}

TEST_F(ProcessesTest, EndedProcessStaysKnownForAWhile) {
  Apply(Memory(0x1000, 0x1000));
  Apply(ExitEvent{.pid = kNobody, .ppid = 1, .tid = kNobody + 1, .ptid = 1});
  Apply(ExitEvent{.pid = kNobody, .ppid = 1, .tid = kNobody, .ptid = 1});
  processes_.Sweep(kNow + milliseconds(2999));
  EXPECT_NE(processes_.Find(kNobody, 1), nullptr);
  processes_.Sweep(kNow + milliseconds(3000));
  EXPECT_EQ(processes_.Find(kNobody, 1), nullptr);
  EXPECT_EQ(processes_.count(), 0u);
}

TEST_F(ProcessesTest, ReleasesTheFilesOfAnEvictedProcess) {
  processes_.Learn(getpid(), kNow);
  const auto parent = static_cast<uint32_t>(getpid());
  Apply(ForkEvent{.pid = kNobody, .ppid = parent, .tid = kNobody, .ptid = parent});
  Apply(CommEvent{.pid = parent, .tid = parent, .name = "other", .is_exec = true});
  EXPECT_GT(files_.count(), 0u) << "the child has them";
  Apply(ExitEvent{.pid = kNobody, .ppid = parent, .tid = kNobody, .ptid = parent});
  processes_.Sweep(kNow + seconds(10));
  EXPECT_EQ(files_.count(), 0u);
}

TEST_F(ProcessesTest, ReusedPidIsANewProcess) {
  Apply(Memory(0x1000, 0x1000));
  const uint64_t generation = processes_.Find(kNobody, 1)->generation;
  Apply(ForkEvent{.pid = kNobody, .ppid = kNobody + 1, .tid = kNobody, .ptid = kNobody + 1});
  EXPECT_EQ(Ranges(*processes_.Find(kNobody, 1)), "");
  EXPECT_NE(processes_.Find(kNobody, 1)->generation, generation);
}

// Learn reads /proc, and JIT-compiled code would trigger it with each sample.
TEST_F(ProcessesTest, RelearningBacksOff) {
  processes_.Learn(getpid(), kNow);
  const auto map = [](bool* is_new) {
    void* const code =
        mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *is_new = code != MAP_FAILED;
    return reinterpret_cast<uint64_t>(code);
  };
  bool is_mapped = false;
  const uint64_t code = map(&is_mapped);
  ASSERT_TRUE(is_mapped);
  processes_.Learn(getpid(), kNow + milliseconds(99));
  EXPECT_EQ(Own()->FindMapping(code), nullptr);
  processes_.Learn(getpid(), kNow + milliseconds(100));
  ASSERT_NE(Own()->FindMapping(code), nullptr);
  EXPECT_EQ(Own()->FindMapping(code)->file, NO_FILE);
  munmap(reinterpret_cast<void*>(code), 4096);
  processes_.Learn(getpid(), kNow + milliseconds(299));
  EXPECT_NE(Own()->FindMapping(code), nullptr) << "now it waits for 200 ms";
  processes_.Learn(getpid(), kNow + milliseconds(300));
  EXPECT_EQ(Own()->FindMapping(code), nullptr);
}

// Traces are read some time after they were taken.
TEST_F(ProcessesTest, FormerProgramStaysKnownForAWhile) {
  processes_.Learn(getpid(), kNow);
  const uint32_t slot = Own()->FindMapping(OwnCode())->file;
  const std::string executable = Own()->executable;
  const uint64_t generation = Own()->generation;
  const auto pid = static_cast<uint32_t>(getpid());
  const CommEvent exec = {.pid = pid, .tid = pid, .name = "other", .is_exec = true};
  processes_.Apply({.time_ns = 5000, .cpu = 0, .what = exec}, kNow);
  EXPECT_EQ(Own()->FindMapping(OwnCode()), nullptr);
  EXPECT_EQ(Own()->FormerAt(5000), nullptr);
  const FormerProgram* const former = Own()->FormerAt(4999);
  ASSERT_NE(former, nullptr);
  EXPECT_EQ(former->executable, executable);
  EXPECT_EQ(former->generation, generation);
  ASSERT_NE(FindMapping(former->mappings, OwnCode()), nullptr);
  EXPECT_EQ(FindMapping(former->mappings, OwnCode())->file, slot);
  EXPECT_TRUE(files_.Has(slot));
  processes_.Sweep(kNow + seconds(2));
  EXPECT_NE(Own()->FormerAt(4999), nullptr);
  processes_.Sweep(kNow + seconds(4));
  EXPECT_EQ(Own()->FormerAt(4999), nullptr);
  EXPECT_FALSE(files_.Has(slot)) << "no reference is left";
}

// A zombie process has no mappings in /proc.
TEST_F(ProcessesTest, EndedProcessKeepsItsMappings) {
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  siginfo_t ended = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  MmapEvent memory = Memory(0x10000, 0x1000);
  memory.pid = static_cast<uint32_t>(child);
  Apply(memory);
  processes_.Learn(child, kNow);
  EXPECT_EQ(Ranges(*processes_.FindAny(child)), "10000-11000 ");
  waitpid(child, nullptr, 0);
}

TEST_F(ProcessesTest, LimitsTheNumberOfFormerPrograms) {
  for (uint64_t i = 1; i <= 100; ++i) {
    const CommEvent exec = {.pid = kNobody, .tid = kNobody, .name = "next", .is_exec = true};
    processes_.Apply({.time_ns = i * 100, .cpu = 0, .what = exec}, kNow);
  }
  const Process* const process = processes_.FindAny(static_cast<pid_t>(kNobody));
  ASSERT_NE(process, nullptr);
  EXPECT_LE(process->formers.size(), 4u);
  EXPECT_EQ(process->FormerAt(9950)->until_ns, 10000u);
}

TEST(PublishedProcessesTest, CountsMappingsThatDoNotFitInTheKernel) {
  if (const std::string why = testing::WhyNoRecording(); !why.empty())
    GTEST_SKIP() << why;
  auto kernel = KernelSide::Load({});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  testing::MemoryTables tables;
  CodeFiles files(tables.tables());
  Processes processes(kernel->get(), &files);
  for (uint64_t i = 0; i < bpf::MAPPINGS_PER_CHUNK + 5; ++i) {
    const MmapEvent memory = {.pid = static_cast<uint32_t>(getpid()),
                              .tid = static_cast<uint32_t>(getpid()),
                              .start = 0x10000 + i * 0x2000,
                              .length = 0x1000,
                              .prot = PROT_EXEC,
                              .path = "//anon"};
    processes.Apply({.time_ns = 0, .cpu = 0, .what = memory}, kNow);
  }
  processes.Publish(kNow);
  EXPECT_EQ(processes.mappings_left_out(), 5u);
  // A mapping that covers all others.
  const MmapEvent all = {.pid = static_cast<uint32_t>(getpid()),
                         .tid = static_cast<uint32_t>(getpid()),
                         .start = 0,
                         .length = uint64_t{1} << 40,
                         .prot = PROT_EXEC,
                         .path = "//anon"};
  processes.Apply({.time_ns = 0, .cpu = 0, .what = all}, kNow);
  processes.Publish(kNow);
  EXPECT_EQ(processes.mappings_left_out(), 0u);
}

}  // namespace
}  // namespace flarestack::record::agent
