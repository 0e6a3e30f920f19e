// SPDX-License-Identifier: Apache-2.0
#include "record/trace/trace_assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>

#include "record/process/proc/process_list.h"
#include "record/testing/memory_tables.h"
#include "record/testing/messages.h"
#include "record/unwind/testing/own_process.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;
using testing::ContextMessage;
using ::testing::ElementsAre;
using testing::GoroutineMessage;
using testing::StackMessage;
using testing::TraceMessage;
using testing::WaitEndMessage;

const Time kNow{std::chrono::seconds(1000)};

class TraceAssemblerTest : public ::testing::Test, private TraceVisitor {
 protected:
  void Add(std::string_view message) { assembler_.Add(message, kNow); }

  static bpf::message_head Head(uint32_t tid, uint64_t time_ns) {
    return {.kind = 0, .tid = tid, .time_ns = time_ns};
  }

  std::vector<uint64_t> Times() const {
    std::vector<uint64_t> times;
    for (const Trace& trace : traces_)
      times.push_back(trace.time_ns);
    return times;
  }

  testing::MemoryTables tables_{{.row_chunks = 128}};
  CodeFiles files_{tables_.tables()};
  Processes processes_{nullptr, &files_};
  TraceAssembler assembler_{&processes_, &files_, /*runtimes=*/nullptr, this};
  std::vector<Trace> traces_;
  std::vector<WaitEnd> ends_;
  size_t traces_at_end_ = 0;  // delivered before the last wait ended

 private:
  void OnTrace(const Trace& trace) override { traces_.push_back(trace); }
  void OnWaitEnd(const WaitEnd& end) override {
    ends_.push_back(end);
    traces_at_end_ = traces_.size();
  }
};

TEST_F(TraceAssemblerTest, EmitsACompleteTraceImmediately) {
  Add(TraceMessage({.pid = 10,
                    .tid = 11,
                    .time_ns = 100,
                    .start_time_ns = 50,
                    .origin = bpf::ORIGIN_OFF_CPU,
                    .wait = bpf::WAIT_LOCK,
                    .end = bpf::UNWIND_NO_RULE,
                    .probability = 512,
                    .comm = "sixteen bytes...",
                    .kernel = {1, 2},
                    .user = {3, 4, 5}}));
  ASSERT_EQ(traces_.size(), 1u);
  const Trace& trace = traces_[0];
  EXPECT_EQ(trace.pid, 10u);
  EXPECT_EQ(trace.tid, 11u);
  EXPECT_EQ(trace.time_ns, 100u);
  EXPECT_EQ(trace.start_time_ns, 50u);
  EXPECT_EQ(trace.cgroup_id, 7u);
  EXPECT_EQ(trace.cpu, 3u);
  EXPECT_EQ(trace.probability, 512u);
  EXPECT_EQ(trace.origin, bpf::ORIGIN_OFF_CPU);
  EXPECT_EQ(trace.wait, bpf::WAIT_LOCK);
  EXPECT_EQ(trace.end, bpf::UNWIND_NO_RULE);
  EXPECT_EQ(trace.comm, "sixteen bytes...");
  EXPECT_THAT(trace.kernel_frames, ElementsAre(1, 2));
  EXPECT_THAT(trace.user_frames, ElementsAre(3, 4, 5));
  EXPECT_EQ(assembler_.malformed_count(), 0u);
}

TEST_F(TraceAssemblerTest, WaitsFollowAnEarlierIncompleteTrace) {
  Add(TraceMessage({.tid = 1, .time_ns = 100, .flags = bpf::TRACE_CONTEXT_FOLLOWS}));
  Add(TraceMessage({.tid = 2, .time_ns = 101, .origin = bpf::ORIGIN_OFF_CPU}));
  EXPECT_THAT(Times(), ElementsAre());
  Add(ContextMessage(Head(1, 100), "record"));
  EXPECT_THAT(Times(), ElementsAre(100, 101));
  EXPECT_EQ(traces_[0].context, "record");
  EXPECT_EQ(traces_[1].context, "");
}

// Its repeats may be read next.
TEST_F(TraceAssemblerTest, OnCpuTraceDoesNotWaitForEarlierTraces) {
  Add(TraceMessage({.tid = 1, .time_ns = 100, .flags = bpf::TRACE_CONTEXT_FOLLOWS}));
  Add(TraceMessage({.tid = 2, .time_ns = 101}));
  EXPECT_THAT(Times(), ElementsAre(101));
  Add(ContextMessage(Head(1, 100), "record"));
  EXPECT_THAT(Times(), ElementsAre(101, 100));
}

TEST_F(TraceAssemblerTest, AcceptsPartsInAnyOrderAndInterleaved) {
  const int both = bpf::TRACE_STACK_FOLLOWS | bpf::TRACE_CONTEXT_FOLLOWS;
  Add(TraceMessage({.tid = 1, .time_ns = 100, .flags = both}));
  Add(TraceMessage({.tid = 2, .time_ns = 100, .flags = both}));
  Add(ContextMessage(Head(2, 100), "two"));
  Add(StackMessage(Head(1, 100), {}, 0, ""));
  Add(StackMessage(Head(2, 100), {}, 0, ""));
  EXPECT_EQ(traces_.size(), 0u);
  Add(ContextMessage(Head(1, 100), "one"));
  ASSERT_EQ(traces_.size(), 2u);
  EXPECT_EQ(traces_[0].context, "one");
  EXPECT_EQ(traces_[1].context, "two");
}

TEST_F(TraceAssemblerTest, AddsTheGoroutineOfAThread) {
  Add(TraceMessage({.tid = 1, .time_ns = 100, .flags = bpf::TRACE_GOROUTINE_FOLLOWS}));
  EXPECT_EQ(traces_.size(), 0u);
  Add(GoroutineMessage(Head(1, 100), 0x6f6e, "labels"));
  ASSERT_EQ(traces_.size(), 1u);
  EXPECT_EQ(traces_[0].goroutine, std::string_view("no\0\0\0\0\0\0labels", 14));
  Add(GoroutineMessage(Head(1, 101), 1, ""));
  Add(GoroutineMessage(Head(1, 100), 1, "").substr(0, 20));
  EXPECT_EQ(assembler_.malformed_count(), 2u);
}

TEST_F(TraceAssemblerTest, EmitsATraceWithLostPartsAfterAWhile) {
  Add(TraceMessage({.time_ns = 100,
                    .end = bpf::UNWIND_PAGE_ABSENT,
                    .flags = bpf::TRACE_STACK_FOLLOWS,
                    .user = {1}}));
  assembler_.Flush(kNow + milliseconds(499));
  EXPECT_EQ(traces_.size(), 0u);
  assembler_.Flush(kNow + milliseconds(500));
  ASSERT_EQ(traces_.size(), 1u);
  EXPECT_EQ(traces_[0].end, bpf::UNWIND_PAGE_ABSENT);
  EXPECT_THAT(traces_[0].user_frames, ElementsAre(1));
}

TEST_F(TraceAssemblerTest, KeepsAtMostAThousandPendingTraces) {
  for (uint64_t i = 0; i < 3000; ++i)
    Add(TraceMessage({.time_ns = i, .flags = bpf::TRACE_STACK_FOLLOWS}));
  EXPECT_EQ(traces_.size(), 3000u - 1024u);
  EXPECT_EQ(traces_.back().time_ns, 3000u - 1024u - 1);
}

TEST_F(TraceAssemblerTest, WaitEndsAfterItsTrace) {
  Add(TraceMessage({.tid = 1,
                    .time_ns = 100,
                    .origin = bpf::ORIGIN_OFF_CPU,
                    .flags = bpf::TRACE_STACK_FOLLOWS}));
  Add(WaitEndMessage(Head(1, 100), 150, 160));
  EXPECT_EQ(traces_at_end_, 1u) << "the trace came first, whatever is missing";
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].tid, 1u);
  EXPECT_EQ(ends_[0].time_ns, 100u);
  EXPECT_EQ(ends_[0].wake_ns, 150u);
  EXPECT_EQ(ends_[0].run_ns, 160u);
  // The trace was delivered long ago, or lost. The visitor has to handle that.
  Add(WaitEndMessage(Head(9, 9), 1, 2));
  EXPECT_EQ(ends_.size(), 2u);
  EXPECT_EQ(assembler_.malformed_count(), 0u);
}

TEST_F(TraceAssemblerTest, CountsInvalidMessages) {
  const std::string trace = TraceMessage({.kernel = {1}, .user = {2, 3}});
  uint64_t expected = 0;
  for (size_t bytes = 0; bytes < trace.size(); ++bytes) {
    Add(std::string_view(trace).substr(0, bytes));
    EXPECT_EQ(assembler_.malformed_count(), ++expected) << bytes;
  }
  const std::string stack = StackMessage(Head(1, 1), {}, 0, "");
  Add(stack);  // belongs to no trace
  Add(std::string_view(stack).substr(0, stack.size() - 1));
  const std::string context = ContextMessage(Head(1, 1), "");
  Add(context);
  Add(std::string_view(context).substr(0, context.size() - 1));
  const std::string end = WaitEndMessage(Head(1, 1), 1, 1);
  Add(std::string_view(end).substr(0, end.size() - 1));
  Add(testing::BytesOf(bpf::message_head{.kind = 99, .tid = 1, .time_ns = 1}));
  EXPECT_EQ(assembler_.malformed_count(), expected + 6);
  EXPECT_TRUE(traces_.empty());
}

// A length beyond the end of the message is cut to the message.
TEST_F(TraceAssemblerTest, UsesATruncatedPartAsFarAsPossible) {
  Add(TraceMessage({.tid = 1, .time_ns = 100, .flags = bpf::TRACE_CONTEXT_FOLLOWS}));
  const std::string context = ContextMessage(Head(1, 100), "record");
  Add(std::string_view(context).substr(0, context.size() - 3));
  ASSERT_EQ(traces_.size(), 1u);
  EXPECT_EQ(traces_[0].context, "rec");
}

TEST_F(TraceAssemblerTest, OnlyStacksNeedTheLatestEvents) {
  EXPECT_TRUE(TraceAssembler::NeedsEvents(StackMessage(Head(1, 1), {}, 0, "")));
  EXPECT_FALSE(TraceAssembler::NeedsEvents(TraceMessage({})));
  EXPECT_FALSE(TraceAssembler::NeedsEvents("short"));
}

// The stack of this test, as BPF would have copied it.
class CopiedStackOfThisTest : public TraceAssemblerTest,
                              public ::testing::WithParamInterface<bool> {};

TEST_P(CopiedStackOfThisTest, IsUnwoundToItsEnd) {
  ucontext_t context = {};
  ASSERT_EQ(getcontext(&context), 0);
  bpf::unwind_registers registers = unwind::testing::RegistersOf(context);
  // More than BPF copies: frames of a sanitized test are large.
  std::string stack(16 * bpf::STACK_COPY_MAX, '\0');
  const uint64_t sp = registers.regs[bpf::REG_SP];
  iovec to = {.iov_base = stack.data(), .iov_len = stack.size()};
  iovec from = {.iov_base = reinterpret_cast<void*>(sp), .iov_len = stack.size()};
  const ssize_t copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  ASSERT_GT(copied, 0);
  stack.resize(static_cast<size_t>(copied));
  const auto start = StartTime(getpid());
  ASSERT_TRUE(start.ok());
  const auto pid = static_cast<uint32_t>(getpid());
  const bool runs_another_by_now = GetParam();
  if (runs_another_by_now) {
    processes_.Learn(getpid(), kNow);
    const CommEvent exec = {.pid = pid, .tid = pid, .name = "other", .is_exec = true};
    processes_.Apply({.time_ns = 200, .cpu = 0, .what = exec}, kNow);
  }
  Add(TraceMessage({.pid = pid,
                    .tid = 1,
                    .time_ns = 100,
                    .start_time_ns = *start,
                    .end = bpf::UNWIND_UNKNOWN_PROCESS,
                    .flags = bpf::TRACE_STACK_FOLLOWS}));
  Add(StackMessage(Head(1, 100), registers, sp, stack));
  ASSERT_EQ(traces_.size(), 1u);
  EXPECT_EQ(traces_[0].end, bpf::UNWIND_COMPLETE);
  EXPECT_EQ(assembler_.walked_count(), 1u);
  EXPECT_GT(traces_[0].user_frames.size(), 5u);
  EXPECT_EQ(traces_[0].user_frames[0] & FRAME_RETURN_ADDRESS, 0u);
  for (const uint64_t word : traces_[0].user_frames) {
    EXPECT_EQ(word >> FRAME_KIND_SHIFT, bpf::FRAME_IN_FILE);
    EXPECT_TRUE(files_.Has(static_cast<uint32_t>((word >> FRAME_FILE_SHIFT) & FRAME_FILE_MASK)));
  }
}

INSTANTIATE_TEST_SUITE_P(, CopiedStackOfThisTest, ::testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "OfAProgramThatWasReplaced" : "OfTheSameProgram";
});

TEST_F(TraceAssemblerTest, StackOfAnEndedProcessStaysUnchanged) {
  Add(TraceMessage({.pid = 0x7ffffffe,
                    .tid = 1,
                    .time_ns = 100,
                    .start_time_ns = 1,
                    .end = bpf::UNWIND_PAGE_ABSENT,
                    .flags = bpf::TRACE_STACK_FOLLOWS,
                    .user = {5}}));
  Add(StackMessage(Head(1, 100), {}, 0x1000, std::string(64, 'x')));
  ASSERT_EQ(traces_.size(), 1u);
  EXPECT_EQ(traces_[0].end, bpf::UNWIND_PAGE_ABSENT);
  EXPECT_THAT(traces_[0].user_frames, ElementsAre(5));
  processes_.Sweep(kNow + std::chrono::minutes(1));
  EXPECT_EQ(processes_.count(), 0u) << "nothing stays of it";
}

}  // namespace
}  // namespace flarestack::record::agent
