// SPDX-License-Identifier: Apache-2.0
#include "source/source_folders.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace flarestack::source {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings = std::to_array<std::string_view>({
    "adb",   "ads", "asm", "c",    "c++", "cc",  "cjs", "clj", "cpp", "cs",   "cts",   "cu",
    "cuh",   "cxx", "d",   "dart", "erl", "ex",  "exs", "f",   "f90", "fs",   "go",    "groovy",
    "h",     "h++", "hh",  "hpp",  "hrl", "hs",  "hxx", "inc", "ipp", "java", "jl",    "js",
    "jsx",   "kt",  "kts", "lua",  "m",   "mjs", "ml",  "mli", "mm",  "mts",  "nim",   "pas",
    "php",   "pl",  "pm",  "py",   "pyi", "pyx", "r",   "rb",  "rs",  "s",    "scala", "svelte",
    "swift", "tcc", "ts",  "tsx",  "vb",  "vue", "zig",
});

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);  // must not block on a pipe or read a device
}

// Returns the canonical path if it is below `folder` and not hidden, else an empty string.
std::string BelowFolder(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error)
    return {};
  const fs::path file = fs::canonical(path, error);
  if (error)
    return {};
  const fs::path inner = file.lexically_relative(root);
  if (inner.empty())
    return {};
  for (const fs::path& part : inner) {
    if (part.native().starts_with('.'))  // "..", ".git", ".env"
      return {};
  }
  return file.string();
}

}  // namespace

bool IsSourceName(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0)
    return false;
  std::string ending(name.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kEndings, ending) != kEndings.end();
}

std::string SourceFolders::Find(std::string_view path) const {
  if (path.empty() || path.find('\0') != std::string_view::npos)
    return {};
  if (options_.is_own_user && IsFile(fs::path(path)))
    return std::string(path);
  if (!options_.is_own_user && !IsSourceName(path))
    return {};
  const std::string plain = fs::path(path).lexically_normal().string();
  for (const std::string& folder : options_.folders) {
    for (std::string_view end = plain; !end.empty();) {
      const fs::path candidate = fs::path(folder) / fs::path(end).relative_path();
      if (IsFile(candidate)) {
        std::string found =
            options_.is_own_user ? candidate.string() : BelowFolder(folder, candidate);
        if (!found.empty() && (options_.is_own_user || IsSourceName(found)))
          return found;
      }
      const size_t slash = end.find('/');
      end.remove_prefix(slash == std::string_view::npos ? end.size() : slash + 1);
    }
  }
  return {};
}

}  // namespace flarestack::source
