// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/wait_frames.h"

#include <gtest/gtest.h>

#include <string>

#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

// A name prefixed with ' is a kernel frame.
std::string Folded(std::string_view text) {
  std::string marked;
  bool is_kernel = false;
  for (const char c : text) {
    const bool is_end = c == ';' || c == ' ';
    if (is_end && is_kernel)
      marked += "(@[kernel])";
    if (is_end || c == '\'')
      is_kernel = c == '\'';
    if (c != '\'')
      marked += c;
  }
  StackSet set = testing::FromText(marked);
  FoldWaitFrames(&set);
  return testing::ToText(set);
}

TEST(WaitFramesTest, LeafIsWhereTheProgramWaits) {
  EXPECT_EQ(Folded("main;rest;clock_nanosleep;'entry_SYSCALL_64_after_hwframe;'do_syscall_64;"
                   "'x64_sys_call;'__x64_sys_clock_nanosleep;'common_nsleep;'hrtimer_nanosleep;"
                   "'do_nanosleep;'schedule;'__schedule 5\n"),
            "main;rest;clock_nanosleep;__x64_sys_clock_nanosleep 5\n");
  EXPECT_EQ(Folded("main;read;'el0t_64_sync;'el0t_64_sync_handler;'el0_svc;'do_el0_svc;"
                   "'el0_svc_common.constprop.0;'invoke_syscall.constprop.0;'__arm64_sys_read;"
                   "'ksys_read;'vfs_read;'pipe_read;'schedule;'__schedule 5\n"),
            "main;read;__arm64_sys_read;ksys_read;vfs_read;pipe_read 5\n");
}

TEST(WaitFramesTest, PreemptedThreadWaitsInItsOwnCode) {
  EXPECT_EQ(Folded("main;work;'asm_sysvec_apic_timer_interrupt;'irqentry_exit_to_user_mode;"
                   "'exit_to_user_mode_loop;'schedule;'__schedule 5\n"
                   "main;work;'el0t_64_irq;'el0t_64_irq_handler;'el0_interrupt;"
                   "'exit_to_user_mode_prepare_legacy;'do_notify_resume;'schedule;'__schedule 2\n"),
            "main;work 7\n");
}

TEST(WaitFramesTest, RemovesSchedulerFramesOnlyAtTheLeaf) {
  EXPECT_EQ(Folded("main;'do_syscall_64;'schedule_timeout;'driver_callback;'schedule 1\n"),
            "main;schedule_timeout;driver_callback 1\n");
}

TEST(WaitFramesTest, KeepsProgramFunctions) {
  EXPECT_EQ(Folded("main;schedule;do_nanosleep;__schedule 1\n"),
            "main;schedule;do_nanosleep;__schedule 1\n");
}

TEST(WaitFramesTest, StackOfOnlySchedulerFramesKeepsItsOutermostFrame) {
  EXPECT_EQ(Folded("'do_syscall_64;'schedule;'__schedule 4\n"), "do_syscall_64 4\n");
}

TEST(WaitFramesTest, RecognisesWaitsByTheirSampleType) {
  for (const std::string_view type : {"off_cpu", "offcpu", "off-cpu", "wall"})
    EXPECT_TRUE(HoldsWaits(type)) << type;
  for (const std::string_view type : {"cpu", "samples", "", "off_cpu2"})
    EXPECT_FALSE(HoldsWaits(type)) << type;
}

}  // namespace
}  // namespace flarestack::query
