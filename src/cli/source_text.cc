// SPDX-License-Identifier: Apache-2.0
#include "cli/source_text.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"

namespace flarestack::cli {
namespace {

// A profile must not make us wait on a pipe or read a device.
bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

std::string Find(std::string_view path, const std::vector<std::string>& folders) {
  if (std::string whole(path); IsFile(whole))
    return whole;
  for (const std::string& folder : folders) {
    for (std::string_view end = path; !end.empty();) {
      if (std::string candidate = folder + "/" + std::string(end); IsFile(candidate))
        return candidate;
      const size_t slash = end.find('/');
      end.remove_prefix(slash == std::string_view::npos ? end.size() : slash + 1);
    }
  }
  return {};
}

}  // namespace

std::string_view SourceText::Line(std::string_view path, int64_t line) {
  if (path.empty() || line < 1)
    return {};
  const std::vector<std::string>& lines = LinesOf(path);
  const auto index = static_cast<size_t>(line) - 1;
  return index < lines.size() ? std::string_view(lines[index]) : std::string_view();
}

int64_t SourceText::EndOfFunction(std::string_view path, int64_t first, int64_t last) {
  constexpr int64_t kLinesMax = 500;
  constexpr int64_t kMargin = 5;
  const auto line_count = static_cast<int64_t>(LinesOf(path).size());
  const int64_t margin_end = std::min(last + kMargin, line_count);
  const size_t indentation = Line(path, first).find_first_not_of(' ');
  if (first < 1 || indentation == std::string_view::npos)
    return margin_end;
  for (int64_t at = std::max(last, first) + 1; at <= std::min(last + kLinesMax, line_count); ++at) {
    const std::string_view line = Line(path, at);
    const size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos || start > indentation)
      continue;
    return line[start] == '}' || line[start] == ')' ? at : at - 1;
  }
  return margin_end;
}

const std::vector<std::string>& SourceText::LinesOf(std::string_view path) {
  if (const auto it = files_.find(path); it != files_.end())
    return it->second;
  std::vector<std::string>& lines = files_[std::string(path)];
  const std::string file = Find(path, folders_);
  if (file.empty())
    return lines;
  const auto bytes = base::ReadFile(file, kFileBytesMax);
  if (!bytes.ok())
    return lines;
  std::istringstream in(*bytes);
  for (std::string line; std::getline(in, line);) {
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < ' ')
        c = ' ';  // tabs, and whatever a terminal might obey
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace flarestack::cli
