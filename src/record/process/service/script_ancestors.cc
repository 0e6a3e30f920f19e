// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/script_ancestors.h"

#include <utility>

#include "record/process/proc/process_list.h"
#include "record/process/proc/process_root.h"
#include "record/process/service/application_name.h"
#include "record/process/service/script_name.h"
#include "record/process/service/service_name.h"

namespace flarestack::record::agent {
namespace {

constexpr int kGenerationsMax = 8;
constexpr size_t kAncestorsMax = 1024;
constexpr std::chrono::seconds kReadAgain{1};

}  // namespace

const ScriptAncestors::Ancestor& ScriptAncestors::Read(pid_t pid, Time now) {
  if (ancestors_.size() >= kAncestorsMax)
    ancestors_.clear();
  const auto [place, is_new] = ancestors_.try_emplace(pid);
  Ancestor& ancestor = place->second;
  if (!is_new && now < ancestor.read_at + kReadAgain)
    return ancestor;
  const ProcessTexts texts = ReadProcessTexts(pid).value_or(ProcessTexts());
  ApplicationName application = FindApplicationName(
      texts, [pid](const std::string& path) { return OpenInRoot(pid, path, LastLink::kFollow); });
  ancestor = {
      .script = application.name.empty() ? QualifiedScriptName(texts) : std::move(application.name),
      .executable = IsMemfd(texts.executable) ? "" : ExecutableName(texts.executable),
      .is_shell = IsShell(texts.executable),
      .parent = ParentOf(pid).value_or(0),
      .read_at = now};
  return ancestor;
}

Starter ScriptAncestors::Find(pid_t pid, pid_t parent, Time now) {
  Starter starter;
  pid_t next = parent != 0 ? parent : ParentOf(pid).value_or(0);
  for (int i = 0; i < kGenerationsMax && next > 1; ++i) {
    const Ancestor& ancestor = Read(next, now);
    if (starter.executable.empty())
      starter.executable = ancestor.executable;
    if (!ancestor.script.empty()) {
      starter.script = ancestor.script;
      break;
    }
    if (!ancestor.is_shell && !ancestor.executable.empty())
      break;
    next = ancestor.parent;
  }
  return starter;
}

}  // namespace flarestack::record::agent
