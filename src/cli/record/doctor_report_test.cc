// SPDX-License-Identifier: Apache-2.0
//
// Whole reports for made-up hosts.
#include "cli/record/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

namespace flarestack::cli {
namespace {

using record::agent::CheckHost;
using record::agent::Finding;
using record::agent::FindingLevel;
using record::agent::HostFacts;
using record::agent::HostProbe;
using record::agent::HostReport;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kAllCapabilities = (uint64_t{1} << 41) - 1;

HostFacts GoodFacts() {
  HostFacts facts;
  facts.kernel_release = "6.1.0-18-amd64";
  facts.kernel_major = 6;
  facts.kernel_minor = 1;
  facts.has_btf = true;
  facts.helpers = {true, true, true};
  facts.capabilities = kAllCapabilities;
  facts.perf_event_paranoid = 3;
  facts.kptr_restrict = 1;
  facts.unprivileged_bpf_disabled = 2;
  facts.perf_event_mlock_kb = 516;
  facts.memlock_bytes = 8 << 20;
  facts.cgroups = record::agent::Cgroups::kV2;
  facts.is_host_pid_namespace = true;
  facts.has_debug_files = true;
  facts.program_path = "/usr/bin/flarestack";
  return facts;
}

HostProbe AllWorks() { return {0, 0, 0, 0, 0}; }

HostReport OfAUser() {
  HostFacts facts = GoodFacts();
  facts.capabilities = 0;
  facts.has_debug_files = false;
  return CheckHost(facts, {EACCES, EACCES, ENOENT, EPERM, EPERM});
}

TEST(DoctorReportTest, WritesTextForAHealthyHost) {
  EXPECT_EQ(DoctorText(CheckHost(GoodFacts(), AllWorks()), std::nullopt),
            R"(the whole system can be recorded here

  ok      kernel                 Linux 6.1.0-18-amd64
  ok      btf                    the kernel has BTF type information
  ok      cap-bpf                this process has CAP_BPF
  ok      cap-perfmon            this process has CAP_PERFMON
  ok      cap-sys-ptrace         this process has CAP_SYS_PTRACE
  ok      cap-checkpoint-restore this process has CAP_CHECKPOINT_RESTORE
  ok      cap-dac-read-search    this process has CAP_DAC_READ_SEARCH
  ok      perf-events            all processes can be sampled
  ok      perf-own               own processes can be sampled
  ok      perf-counters          the processor's counters can be read
  ok      bpf                    BPF maps and ring buffers can be created
  ok      unprivileged-bpf       kernel.unprivileged_bpf_disabled is 2; recording does not depend on it
  ok      lockdown               the kernel is not locked down
  ok      kernel-names           addresses of kernel functions can be read
  ok      locked-memory          locked memory suffices for the ring buffers of events
  ok      pid-namespace          this process sees the processes of the host
  ok      cgroups                cgroup v2 is mounted
  ok      processes              0 processes of 0 programs; the agent groups them by service, program and container, unless it runs with --per-process
  ok      symbols                there are debug files in /usr/lib/debug
)");
  EXPECT_EQ(DoctorExitCode(CheckHost(GoodFacts(), AllWorks()), std::nullopt), kSuccess);
  EXPECT_EQ(DoctorFixScript(CheckHost(GoodFacts(), AllWorks())),
            "#!/bin/sh\n"
            "# What flarestack doctor would change on this host. Read it before you run it.\n"
            "set -e\n"
            "# Nothing to fix.\n");
}

TEST(DoctorReportTest, WritesTextForAnUnprivilegedUser) {
  const std::string text = DoctorText(OfAUser(), std::nullopt);
  EXPECT_THAT(text, ::testing::StartsWith("nothing can be recorded here\n"));
  EXPECT_THAT(text, HasSubstr(
                        R"(  missing cap-bpf                this process does not have CAP_BPF
                                 BPF programs cannot be loaded
                                 run: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore,cap_dac_read_search+ep /usr/bin/flarestack
)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(  missing perf-events            perf_event_open for all processes: Permission denied (13)
                                 kernel.perf_event_paranoid is 3, and 0 or CAP_PERFMON is needed
                                 run: as for cap-bpf
)"));
  EXPECT_THAT(text, ::testing::EndsWith("\nto fix: flarestack doctor --fix-script | sh\n"));
  EXPECT_EQ(DoctorExitCode(OfAUser(), std::nullopt), kNoPrivilege);
}

TEST(DoctorReportTest, ProposesOneCommandIfOneIsEnough) {
  HostFacts facts = GoodFacts();
  facts.capabilities = 0;
  facts.program_path = "/home/anna/my programs/flarestack";
  const HostReport report = CheckHost(facts, {EACCES, 0, 0, EPERM, EPERM});
  const std::string text = DoctorText(report, std::nullopt);
  EXPECT_THAT(text, ::testing::StartsWith("only your own processes can be recorded here"));
  EXPECT_THAT(text, HasSubstr("\nto fix: sudo setcap "));
  EXPECT_THAT(text, ::testing::EndsWith("+ep '/home/anna/my programs/flarestack'\n"));
}

TEST(DoctorReportTest, ScriptHasEachCommandOnce) {
  EXPECT_EQ(DoctorFixScript(OfAUser()),
            R"(#!/bin/sh
# What flarestack doctor would change on this host. Read it before you run it.
set -e
# perf-counters: no command can fix this: samples come from a timer, which misses code that runs with interrupts disabled
# symbols: in the shell that records: export DEBUGINFOD_URLS=https://debuginfod.debian.net
sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore,cap_dac_read_search+ep /usr/bin/flarestack
sudo sysctl -w kernel.perf_event_paranoid=2
)");
}

TEST(DoctorReportTest, JsonHasEveryFinding) {
  const auto json = nlohmann::json::parse(DoctorJson(OfAUser(), std::nullopt));
  EXPECT_EQ(json["schema"], "flarestack.doctor/1");
  EXPECT_EQ(json["mode"], "nothing");
  EXPECT_EQ(json["lacksPrivilege"], true);
  EXPECT_EQ(json["findings"].size(), 19u);
  EXPECT_EQ(json["findings"][12].dump(),
            R"({"fix":"","id":"lockdown","level":"ok","privilege":false,"what":"the kernel is not )"
            R"(locked down","why":""})");
}

TEST(DoctorReportTest, OldKernelIsNotAPrivilegeProblem) {
  HostFacts facts = GoodFacts();
  facts.helpers.has_loop = false;
  const HostReport report = CheckHost(facts, AllWorks());
  EXPECT_EQ(DoctorExitCode(report, std::nullopt), kCheckFailed);
  EXPECT_THAT(DoctorText(report, std::nullopt), HasSubstr("which lacks bpf_loop (5.17)\n"));
  EXPECT_THAT(DoctorText(report, std::nullopt), Not(HasSubstr("to fix")));
  EXPECT_THAT(DoctorFixScript(report), HasSubstr("# kernel: no command can fix this: stacks are"));
}

TEST(DoctorReportTest, ShowsHowWellRuntimesAreRecorded) {
  const SurveyResult survey =
      RuntimeSurvey{.duration = std::chrono::milliseconds(3000),
                    .samples = 600,
                    .runtimes = {{.runtime = "cpython 3.11.2",
                                  .processes = 2,
                                  .samples = 297,
                                  .samples_complete = 296,
                                  .frames = 1000,
                                  .frames_named = 999,
                                  .reasons = {{"too deep", 1}}},
                                 {.runtime = "nodejs", .processes = 1}},
                    .problems = {"/usr/bin/python3.7: CPython 3.7 is not supported"}};
  const HostReport report = CheckHost(GoodFacts(), AllWorks());
  EXPECT_THAT(DoctorText(report, survey), ::testing::EndsWith(R"(
recorded all processes for 3.0 s: 600 samples
  language runtime                                         processes  samples  complete    named
  cpython 3.11.2                                                   2      297    99.7 %   99.9 %
    incomplete: too deep (1 samples)
  nodejs                                                           1        0         -        -
  no names: /usr/bin/python3.7: CPython 3.7 is not supported
)"));
  const auto json = nlohmann::json::parse(DoctorJson(report, survey));
  EXPECT_EQ(json["recording"]["runtimes"][0]["samplesComplete"], 296);
  EXPECT_EQ(DoctorExitCode(report, survey), kSuccess);
}

TEST(DoctorReportTest, SaysWhyRecordingFailed) {
  const SurveyResult survey = absl::PermissionDeniedError("the verifier rejected on_cpu");
  const HostReport report = CheckHost(GoodFacts(), AllWorks());
  EXPECT_THAT(DoctorText(report, survey),
              ::testing::EndsWith("\nrecording failed: the verifier rejected on_cpu\n"));
  EXPECT_EQ(DoctorExitCode(report, survey), kCheckFailed);
  EXPECT_THAT(DoctorText(report, RuntimeSurvey{}),
              ::testing::EndsWith("  no Python, Java or Node.js process used a CPU\n"));
}

}  // namespace
}  // namespace flarestack::cli
