// SPDX-License-Identifier: Apache-2.0
#include "check/known_attributes.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "base/text/text.h"

namespace flarestack::check {
namespace {

using enum ValueForm;

constexpr KnownAttribute kKnown[] = {
    {"profile.frame.type", kString, Carrier::kLocation},
    {"pprof.location.is_folded", kBool, Carrier::kLocation},
    {"pprof.mapping.has_functions", kBool, Carrier::kMapping},
    {"pprof.mapping.has_filenames", kBool, Carrier::kMapping},
    {"pprof.mapping.has_line_numbers", kBool, Carrier::kMapping},
    {"pprof.mapping.has_inline_frames", kBool, Carrier::kMapping},
    {"pprof.profile.comment", kStrings, Carrier::kProfile},
    {"pprof.profile.drop_frames", kString, Carrier::kProfile},
    {"pprof.profile.keep_frames", kString, Carrier::kProfile},
    {"pprof.profile.doc_url", kString, Carrier::kProfile},
    {"pprof.scope.default_sample_type", kString, Carrier::kScope},
    {"pprof.scope.sample_type_order", kInts, Carrier::kScope},
    {"service.name", kString},
    {"service.instance.id", kString},
    {"service.namespace", kString},
    {"service.version", kString},
    {"deployment.environment.name", kString},
    {"telemetry.sdk.name", kString},
    {"telemetry.sdk.language", kString},
    {"telemetry.sdk.version", kString},
    {"telemetry.distro.name", kString},
    {"telemetry.distro.version", kString},
    {"process.pid", kInt},
    {"process.parent_pid", kInt},
    {"process.vpid", kInt},
    {"process.args_count", kInt},
    {"process.creation.time", kString},
    {"process.executable.name", kString},
    {"process.executable.path", kString},
    {"process.command", kString},
    {"process.command_line", kString},
    {"process.command_args", kStrings},
    {"process.owner", kString},
    {"process.title", kString},
    {"process.working_directory", kString},
    {"process.linux.cgroup", kString},
    {"process.runtime.name", kString},
    {"process.runtime.version", kString},
    {"process.runtime.description", kString},
    {"thread.id", kInt},
    {"thread.name", kString},
    {"cpu.logical_number", kInt},
    {"cpu.mode", kString},
    {"container.id", kString},
    {"container.name", kString},
    {"container.image.name", kString},
    {"oci.manifest.digest", kString},
    {"host.id", kString},
    {"host.name", kString},
    {"host.arch", kString},
    {"host.type", kString},
    {"host.ip", kStrings},
    {"host.mac", kStrings},
    {"os.type", kString},
    {"os.name", kString},
    {"os.version", kString},
    {"os.description", kString},
    {"os.build_id", kString},
    {"k8s.cluster.name", kString},
    {"k8s.cluster.uid", kString},
    {"k8s.node.name", kString},
    {"k8s.node.uid", kString},
    {"k8s.namespace.name", kString},
    {"k8s.pod.name", kString},
    {"k8s.pod.uid", kString},
    {"k8s.container.name", kString},
    {"k8s.container.restart_count", kInt},
    {"k8s.deployment.name", kString},
    {"k8s.replicaset.name", kString},
    {"k8s.statefulset.name", kString},
    {"k8s.daemonset.name", kString},
    {"k8s.job.name", kString},
    {"k8s.cronjob.name", kString},
};

struct Renamed {
  std::string_view old_name;
  std::string_view new_name;
};
constexpr Renamed kRenamed[] = {
    {"process.executable.build_id.profiling", "process.executable.build_id.htlhash"},
    {"deployment.environment", "deployment.environment.name"},
    {"telemetry.auto.version", "telemetry.distro.version"},
    {"system.cpu.logical_number", "cpu.logical_number"},
    {"system.cpu.state", "cpu.mode"},
    {"process.cpu.state", "cpu.mode"},
};
constexpr Renamed kRenamedPrefixes[] = {
    {"container.labels.", "container.label."},
    {"k8s.pod.labels.", "k8s.pod.label."},
};

constexpr std::string_view kFrameTypes[] = {"beam",   "cpython", "dotnet", "go",   "jvm",
                                            "kernel", "luajit",  "native", "perl", "php",
                                            "ruby",   "rust",    "v8js"};
constexpr Renamed kFrameTypeSpellings[] = {
    {"python", "cpython"}, {"java", "jvm"},        {"hotspot", "jvm"}, {"node", "v8js"},
    {"nodejs", "v8js"},    {"javascript", "v8js"}, {"js", "v8js"},     {"v8", "v8js"},
    {"erlang", "beam"},    {"elixir", "beam"},     {".net", "dotnet"}, {"clr", "dotnet"},
    {"golang", "go"},      {"c", "native"},        {"c++", "native"},  {"cpp", "native"},
};

constexpr std::string_view kTimes[] = {"nanoseconds", "microseconds", "milliseconds", "seconds",
                                       "ns",          "us",           "ms",           "s"};
constexpr std::string_view kCounts[] = {"count", "1"};
constexpr std::string_view kBytes[] = {"bytes", "By", "kilobytes", "megabytes"};

struct SampleTypeUnits {
  std::string_view type;
  std::span<const std::string_view> units;  // the first is the suggested one
};
constexpr SampleTypeUnits kSampleTypes[] = {
    {"samples", kCounts},       {"events", kCounts},        {"cpu", kTimes},
    {"wall", kTimes},           {"off_cpu", kTimes},        {"delay", kTimes},
    {"contentions", kCounts},   {"alloc_objects", kCounts}, {"allocated_objects", kCounts},
    {"inuse_objects", kCounts}, {"alloc_space", kBytes},    {"allocated_space", kBytes},
    {"inuse_space", kBytes},    {"goroutine", kCounts},     {"threadcreate", kCounts},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string_view FormName(ValueForm form) {
  constexpr std::string_view kNames[] = {"a string", "an integer", "a bool", "a list of strings",
                                         "a list of integers"};
  return kNames[static_cast<size_t>(form)];
}

std::string_view CarrierName(Carrier carrier) {
  constexpr std::string_view kNames[] = {"anything", "a resource", "a scope",   "a profile",
                                         "a sample", "a mapping",  "a location"};
  return kNames[static_cast<size_t>(carrier)];
}

const KnownAttribute* FindKnownAttribute(std::string_view key) {
  static const auto* const kIndex = [] {
    auto* map = new absl::flat_hash_map<std::string_view, const KnownAttribute*>();
    for (const KnownAttribute& known : kKnown)
      map->emplace(known.key, &known);
    return map;
  }();
  const auto found = kIndex->find(key);
  return found == kIndex->end() ? nullptr : found->second;
}

std::optional<std::string> ReplacementOf(std::string_view key) {
  for (const Renamed& renamed : kRenamed) {
    if (key == renamed.old_name)
      return std::string(renamed.new_name);
  }
  for (const Renamed& renamed : kRenamedPrefixes) {
    if (key.starts_with(renamed.old_name))
      return base::StrCat(renamed.new_name, key.substr(renamed.old_name.size()));
  }
  // The old form has one key per comment; the conventions now have one list.
  constexpr std::string_view kCommentPrefix = "pprof.profile.comment.";
  if (key.starts_with(kCommentPrefix) && IsNumber(key.substr(kCommentPrefix.size())))
    return "pprof.profile.comment";
  return std::nullopt;
}

bool IsKnownFrameType(std::string_view value) {
  return std::ranges::find(kFrameTypes, value) != std::end(kFrameTypes);
}

std::optional<std::string_view> FrameTypeMeantBy(std::string_view value) {
  const std::string lower = Lower(value);
  if (const auto found = std::ranges::find(kFrameTypes, lower); found != std::end(kFrameTypes))
    return *found;
  const auto found = std::ranges::find(kFrameTypeSpellings, lower, &Renamed::old_name);
  if (found == std::end(kFrameTypeSpellings))
    return std::nullopt;
  return found->new_name;
}

std::optional<std::string_view> UnitExpectedFor(std::string_view sample_type,
                                                std::string_view unit) {
  const auto found = std::ranges::find(kSampleTypes, sample_type, &SampleTypeUnits::type);
  if (found == std::end(kSampleTypes) ||
      std::ranges::find(found->units, unit) != found->units.end())
    return std::nullopt;
  return found->units.front();
}

}  // namespace flarestack::check
