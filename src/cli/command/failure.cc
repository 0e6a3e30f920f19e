// SPDX-License-Identifier: Apache-2.0
#include "cli/command/failure.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/terminal/terminal.h"

namespace flarestack::cli {
int Report(const Failure& failure, ExitCode code) {
  fmt::print(stderr, "flarestack: {}\n", Printable(failure.what));
  if (!failure.why.empty())
    fmt::print(stderr, "  {}\n", Printable(failure.why));
  if (!failure.next.empty())
    fmt::print(stderr, "  try: {}\n", Printable(failure.next));
  return code;
}

void PrintWarnings(const base::Warnings& warnings) {
  for (const auto& [kind, entry] : warnings.kinds()) {
    fmt::print(stderr, "warning: {}", kind);
    if (entry.count > 1)
      fmt::print(stderr, " ({} times)", entry.count);
    fmt::print(stderr, "\n");
    for (const std::string& example : entry.examples) {
      if (!example.empty())
        fmt::print(stderr, "  {}\n", Printable(example));
    }
    if (entry.count > entry.examples.size()) {
      fmt::print(stderr, "  ... {} more\n", entry.count - entry.examples.size());
    }
  }
}

}  // namespace flarestack::cli
