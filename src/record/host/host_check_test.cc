// SPDX-License-Identifier: Apache-2.0
//
// Checks hosts that are simulated with files.
#include "record/host/host_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace flarestack::record::agent {
namespace {

using ::testing::HasSubstr;

constexpr char kAllCapabilities[] = "000001ffffffffff";

class HostCheckTest : public ::testing::Test {
 protected:
  // A current host without problems.
  HostCheckTest() {
    std::string name = ::testing::TempDir() + "host_XXXXXX";
    root_ = mkdtemp(name.data());
    Write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    Write("/proc/sys/kernel/perf_event_paranoid", "3\n");
    Write("/proc/sys/kernel/kptr_restrict", "0\n");
    Write("/proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
    Write("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
    Write("/sys/kernel/btf/vmlinux", "types");
    Write("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    SetCapabilities(kAllCapabilities);
    Write("/proc/self/limits",
          "Limit                     Soft Limit           Hard Limit           Units     \n"
          "Max locked memory         8388608              8388608              bytes     \n");
    Write("/proc/self/mounts", "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    Link("/proc/self/ns/pid", "pid:[4026531836]");
    Link("/proc/self/exe", "/opt/flarestack");
    Write("/usr/lib/debug/.build-id/00/11.debug", "");
  }
  ~HostCheckTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << text;
  }
  void Link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::filesystem::remove(root_ + path);
    std::filesystem::create_symlink(target, root_ + path);
  }
  void Remove(const std::string& path) { std::filesystem::remove_all(root_ + path); }
  void SetCapabilities(const std::string& effective, const std::string& bounding = kAllCapabilities,
                       const std::string& no_new_privileges = "0") {
    Write("/proc/self/status", "Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t" + effective +
                                   "\nCapBnd:\t" + bounding + "\nNoNewPrivs:\t" +
                                   no_new_privileges + "\n");
  }

  HostFacts Facts() {
    return ReadHostFacts(root_, [this](const std::string& name) -> std::optional<std::string> {
      if (name == "DEBUGINFOD_URLS" && !urls_.empty())
        return urls_;
      return std::nullopt;
    });
  }
  Finding Find(const std::string& id) {
    const HostReport report = CheckHost(Facts(), probe_);
    for (const Finding& finding : report.findings) {
      if (finding.id == id)
        return finding;
    }
    ADD_FAILURE() << "no finding " << id;
    return {};
  }
  FindingLevel LevelOf(const std::string& id) { return Find(id).level; }
  RecordMode Mode() { return CheckHost(Facts(), probe_).mode; }

  std::string root_;
  std::string urls_;
  HostProbe probe_ = {0, 0, 0, 0, 0};
};

TEST_F(HostCheckTest, ModernHostRecordsTheWholeSystem) {
  const HostReport report = CheckHost(Facts(), probe_);
  EXPECT_EQ(report.mode, RecordMode::kWholeSystem);
  EXPECT_FALSE(report.LacksPrivilege());
  for (const Finding& finding : report.findings) {
    EXPECT_EQ(finding.level, FindingLevel::kOk) << finding.id << ": " << finding.what;
    EXPECT_NE(finding.what, "");
    EXPECT_EQ(finding.why, "");
    EXPECT_EQ(finding.fix, "");
  }
}

TEST_F(HostCheckTest, SurvivesAnEmptyRoot) {
  std::filesystem::remove_all(root_ + "/proc");
  std::filesystem::remove_all(root_ + "/sys");
  probe_ = {};
  const HostReport report = CheckHost(Facts(), probe_);
  EXPECT_EQ(report.mode, RecordMode::kNothing);
  EXPECT_THAT(report.findings[0].what, HasSubstr("unknown version"));
  EXPECT_THAT(Find("perf-events").what, HasSubstr("not probed"));
}

TEST_F(HostCheckTest, CountsProcessesAndPrograms) {
  Link("/proc/10/exe", "/usr/sbin/nginx");
  Link("/proc/11/exe", "/usr/sbin/nginx");
  Link("/proc/12/exe", "/usr/bin/java");
  Write("/proc/2/comm", "kthreadd\n");
  EXPECT_THAT(Find("processes").what, HasSubstr("3 processes of 2 programs;"));
}

TEST_F(HostCheckTest, ParsesKernelVersions) {
  struct Case {
    const char* release;
    int major;
    int minor;
  };
  for (const Case& test : {Case{"5.15.0-91-generic", 5, 15}, Case{"6.18", 6, 18},
                           Case{"6.1-rc3", 6, 1}, Case{"5.4.0", 5, 4}, Case{"", 0, 0},
                           Case{"6", 0, 0}, Case{"six.1", 0, 1}, Case{"6.", 0, 0}}) {
    Write("/proc/sys/kernel/osrelease", test.release + std::string("\n"));
    EXPECT_EQ(Facts().kernel_major, test.major) << test.release;
    EXPECT_EQ(Facts().kernel_minor, test.minor) << test.release;
  }
}

TEST_F(HostCheckTest, DetectsBpfHelpersByVersionOrByTypes) {
  Write("/proc/sys/kernel/osrelease", "5.14.0-427.el9\n");
  EXPECT_EQ(Find("kernel").why,
            "stacks are unwound in the kernel, which lacks "
            "bpf_task_pt_regs (5.15), bpf_loop (5.17)");
  EXPECT_EQ(Mode(), RecordMode::kOwnProcesses);
  // A distribution may have backported the helpers.
  using std::string_literals::operator""s;
  Write("/sys/kernel/btf/vmlinux", "x\0BPF_FUNC_task_pt_regs\0BPF_FUNC_loop\0"s);
  EXPECT_EQ(LevelOf("kernel"), FindingLevel::kOk);
  EXPECT_EQ(Mode(), RecordMode::kWholeSystem);
  Remove("/sys/kernel/btf");
  EXPECT_EQ(LevelOf("btf"), FindingLevel::kMissing);
}

TEST_F(HostCheckTest, ReportsEachMissingCapability) {
  SetCapabilities("0000000000000000");
  for (const char* const id : {"cap-bpf", "cap-perfmon", "cap-sys-ptrace"}) {
    EXPECT_EQ(LevelOf(id), FindingLevel::kMissing) << id;
    EXPECT_THAT(Find(id).fix, HasSubstr("+ep /opt/flarestack"));
    EXPECT_TRUE(Find(id).is_privilege);
  }
  EXPECT_EQ(LevelOf("cap-checkpoint-restore"), FindingLevel::kLimited);
  EXPECT_EQ(LevelOf("cap-dac-read-search"), FindingLevel::kLimited);
  EXPECT_EQ(LevelOf("kernel-names"), FindingLevel::kLimited);
  EXPECT_EQ(LevelOf("locked-memory"), FindingLevel::kOk);

  // Only CAP_SYS_ADMIN and CAP_SYS_PTRACE, as before Linux 5.8.
  SetCapabilities("0000000000280000");
  EXPECT_EQ(LevelOf("cap-bpf"), FindingLevel::kOk);
  EXPECT_EQ(LevelOf("cap-perfmon"), FindingLevel::kOk);
  EXPECT_EQ(LevelOf("cap-sys-ptrace"), FindingLevel::kOk);
  EXPECT_EQ(LevelOf("cap-checkpoint-restore"), FindingLevel::kOk);
  EXPECT_EQ(Mode(), RecordMode::kWholeSystem);

  // The capabilities of the agent's systemd unit: bits 2, 19, 24, 34, 38, 39, 40.
  SetCapabilities("000001c401080004");
  const HostReport report = CheckHost(Facts(), probe_);
  EXPECT_EQ(report.mode, RecordMode::kWholeSystem);
  for (const Finding& finding : report.findings)
    EXPECT_EQ(finding.level, FindingLevel::kOk) << finding.id;
}

// A file with a capability outside the bounding set cannot be executed, not even by root.
TEST_F(HostCheckTest, ProposesOnlyCapabilitiesInTheBoundingSet) {
  SetCapabilities("0", "000001fffeffffff");  // without CAP_SYS_RESOURCE
  EXPECT_EQ(Find("cap-bpf").fix,
            "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore,"
            "cap_dac_read_search+ep /opt/flarestack");
  EXPECT_EQ(Find("cap-perfmon").fix, Find("cap-bpf").fix);

  SetCapabilities("0", "000001fbfff7ffff");  // without CAP_SYS_PTRACE and CAP_SYSLOG
  EXPECT_EQ(Find("cap-bpf").fix,
            "sudo setcap cap_bpf,cap_perfmon,cap_checkpoint_restore,cap_dac_read_search+ep "
            "/opt/flarestack");
  EXPECT_EQ(Find("cap-sys-ptrace").fix, "");
  EXPECT_EQ(Find("cap-sys-ptrace").level, FindingLevel::kMissing);
  EXPECT_THAT(Find("cap-sys-ptrace").why,
              HasSubstr("cannot be read, so their stacks are lost; CAP_SYS_PTRACE is outside the "
                        "bounding set"));
  EXPECT_THAT(Find("cap-sys-ptrace").why, HasSubstr("--cap-add=SYS_PTRACE"));
  EXPECT_EQ(Find("kernel-names").fix, "");
  EXPECT_THAT(Find("kernel-names").why, HasSubstr("cannot be symbolized; CAP_SYSLOG is outside"));
}

TEST_F(HostCheckTest, RaisesTheLockedMemoryLimitBeforeLinux511) {
  Write("/proc/sys/kernel/osrelease", "5.10.0\n");
  SetCapabilities("0");
  EXPECT_THAT(Find("cap-bpf").fix, HasSubstr(",cap_sys_resource+ep "));
  SetCapabilities("0", "000001fffeffffff");
  EXPECT_EQ(Find("locked-memory").level, FindingLevel::kMissing);
  EXPECT_EQ(Find("locked-memory").fix, "");
  EXPECT_THAT(Find("locked-memory").why, HasSubstr("CAP_SYS_RESOURCE is outside"));
}

// An old container runtime knows CAP_SYS_ADMIN but not the capabilities that were split off from
// it.
TEST_F(HostCheckTest, SysAdminReplacesTheCapabilitiesItIncludes) {
  probe_ = {EACCES, 0, 0, EPERM, EPERM};
  SetCapabilities("0", "0000003fffffffff");
  const std::string fix =
      "sudo setcap cap_sys_ptrace,cap_syslog,cap_dac_read_search,cap_sys_admin+ep /opt/flarestack";
  for (const char* const id :
       {"cap-bpf", "cap-perfmon", "cap-checkpoint-restore", "perf-events", "bpf", "cap-sys-ptrace"})
    EXPECT_EQ(Find(id).fix, fix) << id;
  SetCapabilities("0", "0000003fffdfffff");  // without CAP_SYS_ADMIN too
  for (const char* const id :
       {"cap-bpf", "cap-perfmon", "cap-checkpoint-restore", "perf-events", "bpf"}) {
    EXPECT_EQ(Find(id).fix, "") << id;
    EXPECT_THAT(Find(id).why, HasSubstr("is outside the bounding set")) << id;
  }
}

TEST_F(HostCheckTest, PrintsNoCommandIfFileCapabilitiesHaveNoEffect) {
  SetCapabilities("0", kAllCapabilities, "1");
  EXPECT_EQ(Find("cap-bpf").fix, "");
  EXPECT_THAT(Find("cap-bpf").why, HasSubstr("no_new_privs"));
  SetCapabilities("0", "000001ff7fffffff");  // without CAP_SETFCAP
  EXPECT_EQ(Find("cap-bpf").fix, "");
  EXPECT_THAT(Find("cap-bpf").why, HasSubstr("CAP_SETFCAP"));
  HostFacts facts = Facts();
  facts.capabilities_max = ~uint64_t{0};
  facts.is_program_nosuid = true;
  EXPECT_THAT(CheckHost(facts, probe_).findings[2].why, HasSubstr("mounted with nosuid"));
}

TEST_F(HostCheckTest, ProbeResultsOverrideExpectations) {
  probe_.cpu_clock_all = EPERM;
  EXPECT_THAT(Find("perf-events").why, HasSubstr("seccomp"));
  EXPECT_EQ(Find("perf-events").fix, "");
  EXPECT_EQ(Mode(), RecordMode::kOwnProcesses);
  probe_.cpu_clock_own = ENOSYS;
  EXPECT_EQ(Mode(), RecordMode::kNothing);
  probe_ = {0, 0, 0, 0, EINVAL};
  EXPECT_THAT(Find("bpf").what, HasSubstr("ring buffer of BPF"));
  EXPECT_FALSE(Find("bpf").is_privilege);
  probe_ = {0, 0, ENOENT, 0, 0};
  EXPECT_EQ(LevelOf("perf-counters"), FindingLevel::kLimited);
  EXPECT_EQ(Mode(), RecordMode::kWholeSystem);
}

TEST_F(HostCheckTest, ProposesParanoidLevelTwoForOwnProcesses) {
  Write("/proc/sys/kernel/perf_event_paranoid", "4\n");
  SetCapabilities("0000000000000000");
  probe_ = {EACCES, EACCES, EACCES, EPERM, EPERM};
  EXPECT_EQ(Find("perf-own").fix, "sudo sysctl -w kernel.perf_event_paranoid=2");
  EXPECT_THAT(Find("perf-events").why, HasSubstr("kernel.perf_event_paranoid is 4"));
}

TEST_F(HostCheckTest, KernelNamesDependOnBothSettings) {
  const auto level = [&](const char* restriction, const char* paranoid, const char* capabilities) {
    Write("/proc/sys/kernel/kptr_restrict", restriction);
    Write("/proc/sys/kernel/perf_event_paranoid", paranoid);
    SetCapabilities(capabilities);
    return LevelOf("kernel-names");
  };
  EXPECT_EQ(level("0", "1", "0"), FindingLevel::kOk);
  EXPECT_EQ(level("0", "2", "0"), FindingLevel::kLimited);
  EXPECT_EQ(level("0", "-1", "0"), FindingLevel::kOk);
  EXPECT_EQ(level("1", "3", kAllCapabilities), FindingLevel::kOk);
  EXPECT_EQ(level("1", "1", "0"), FindingLevel::kLimited);
  EXPECT_EQ(level("2", "1", kAllCapabilities), FindingLevel::kLimited);
  EXPECT_EQ(Find("kernel-names").fix, "sudo sysctl -w kernel.kptr_restrict=1");
}

TEST_F(HostCheckTest, ConfidentialityLockdownPreventsRecordingTheSystem) {
  Write("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  EXPECT_EQ(LevelOf("lockdown"), FindingLevel::kOk);
  Write("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
  EXPECT_EQ(LevelOf("lockdown"), FindingLevel::kMissing);
  EXPECT_EQ(Mode(), RecordMode::kOwnProcesses);
}

TEST_F(HostCheckTest, ChecksLockedMemoryForRings) {
  SetCapabilities("000001c401080004");  // without CAP_IPC_LOCK
  Write("/proc/sys/kernel/perf_event_mlock_kb", "64\n");
  EXPECT_EQ(LevelOf("locked-memory"), FindingLevel::kLimited);
  EXPECT_EQ(Find("locked-memory").fix, "sudo sysctl -w kernel.perf_event_mlock_kb=516");
  Write("/proc/self/limits", "Max locked memory         unlimited   unlimited   bytes\n");
  EXPECT_EQ(LevelOf("locked-memory"), FindingLevel::kOk);
  Write("/proc/self/limits", "Max locked memory         65536   65536   bytes\n");
  Write("/proc/sys/kernel/osrelease", "5.10.0\n");
  SetCapabilities("000001c400080004");  // without CAP_SYS_RESOURCE too
  EXPECT_EQ(LevelOf("locked-memory"), FindingLevel::kMissing);
}

TEST_F(HostCheckTest, ContainerNeedsTheHostPidNamespace) {
  Link("/proc/self/ns/pid", "pid:[4026532201]");
  Finding finding = Find("pid-namespace");
  EXPECT_EQ(finding.level, FindingLevel::kMissing);
  EXPECT_THAT(finding.what, HasSubstr("in a container (container)"));
  EXPECT_THAT(finding.why, HasSubstr("hostPID: true"));
  Write("/.dockerenv", "");
  EXPECT_THAT(Find("pid-namespace").what, HasSubstr("(docker)"));
  Link("/proc/self/ns/pid", "pid:[4026531836]");
  finding = Find("pid-namespace");
  EXPECT_EQ(finding.level, FindingLevel::kOk);
  EXPECT_THAT(finding.what, HasSubstr("(docker) and sees the processes of the host"));
  Remove("/proc/self/ns");
  EXPECT_EQ(LevelOf("pid-namespace"), FindingLevel::kLimited);
}

TEST_F(HostCheckTest, DetectsBothCgroupVersions) {
  const auto cgroups = [&](const char* mounts) {
    Write("/proc/self/mounts", mounts);
    return Facts().cgroups;
  };
  EXPECT_EQ(cgroups("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"), Cgroups::kV1);
  EXPECT_EQ(cgroups("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
                    "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"),
            Cgroups::kBoth);
  EXPECT_EQ(cgroups("proc /proc proc rw 0 0\n"), Cgroups::kNone);
  EXPECT_EQ(LevelOf("cgroups"), FindingLevel::kLimited);
}

TEST_F(HostCheckTest, SymbolsComeFromFilesOrServers) {
  Remove("/usr/lib/debug");
  EXPECT_EQ(LevelOf("symbols"), FindingLevel::kLimited);
  EXPECT_THAT(Find("symbols").fix, HasSubstr("export DEBUGINFOD_URLS="));
  urls_ = "https://debuginfod.example";
  EXPECT_EQ(LevelOf("symbols"), FindingLevel::kOk);
}

// Checks that probe and report are consistent on any host.
TEST(HostProbeTest, ResultsAreZeroOrAnErrno) {
  const HostProbe probe = ProbeHost();
  for (const int response : {probe.cpu_clock_all, probe.cpu_clock_own, probe.cycles_all,
                             probe.bpf_map, probe.bpf_ring_buffer}) {
    EXPECT_GE(response, 0);
    EXPECT_LT(response, 4096);
  }
  const HostReport report =
      CheckHost(ReadHostFacts("", [](const std::string&) { return std::nullopt; }), probe);
  EXPECT_EQ(report.mode == RecordMode::kNothing,
            probe.cpu_clock_own != 0 && report.mode != RecordMode::kWholeSystem);
}

}  // namespace
}  // namespace flarestack::record::agent
