// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_texts.h"

#include <unistd.h>
#include <climits>

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "record/process/proc/bounded_file.h"
#include "record/process/proc/process_list.h"

namespace flarestack::record::agent {
namespace {

constexpr size_t kEnvironmentBytesMax = 1 << 20;
constexpr size_t kCommandLineBytesMax = 64 << 10;

// Returns the target of a link in /proc; empty if it cannot be read.
std::string ReadProcLink(const std::string& link) {
  std::string path(PATH_MAX, '\0');
  const ssize_t bytes = readlink(link.c_str(), path.data(), path.size());
  path.resize(static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
  return path;
}

}  // namespace

absl::StatusOr<ProcessTexts> ReadProcessTexts(pid_t pid) {
  ProcessTexts texts;
  FLARE_ASSIGN(texts.thread_name, ThreadName(pid, pid));
  const std::string folder = base::StrCat("/proc/", pid, "/");
  texts.environment = ReadBegin(folder + "environ", kEnvironmentBytesMax).value_or("");
  texts.command_line = ReadBegin(folder + "cmdline", kCommandLineBytesMax).value_or("");
  texts.executable = ReadExecutable(pid);
  texts.working_directory = ReadProcLink(folder + "cwd");
  return texts;
}

std::string ReadExecutable(pid_t pid) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::string path = ReadProcLink(base::StrCat("/proc/", pid, "/exe"));
  if (path.ends_with(kDeleted))
    path.resize(path.size() - kDeleted.size());
  return path;
}

}  // namespace flarestack::record::agent
