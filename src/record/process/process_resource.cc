// SPDX-License-Identifier: Apache-2.0
#include "record/process/process_resource.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "base/hash.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "record/process/cgroup/cgroup_names.h"
#include "record/process/proc/process_list.h"
#include "record/process/proc/process_root.h"
#include "record/process/service/application_name.h"
#include "record/process/service/script_name.h"
#include "record/process/service/service_name.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;

// A program publishes its context soon after its start, or later when its SDK is set up.
constexpr milliseconds kLookPauseFirst{1000};
constexpr milliseconds kLookPauseMax{60'000};
// A process started by a script counts as part of that script for this long. If it lives longer, it
// is a separate service.
constexpr std::chrono::seconds kHelperAgeMax{10};

using Attributes = std::map<std::string, std::string, std::less<>>;

uint64_t SinceBootNs() {
  timespec time = {};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * base::kNanosPerSecond +
         static_cast<uint64_t>(time.tv_nsec);
}

// Returns the wall-clock start time of a process, in the format of process.creation.time.
std::string CreationTime(uint64_t start_time_ns) {
  timespec boot = {};
  timespec day = {};
  clock_gettime(CLOCK_BOOTTIME, &boot);
  clock_gettime(CLOCK_REALTIME, &day);
  const absl::Time start = absl::TimeFromTimespec(day) - absl::DurationFromTimespec(boot) +
                           absl::Nanoseconds(static_cast<int64_t>(start_time_ns));
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E3SZ", start, absl::UTCTimeZone());
}

void AddExecutable(const ProcessTexts& texts, Attributes* into) {
  if (texts.executable.empty())
    return;
  (*into)["process.executable.path"] = base::ToValidUtf8(texts.executable);
  (*into)["process.executable.name"] = base::ToValidUtf8(ExecutableName(texts.executable));
}

void AddRuntime(const ProcessIdentity& identity, Attributes* into) {
  if (identity.runtime_name.empty())
    return;
  (*into)["process.runtime.name"] = base::ToValidUtf8(identity.runtime_name);
  if (!identity.runtime_version.empty())
    (*into)["process.runtime.version"] = base::ToValidUtf8(identity.runtime_version);
}

void AddCgroup(const CgroupNames& names, Attributes* into) {
  if (!names.container_id.empty())
    (*into)["container.id"] = names.container_id;
  if (!names.runtime.empty())
    (*into)["container.runtime"] = names.runtime;
  if (!names.pod_uid.empty())
    (*into)["k8s.pod.uid"] = names.pod_uid;
}

// Attributes published by the process override those we derived.
void AddContext(const ProcessContext& context, Attributes* into) {
  for (const model::KeyValue& entry : context.resource_attributes()) {
    if (const std::string_view text = context.ResourceText(entry.key); !text.empty())
      (*into)[std::string(entry.key)] = base::ToValidUtf8(text);
  }
}

}  // namespace

ProcessResources::ProcessResources() : cgroups_(FindCgroupRoot()) {}

std::shared_ptr<const ProcessResource> ProcessResources::Of(const ProcessIdentity& identity,
                                                            Time now) {
  if (identity.is_former)
    return OfFormer(identity, now);
  Entry& entry = entries_[identity.pid];
  entry.is_used = true;
  // A process sampled during exec has no executable yet, and may exit before it can be read.
  const bool can_tell_more = !entry.has_executable && !identity.executable.empty();
  if (entry.resource == nullptr || entry.generation != identity.generation ||
      entry.start_time_ns != identity.start_time_ns || can_tell_more || now >= entry.own_name_at) {
    entry = {.generation = identity.generation, .start_time_ns = identity.start_time_ns};
    LookForContext(identity, &entry, now);
    if (entry.resource == nullptr)
      Make(identity, nullptr, &entry, now);
  } else if (now >= entry.next_look) {
    LookForContext(identity, &entry, now);
  }
  if (!entry.has_runtime && !identity.runtime_name.empty())
    AddRuntimeLater(identity, &entry);
  return entry.resource;
}

// In place, so that the samples from before its runtime was recognized belong to the same resource.
void ProcessResources::AddRuntimeLater(const ProcessIdentity& identity, Entry* entry) {
  entry->has_runtime = true;
  Attributes runtime;
  AddRuntime(identity, &runtime);
  ResourceAttributes group = *entry->resource->group;
  for (auto& [key, value] : runtime) {
    const auto place = std::ranges::lower_bound(group, key, {}, &TextAttribute::key);
    if (place == group.end() || place->key != key)  // or the process has published its own
      group.insert(place, {key, std::move(value)});
  }
  entry->resource->group = Group(std::move(group));
}

std::shared_ptr<const ProcessResource> ProcessResources::OfFormer(const ProcessIdentity& identity,
                                                                  Time now) {
  // Its resource may exist from when it still ran.
  if (const auto found = entries_.find(identity.pid);
      found != entries_.end() && found->second.resource != nullptr &&
      found->second.generation == identity.generation &&
      found->second.start_time_ns == identity.start_time_ns)
    return found->second.resource;
  Entry& entry = formers_[identity.generation];
  entry.is_used = true;
  if (entry.resource == nullptr)
    Make(identity, nullptr, &entry, now);
  return entry.resource;
}

void ProcessResources::LookForContext(const ProcessIdentity& identity, Entry* entry, Time now) {
  entry->pause = std::clamp(entry->pause * 2, kLookPauseFirst, kLookPauseMax);
  entry->next_look = now + entry->pause;
  auto read = ReadProcessContext(identity.pid, entry->known);
  if (!read.ok() || !read->has_value())
    return;
  auto context = std::make_shared<const ProcessContext>(*std::move(*read));
  entry->known = {.header_address = context->header_address,
                  .published_at_ns = context->published_at_ns};
  Make(identity, std::move(context), entry, now);
}

// Returns an empty string for a process that has lived for a while.
std::string ProcessResources::StarterOf(const ProcessIdentity& identity, const ProcessTexts& texts,
                                        Entry* entry, Time now) {
  const auto age =
      std::chrono::nanoseconds(SinceBootNs() - std::min(SinceBootNs(), identity.start_time_ns));
  const bool is_always_part =
      IsMemfd(texts.executable) || IsMultiprocessingChild(texts.command_line);
  if (age >= kHelperAgeMax && !is_always_part)
    return {};
  Starter starter = ancestors_.Find(identity.pid, identity.parent, now);
  if (is_always_part)
    return starter.script.empty() ? starter.executable : starter.script;
  if (!starter.script.empty())
    entry->own_name_at = now + (kHelperAgeMax - age);
  return starter.script;
}

std::shared_ptr<const ResourceAttributes> ProcessResources::Group(ResourceAttributes attributes) {
  std::string text;
  for (const TextAttribute& attribute : attributes) {
    base::StrAppend(&text, attribute.key.size(), ":", attribute.key, attribute.value.size(), ":",
                    attribute.value);
  }
  const base::Hash128 hash = base::HashContent(text);
  std::shared_ptr<const ResourceAttributes>& group = groups_[{hash.high, hash.low}];
  if (group == nullptr)
    group = std::make_shared<const ResourceAttributes>(std::move(attributes));
  return group;
}

void ProcessResources::Make(const ProcessIdentity& identity,
                            std::shared_ptr<const ProcessContext> context, Entry* entry, Time now) {
  ProcessTexts texts;
  if (!identity.is_former)
    texts = ReadProcessTexts(identity.pid).value_or(ProcessTexts());
  if (texts.executable.empty())
    texts.executable = identity.executable;
  entry->has_executable = !texts.executable.empty();
  entry->has_runtime = !identity.runtime_name.empty();
  if (texts.thread_name.empty())
    texts.thread_name = identity.command;
  std::optional<std::string> cgroup = cgroups_.Find(identity.cgroup_id);
  if (!cgroup || *cgroup == "/") {
    if (auto path = CgroupPathOfProcess(identity.pid); path.ok())
      cgroup = *std::move(path);
  }
  const CgroupNames names = ParseCgroupPath(cgroup.value_or("/"));
  ServiceFacts facts = {
      .context_service_name = context == nullptr ? std::string_view() : context->service_name(),
      .systemd_unit = names.systemd_unit,
      .texts = texts};
  ServiceIdentity service = IdentifyService(facts);
  if (!identity.is_former && IsWeakerThanApplication(service.rule)) {
    facts.application = FindApplicationName(texts, [&](const std::string& path) {
      return OpenInRoot(identity.pid, path, LastLink::kFollow);
    });
    service = IdentifyService(facts);
  }
  if (service.rule == ServiceNameRule::kExecutable) {
    const std::string starter = StarterOf(identity, texts, entry, now);
    facts.starter = starter;
    service = IdentifyService(facts);
  }
  Attributes attributes;
  for (const TextAttribute& attribute : service.attributes)
    attributes[attribute.key] = attribute.value;
  AddExecutable(texts, &attributes);
  AddCgroup(names, &attributes);
  AddRuntime(identity, &attributes);
  if (context != nullptr)
    AddContext(*context, &attributes);
  attributes["service.name"] = service.name;
  attributes["flarestack.service.name.rule"] = NameOf(service.rule);
  ResourceAttributes group;
  for (auto& [key, value] : attributes)
    group.push_back({key, std::move(value)});
  auto resource = std::make_shared<ProcessResource>();
  resource->pid = identity.pid;
  resource->group = Group(std::move(group));
  if (!identity.command.empty())
    resource->own.push_back({"process.command", base::ToValidUtf8(identity.command)});
  resource->own.push_back({"process.creation.time", CreationTime(identity.start_time_ns)});
  resource->context = std::move(context);
  entry->resource = std::move(resource);
}

void ProcessResources::Sweep() {
  absl::erase_if(entries_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [pid, entry] : entries_)
    entry.is_used = false;
  absl::erase_if(formers_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [generation, entry] : formers_)
    entry.is_used = false;
  absl::erase_if(groups_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

std::vector<TextAttribute> HostAttributes() {
  std::vector<TextAttribute> attributes;
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) == 0)
    attributes.push_back({"host.name", base::ToValidUtf8(name)});
  if (auto id = base::ReadFile("/etc/machine-id", 4096); id.ok()) {
    while (!id->empty() && id->back() == '\n')
      id->pop_back();
    if (!id->empty())
      attributes.push_back({"host.id", base::ToValidUtf8(*id)});
  }
  utsname about = {};
  if (uname(&about) == 0) {
    const std::string_view machine = about.machine;
    attributes.push_back({"host.arch", machine == "x86_64"    ? "amd64"
                                       : machine == "aarch64" ? "arm64"
                                                              : base::ToValidUtf8(machine)});
  }
  attributes.push_back({"os.type", "linux"});
  return attributes;
}

}  // namespace flarestack::record::agent
