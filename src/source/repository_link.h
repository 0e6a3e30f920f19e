// SPDX-License-Identifier: Apache-2.0
//
// The address of a line in the pages of a Git forge, from a template:
//
//   https://git.example/shop/{service}/blob/v{version}/{path}#L{line}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::source {

struct RepositoryTemplate {
  std::string service;  // whose sources it has; empty: those of all others
  std::string url;
};

// "URL", or "SERVICE=URL". kInvalidArgument for words in braces that are none of service, version,
// path and line, for a template without {path}, and for what is neither http: nor https:.
absl::StatusOr<RepositoryTemplate> ParseRepositoryTemplate(std::string_view text);

struct RepositoryOptions {
  std::vector<RepositoryTemplate> templates;
  // Beginnings of paths that the repository has not: "/build/shop/". The longest that fits is cut.
  std::vector<std::string> prefixes;
};

struct SourcePlace {
  std::string_view service;
  std::string_view version;
  std::string_view path;
  int64_t line = 0;
};

// Empty where no template is for the service, or where it needs a version that is not known.
std::string RepositoryLink(const RepositoryOptions& options, const SourcePlace& place);

}  // namespace flarestack::source
