// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/choice_flags.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::cli {
namespace {

constexpr size_t kUserBytesMax = 64 << 10;  // of a user database entry

// Accepts a number or a name.
absl::StatusOr<uint32_t> UserId(const std::string& user) {
  uint32_t id = 0;
  const char* const text_end = user.data() + user.size();
  const auto [end, error] = std::from_chars(user.data(), text_end, id);
  if (error == std::errc() && end == text_end)
    return id;
  passwd entry = {};
  passwd* found = nullptr;
  std::vector<char> room(kUserBytesMax);
  if (getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
    return absl::InvalidArgumentError(base::StrCat("--user: no user ", user));
  return found->pw_uid;
}

// The id of a cgroup is the inode number of its directory.
absl::StatusOr<uint64_t> CgroupId(const std::string& path) {
  struct stat about = {};
  const std::string folder =
      path.starts_with("/sys/") ? path : base::StrCat("/sys/fs/cgroup/", path);
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    return absl::InvalidArgumentError(base::StrCat("--cgroup: no such cgroup ", folder));
  return about.st_ino;
}

}  // namespace

void ChoiceFlags::Define(CLI::App* app) {
  app->add_option("--command", commands_, "processes with this name; repeatable")
      ->allow_extra_args(false);
  app->add_option("--user", users_, "processes of this user, by name or uid; repeatable")
      ->allow_extra_args(false);
  app->add_option("--cgroup", cgroups_,
                  "processes in this cgroup, a path below /sys/fs/cgroup; repeatable")
      ->allow_extra_args(false);
}

absl::StatusOr<record::agent::Choice> ChoiceFlags::Read() const {
  record::agent::Choice choice;
  choice.commands = commands_;
  for (const std::string& user : users_) {
    FLARE_ASSIGN(const uint32_t id, UserId(user));
    choice.users.push_back(id);
  }
  for (const std::string& cgroup : cgroups_) {
    FLARE_ASSIGN(const uint64_t id, CgroupId(cgroup));
    choice.cgroups.push_back(id);
  }
  return choice;
}

std::vector<std::string> ChoiceFlags::Words() const {
  std::vector<std::string> words;
  for (const std::string& command : commands_)
    words.push_back("command " + command);
  for (const std::string& user : users_)
    words.push_back("user " + user);
  for (const std::string& cgroup : cgroups_)
    words.push_back("cgroup " + cgroup);
  return words;
}

}  // namespace flarestack::cli
