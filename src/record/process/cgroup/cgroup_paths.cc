// SPDX-License-Identifier: Apache-2.0
#include "record/process/cgroup/cgroup_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "elf/text_fields.h"
#include "record/process/cgroup/cgroup_names.h"
#include "record/process/proc/bounded_file.h"

namespace flarestack::record::agent {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

struct Child {
  uint64_t id = 0;
  std::string name;
};

std::vector<Child> ListChildren(const std::string& path, size_t count_max) {
  std::vector<Child> children;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  if (folder == nullptr)
    return children;                                     // gone meanwhile
  while (const dirent* entry = readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (entry->d_type != DT_DIR || name == "." || name == "..")
      continue;
    if (children.size() >= count_max)
      break;
    children.push_back({.id = entry->d_ino, .name = std::string(name)});
  }
  return children;
}

}  // namespace

CgroupPaths::CgroupPaths(std::string root, const Limits& limits)
    : root_(std::move(root)), limits_(limits) {
  if (!root_.empty())
    root_folder_ = base::Descriptor(open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::optional<std::string> CgroupPaths::Find(uint64_t cgroup_id) {
  if (const auto known = paths_.find(cgroup_id); known != paths_.end())
    return known->second;
  if (!root_folder_.is_open() || unknown_.contains(cgroup_id))
    return std::nullopt;
  if (std::optional<std::string> path = OpenByNumber(cgroup_id); path.has_value()) {
    Keep(cgroup_id, *path);
    return path;
  }
  Walk();
  if (const auto found = paths_.find(cgroup_id); found != paths_.end())
    return found->second;
  if (unknown_.size() >= limits_.paths_max)
    unknown_.clear();
  unknown_.insert(cgroup_id);
  return std::nullopt;
}

std::optional<std::string> CgroupPaths::OpenByNumber(uint64_t cgroup_id) const {
  constexpr int kKernfsHandle = 0xfe;  // FILEID_KERNFS: the handle consists of the id alone
  alignas(file_handle) char memory[sizeof(file_handle) + sizeof(cgroup_id)] = {};
  auto* const handle = reinterpret_cast<file_handle*>(memory);
  handle->handle_bytes = sizeof(cgroup_id);
  handle->handle_type = kKernfsHandle;
  std::memcpy(handle->f_handle, &cgroup_id, sizeof(cgroup_id));
  const base::Descriptor cgroup(
      open_by_handle_at(root_folder_.get(), handle, O_PATH | O_CLOEXEC | O_DIRECTORY));
  if (!cgroup.is_open())
    return std::nullopt;
  std::string path(PATH_MAX, '\0');
  const ssize_t bytes =
      readlink(base::StrCat("/proc/self/fd/", cgroup.get()).c_str(), path.data(), path.size());
  if (bytes <= 0)
    return std::nullopt;
  path.resize(static_cast<size_t>(bytes));
  if (path == root_)
    return "/";
  if (!path.starts_with(root_) || path[root_.size()] != '/')
    return std::nullopt;
  return path.substr(root_.size());
}

void CgroupPaths::Walk() {
  size_t left = limits_.walk_max;
  std::vector<std::string> folders = {""};
  while (!folders.empty() && left > 0) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    for (Child& child : ListChildren(root_ + folder, left)) {
      --left;
      folders.push_back(base::StrCat(folder, "/", child.name));
      Keep(child.id, folders.back());
    }
  }
}

void CgroupPaths::Keep(uint64_t cgroup_id, std::string path) {
  if (paths_.size() >= limits_.paths_max)
    paths_.clear();
  paths_.insert_or_assign(cgroup_id, std::move(path));
}

std::string FindCgroupRoot(std::string_view mountinfo) {
  constexpr int kMountPointField = 4;
  while (!mountinfo.empty()) {
    std::string_view line = elf::TakeLine(&mountinfo);
    // The type follows the fields that end with " - ". A space in a mount point is written as \040.
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos || !line.substr(dash + 3).starts_with("cgroup2 "))
      continue;
    for (int field = 0; field < kMountPointField; ++field)
      elf::TakeWord(&line);
    return std::string(elf::TakeWord(&line));
  }
  return {};
}

std::string FindCgroupRoot() {
  constexpr size_t kMountsBytesMax = 1 << 22;
  const auto mountinfo = ReadBegin("/proc/self/mountinfo", kMountsBytesMax);
  return mountinfo.ok() ? FindCgroupRoot(*mountinfo) : "";
}

std::string ChooseCgroupPath(std::string_view proc_cgroup) {
  // A line is "number:controllers:path"; version 2 has number 0 and is always the last.
  std::string_view best = "/";
  int best_rank = 0;
  while (!proc_cgroup.empty()) {
    const std::string_view line = elf::TakeLine(&proc_cgroup);
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || second + 1 >= line.size() || line[second + 1] != '/')
      continue;
    const std::string_view path = line.substr(second + 1);
    const bool is_version_2 = line.starts_with("0::");
    const bool is_systemd = line.substr(first, second - first) == ":name=systemd";
    const bool has_container = !ParseCgroupPath(path).container_id.empty();
    const int rank =
        path == "/" ? 0 : 1 + (has_container ? 4 : 0) + (is_version_2 ? 2 : (is_systemd ? 1 : 0));
    if (rank > best_rank) {
      best = path;
      best_rank = rank;
    }
  }
  return std::string(best);
}

absl::StatusOr<std::string> CgroupPathOfProcess(pid_t pid) {
  constexpr size_t kCgroupBytesMax = 1 << 16;
  FLARE_ASSIGN(const std::string text,
               ReadBegin(base::StrCat("/proc/", pid, "/cgroup"), kCgroupBytesMax));
  return ChooseCgroupPath(text);
}

}  // namespace flarestack::record::agent
