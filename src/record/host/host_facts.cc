// SPDX-License-Identifier: Apache-2.0
#include "record/host/host_facts.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/file.h"
#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kTextBytesMax = 1 << 20;
constexpr uint64_t kTypesBytesMax = 64 << 20;

// The kernel gives the initial namespace of each kind a fixed inode number: PROC_PID_INIT_INO.
constexpr std::string_view kHostPidNamespace = "pid:[4026531836]";

std::optional<std::string> Read(const std::string& path, uint64_t bytes_max = kTextBytesMax) {
  auto text = base::ReadFile(path, bytes_max);
  if (!text.ok())
    return std::nullopt;
  return *std::move(text);
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

template <typename T>
std::optional<T> ParseNumber(std::string_view text, int base = 10) {
  T value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || rest != text.data() + text.size())
    return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> ReadNumber(const std::string& path) {
  const auto text = Read(path);
  return text.has_value() ? ParseNumber<T>(FirstLine(*text)) : std::nullopt;
}

// Returns the rest of the line that begins with `name`, without leading white space.
std::string_view FindLine(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = FirstLine(text);
    if (line.starts_with(name)) {
      const std::string_view rest = line.substr(name.size());
      return rest.substr(std::min(rest.size(), rest.find_first_not_of(" \t")));
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

std::string ReadLink(const std::string& path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).string();
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

void ReadKernel(const std::string& root, HostFacts* facts) {
  const auto release = Read(root + "/proc/sys/kernel/osrelease");
  if (release.has_value()) {
    facts->kernel_release = FirstLine(*release);
    const std::string_view text = facts->kernel_release;
    const size_t dot = text.find('.');
    const size_t end = text.find_first_not_of("0123456789", dot == text.npos ? dot : dot + 1);
    const auto major = ParseNumber<int>(text.substr(0, dot));
    const auto minor =
        dot == text.npos ? std::nullopt : ParseNumber<int>(text.substr(dot + 1, end - dot - 1));
    facts->kernel_major = minor.has_value() ? major.value_or(0) : 0;
    facts->kernel_minor = minor.value_or(0);
  }
  facts->helpers = {.has_ring_buffer = facts->IsKernelAtLeast(5, 8),
                    .has_task_pt_regs = facts->IsKernelAtLeast(5, 15),
                    .has_loop = facts->IsKernelAtLeast(5, 17)};
  const auto types = Read(root + "/sys/kernel/btf/vmlinux", kTypesBytesMax);
  facts->has_btf = types.has_value() && !types->empty();
  if (!facts->has_btf)
    return;
  // Distributions backport helpers to older kernels. Each helper is an enumerator name in the BTF.
  using namespace std::string_view_literals;
  facts->helpers.has_ring_buffer |= types->find("BPF_FUNC_ringbuf_output\0"sv) != types->npos;
  facts->helpers.has_task_pt_regs |= types->find("BPF_FUNC_task_pt_regs\0"sv) != types->npos;
  facts->helpers.has_loop |= types->find("BPF_FUNC_loop\0"sv) != types->npos;
}

void ReadProcess(const std::string& root, HostFacts* facts) {
  const std::string status = Read(root + "/proc/self/status").value_or("");
  facts->capabilities = ParseNumber<uint64_t>(FindLine(status, "CapEff:"), 16).value_or(0);
  facts->capabilities_max =
      ParseNumber<uint64_t>(FindLine(status, "CapBnd:"), 16).value_or(~uint64_t{0});
  facts->has_no_new_privileges = FindLine(status, "NoNewPrivs:") == "1";
  const std::string limits = Read(root + "/proc/self/limits").value_or("");
  const std::string_view locked = FindLine(limits, "Max locked memory");
  const std::string_view soft = locked.substr(0, locked.find(' '));
  facts->memlock_bytes = soft == "unlimited" ? UINT64_MAX : ParseNumber<uint64_t>(soft);
  if (const std::string program = ReadLink(root + "/proc/self/exe"); !program.empty())
    facts->program_path = program;
  struct statvfs mount = {};
  facts->is_program_nosuid =
      statvfs((root + facts->program_path).c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0;
}

void ReadSettings(const std::string& root, HostFacts* facts) {
  const std::string kernel = root + "/proc/sys/kernel/";
  facts->perf_event_paranoid = ReadNumber<int>(kernel + "perf_event_paranoid");
  facts->kptr_restrict = ReadNumber<int>(kernel + "kptr_restrict");
  facts->unprivileged_bpf_disabled = ReadNumber<int>(kernel + "unprivileged_bpf_disabled");
  facts->perf_event_mlock_kb = ReadNumber<uint64_t>(kernel + "perf_event_mlock_kb");
  const std::string lockdown = Read(root + "/sys/kernel/security/lockdown").value_or("");
  if (lockdown.find("[integrity]") != lockdown.npos)
    facts->lockdown = Lockdown::kIntegrity;
  if (lockdown.find("[confidentiality]") != lockdown.npos)
    facts->lockdown = Lockdown::kConfidentiality;
}

Cgroups ReadCgroups(const std::string& root) {
  bool has_v1 = false;
  bool has_v2 = false;
  const std::string mounts = Read(root + "/proc/self/mounts").value_or("");
  for (std::string_view rest = mounts; !rest.empty();) {
    const std::string_view line = FirstLine(rest);
    has_v1 |= line.find(" cgroup ") != line.npos;
    has_v2 |= line.find(" cgroup2 ") != line.npos;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  if (has_v1 && has_v2)
    return Cgroups::kBoth;
  if (has_v1)
    return Cgroups::kV1;
  return has_v2 ? Cgroups::kV2 : Cgroups::kNone;
}

void ReadContainer(const std::string& root, HostFacts* facts) {
  const std::string own = ReadLink(root + "/proc/self/ns/pid");
  if (!own.empty())
    facts->is_host_pid_namespace = own == kHostPidNamespace;
  if (Exists(root + "/.dockerenv"))
    facts->container = "docker";
  else if (Exists(root + "/run/.containerenv"))
    facts->container = "podman";
  else if (facts->is_host_pid_namespace == false)
    facts->container = "container";
}

void ReadProcesses(const std::string& root, HostFacts* facts) {
  std::set<std::string> programs;
  std::error_code error;
  for (std::filesystem::directory_iterator at(root + "/proc", error), end; !error && at != end;
       at.increment(error)) {
    if (!ParseNumber<uint32_t>(at->path().filename().string()).has_value())
      continue;
    std::string program = ReadLink(at->path().string() + "/exe");
    if (program.empty())
      continue;
    ++facts->process_count;
    programs.insert(std::move(program));
  }
  facts->program_count = programs.size();
}

}  // namespace

HostFacts ReadHostFacts(
    const std::string& root,
    const std::function<std::optional<std::string>(const std::string&)>& environment) {
  HostFacts facts;
  ReadKernel(root, &facts);
  ReadProcess(root, &facts);
  ReadSettings(root, &facts);
  facts.cgroups = ReadCgroups(root);
  ReadContainer(root, &facts);
  ReadProcesses(root, &facts);
  std::error_code error;
  const std::filesystem::directory_iterator debug_files(root + "/usr/lib/debug", error);
  facts.has_debug_files = !error && debug_files != std::filesystem::directory_iterator();
  facts.debuginfod_urls = environment("DEBUGINFOD_URLS").value_or("");
  return facts;
}

}  // namespace flarestack::record::agent
