// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <algorithm>

#include "base/file.h"
#include "base/status.h"
#include "cli/failure.h"

namespace flarestack::cli {

std::string InputName(const std::string& path) {
  return path == base::kStandardStream ? "standard input" : path;
}

int RefuseStandardInputTwice(std::span<const std::string> paths) {
  if (std::ranges::count(paths, base::kStandardStream) < 2)
    return kSuccess;
  return Report({"standard input is named twice", "it can be read once", "name it once"}, kUsage);
}

std::optional<query::Pattern> ReadPattern(const std::string& regex, const std::string& what,
                                          int* code) {
  auto pattern = query::Pattern::Make(regex);
  if (pattern.ok())
    return *std::move(pattern);
  *code = Report(
      {what, std::string(base::Message(pattern.status())), "the same with the expression mended"},
      kUsage);
  return std::nullopt;
}

}  // namespace flarestack::cli
