// SPDX-License-Identifier: Apache-2.0
#include "record/process/cgroup/cgroup_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/encoding.h"

namespace flarestack::record::agent {
namespace {

constexpr size_t kIdDigits = 64;
// The innermost ones count; container engines do not create deeper paths.
constexpr size_t kSegmentsMax = 64;

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsDecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Innermost first.
std::vector<std::string_view> SegmentsOf(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty() && segments.size() < kSegmentsMax) {
    const size_t slash = path.rfind('/');
    const std::string_view segment =
        slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!segment.empty())
      segments.push_back(segment);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return segments;
}

std::string_view WithoutSuffix(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

// Maps the word before the id, such as "cri-containerd", or the parent segment of a bare id.
std::string_view RuntimeOfWord(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kRuntimes = {{
      {"docker", "docker"},
      {"actions_job", "docker"},
      {"cri-containerd", "containerd"},
      {"containerd", "containerd"},
      {"nerdctl", "containerd"},
      {"crio", "cri-o"},
      {"libpod", "podman"},
      {"libpod-payload", "podman"},
      {"libpod_parent", "podman"},
      {"garden", "garden"},
  }};
  for (const auto& [name, runtime] : kRuntimes) {
    if (word == name)
      return runtime;
  }
  return {};
}

struct ContainerWord {
  std::string_view before;  // text before the id
  std::string_view id;
};

// Parses "cri-containerd-<id>.scope", "pod.slice:cri-containerd:<id>" or "<id>".
std::optional<ContainerWord> FindId(std::string_view segment) {
  segment = WithoutSuffix(segment, ".scope");
  if (segment.size() < kIdDigits)
    return std::nullopt;
  const size_t begin = segment.size() - kIdDigits;
  const std::string_view id = segment.substr(begin);
  if (!IsHex(id))
    return std::nullopt;
  if (begin == 0)
    return ContainerWord{.before = {}, .id = id};
  if (const char separator = segment[begin - 1];
      separator != '-' && separator != ':' && separator != '_') {
    return std::nullopt;
  }
  std::string_view before = segment.substr(0, begin - 1);
  before = before.substr(before.rfind(':') + 1);  // npos + 1 is 0
  return ContainerWord{.before = before, .id = id};
}

// Ids of Amazon ECS ("<32 digits>-<number>") and of Cloud Foundry's Garden are ambiguous, so they
// count only below the folders "ecs" and "garden".
bool IsIdOf(std::string_view parent, std::string_view segment) {
  if (parent == "ecs") {
    return segment.size() > 33 && IsHex(segment.substr(0, 32)) && segment[32] == '-' &&
           IsDecimal(segment.substr(33));
  }
  if (parent == "garden") {
    return segment.size() >= 20 && segment.size() <= 36 &&
           segment.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
  }
  return false;
}

// A container monitor runs beside its container, in a cgroup with the same id.
bool IsMonitor(std::string_view before) { return before.ends_with("conmon"); }

// Returns the index of the segment that names the container, or segments.size() if there is none.
size_t FindContainer(const std::vector<std::string_view>& segments, CgroupNames* names) {
  for (size_t i = 0; i < segments.size(); ++i) {
    const std::string_view parent = i + 1 < segments.size() ? segments[i + 1] : std::string_view();
    const std::string_view grandparent =
        i + 2 < segments.size() ? segments[i + 2] : std::string_view();
    if (const auto word = FindId(segments[i]); word.has_value()) {
      if (IsMonitor(word->before))
        return segments.size();
      names->container_id = word->id;
      names->runtime = RuntimeOfWord(word->before.empty() ? parent : word->before);
      return i;
    }
    if (IsIdOf(parent, segments[i]) || (grandparent == "ecs" && IsIdOf("ecs", segments[i]))) {
      names->container_id = segments[i];
      names->runtime = RuntimeOfWord(parent);
      return i;
    }
  }
  return segments.size();
}

// "8f1c...-..." or "8f1c..._..." or, for static pods, 32 digits.
std::optional<std::string> ParsePodUid(std::string_view text) {
  constexpr std::array<size_t, 4> kDashes = {8, 13, 18, 23};
  if (text.size() == 32 && IsHex(text))
    return std::string(text);
  if (text.size() != 36)
    return std::nullopt;
  std::string uid(text);
  for (size_t i = 0; i < uid.size(); ++i) {
    const bool is_dash = std::find(kDashes.begin(), kDashes.end(), i) != kDashes.end();
    if (is_dash && (uid[i] == '-' || uid[i] == '_')) {
      uid[i] = '-';
    } else if (is_dash || !IsHex(uid.substr(i, 1))) {
      return std::nullopt;
    }
  }
  return uid;
}

std::optional<std::string> FindPodUid(std::string_view segment) {
  constexpr std::string_view kPod = "pod";
  segment = WithoutSuffix(segment.substr(0, segment.find(':')), ".slice");
  // "kubepods-pod<uid>" contains the word twice; the uid follows the last one.
  const size_t pod = segment.rfind(kPod);
  if (pod == std::string_view::npos || (pod != 0 && segment[pod - 1] != '-'))
    return std::nullopt;
  return ParsePodUid(segment.substr(pod + kPod.size()));
}

// "foo\x2dbar" -> "foo-bar"
std::string UndoEscapes(std::string_view unit) {
  std::string out;
  while (!unit.empty()) {
    if (unit.starts_with("\\x") && unit.size() >= 4) {
      if (const auto byte = base::HexDecode(unit.substr(2, 2)); byte.has_value()) {
        out += *byte;
        unit.remove_prefix(4);
        continue;
      }
    }
    out += unit[0];
    unit.remove_prefix(1);
  }
  return out;
}

std::string FindUnit(const std::vector<std::string_view>& segments, size_t container) {
  std::string_view unit;
  for (size_t i = 0; i < container; ++i) {
    if (segments[i] == "user.slice")
      return {};
    if (unit.empty() && segments[i].ends_with(".service"))
      unit = segments[i];
  }
  return UndoEscapes(unit);
}

}  // namespace

CgroupNames ParseCgroupPath(std::string_view path) {
  CgroupNames names;
  const std::vector<std::string_view> segments = SegmentsOf(path);
  const size_t container = FindContainer(segments, &names);
  for (size_t i = 0; i < segments.size() && names.pod_uid.empty(); ++i)
    names.pod_uid = FindPodUid(segments[i]).value_or("");
  names.systemd_unit = FindUnit(segments, container);
  return names;
}

}  // namespace flarestack::record::agent
