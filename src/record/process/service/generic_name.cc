// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/generic_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

// Without file extensions, sorted.
constexpr std::array<std::string_view, 45> kPrograms = {
    "__init__", "__main__", "a.out",  "agent",  "api",    "app",      "artisan",  "asgi",
    "backend",  "bin",      "binary", "boot",   "bundle", "celery",   "cli",      "client",
    "daemon",   "daphne",   "entry",  "exe",    "flask",  "frontend", "gunicorn", "hypercorn",
    "index",    "job",      "launch", "main",   "manage", "nodemon",  "program",  "puma",
    "rackup",   "rails",    "run",    "script", "serve",  "server",   "service",  "start",
    "ts-node",  "uvicorn",  "web",    "worker", "wsgi"};
static_assert(std::ranges::is_sorted(kPrograms));

// Common folders for programs.
constexpr std::array<std::string_view, 21> kFolders = {
    ".bin",    "app",  "bin",  "build", "cmd",          "current", "debug",
    "dist",    "home", "lib",  "local", "node_modules", "opt",     "out",
    "release", "root", "sbin", "src",   "srv",          "target",  "usr"};
static_assert(std::ranges::is_sorted(kFolders));

// "1.24.3", "v2", "3".
bool IsVersion(std::string_view name) {
  if (name.starts_with('v') && name.size() > 1)
    name.remove_prefix(1);
  return !name.empty() && name.find_first_not_of("0123456789.-_") == std::string_view::npos;
}

std::string_view Stem(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

bool IsGenericFolder(std::string_view name) {
  return IsVersion(name) || std::ranges::binary_search(kFolders, name) ||
         std::ranges::binary_search(kPrograms, name);
}

}  // namespace

bool IsGenericName(std::string_view name) {
  return IsVersion(name) || std::ranges::binary_search(kPrograms, name) ||
         std::ranges::binary_search(kPrograms, Stem(name));
}

std::string QualifiedName(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash + 1);
  std::vector<std::string_view> folders;  // nearest first
  std::string_view rest =
      slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  while (!rest.empty()) {
    const size_t at = rest.rfind('/');
    const std::string_view folder = rest.substr(at + 1);
    if (!folder.empty() && folder != ".")
      folders.push_back(folder);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(0, at);
  }
  if (folders.empty())
    return std::string(name);
  const auto meaningful = std::ranges::find_if_not(folders, IsGenericFolder);
  return base::StrCat(meaningful == folders.end() ? folders.front() : *meaningful, "/", name);
}

}  // namespace flarestack::record::agent
