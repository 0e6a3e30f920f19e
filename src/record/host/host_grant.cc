// SPDX-License-Identifier: Apache-2.0
#include "record/host/host_findings.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

struct NamedCapability {
  Capability capability;
  const char* name;  // as setcap spells it
};

// The capabilities that recording uses, in the order they appear in the command.
constexpr NamedCapability kUsed[] = {
    {Capability::kBpf, "cap_bpf"},
    {Capability::kPerfmon, "cap_perfmon"},
    {Capability::kSysPtrace, "cap_sys_ptrace"},
    {Capability::kSyslog, "cap_syslog"},
    {Capability::kCheckpointRestore, "cap_checkpoint_restore"},
    {Capability::kDacReadSearch, "cap_dac_read_search"},
    {Capability::kSysResource, "cap_sys_resource"},
};
constexpr const char* kAdminName = "cap_sys_admin";

// Linux 5.8 and 5.9 split these off from CAP_SYS_ADMIN, which still includes them.
bool IsPartOfAdmin(Capability capability) {
  return capability == Capability::kBpf || capability == Capability::kPerfmon ||
         capability == Capability::kCheckpointRestore;
}

// Returns the file capability that grants `needed`: the capability itself, CAP_SYS_ADMIN in its
// place, or nullopt.
std::optional<Capability> Carrier(const HostFacts& facts, Capability needed) {
  if (facts.CanGain(needed))
    return needed;
  if (IsPartOfAdmin(needed) && facts.CanGain(Capability::kSysAdmin))
    return Capability::kSysAdmin;
  return std::nullopt;
}

std::string ShellWord(const std::string& text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("/._-+", c) != nullptr;
  });
  if (is_plain && !text.empty())
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Returns why file capabilities of any kind have no effect here.
std::string WhyNoFileWorks(const HostFacts& facts) {
  if (facts.has_no_new_privileges)
    return "no_new_privs is set for this process, so no program that it starts gains capabilities";
  if (facts.is_program_nosuid) {
    return base::StrCat(facts.program_path,
                        " is on a file system mounted with nosuid, where file capabilities have "
                        "no effect; copy it elsewhere");
  }
  if (!facts.CanGain(Capability::kSetFileCapabilities))
    return "CAP_SETFCAP is outside the bounding set of this process, so setcap fails";
  return "";
}

}  // namespace

std::string CapabilityName(Capability capability) {
  for (const NamedCapability& used : kUsed) {
    if (used.capability != capability)
      continue;
    std::string name = used.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
  }
  return base::StrCat("capability ", static_cast<int>(capability));
}

std::string WhyNotGranted(const HostFacts& facts, Capability needed) {
  if (std::string why = WhyNoFileWorks(facts); !why.empty())
    return why;
  if (Carrier(facts, needed).has_value())
    return "";
  const std::string name = CapabilityName(needed);
  return base::StrCat(name, " is outside the bounding set of this process; only what started it ",
                      "can add it, such as docker run --cap-add=", name.substr(strlen("CAP_")),
                      " or CapabilityBoundingSet= of a systemd unit");
}

std::string GrantCommand(const HostFacts& facts, Capability needed) {
  if (!WhyNotGranted(facts, needed).empty())
    return "";
  std::vector<std::string> names;
  bool needs_admin = false;
  for (const NamedCapability& used : kUsed) {
    // Before 5.11, BPF maps count as locked memory. Only then does the recorder lift that limit.
    if (used.capability == Capability::kSysResource && facts.IsKernelAtLeast(5, 11))
      continue;
    const std::optional<Capability> carrier = Carrier(facts, used.capability);
    if (carrier == used.capability)
      names.push_back(used.name);
    needs_admin |= carrier == Capability::kSysAdmin;
  }
  if (needs_admin)
    names.push_back(kAdminName);
  return base::StrCat("sudo setcap ", absl::StrJoin(names, ","), "+ep ",
                      ShellWord(facts.program_path));
}

}  // namespace flarestack::record::agent
