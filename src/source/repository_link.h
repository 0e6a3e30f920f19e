// SPDX-License-Identifier: Apache-2.0
//
// Builds the URL of a source line on a Git forge from a template:
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
  std::string service;  // the service this template is for; empty: all services without a template
  std::string url;
};

// Parses "URL" or "SERVICE=URL". Returns kInvalidArgument if a placeholder is not one of service,
// version, path and line, if {path} is missing, or if the URL is neither http: nor https:.
absl::StatusOr<RepositoryTemplate> ParseRepositoryTemplate(std::string_view text);

struct RepositoryOptions {
  std::vector<RepositoryTemplate> templates;
  // Path prefixes that do not exist in the repository, such as "/build/shop/". The longest match is
  // removed.
  std::vector<std::string> prefixes;
};

struct SourcePlace {
  std::string_view service;
  std::string_view version;
  std::string_view path;
  int64_t line = 0;
};

// Returns an empty string if no template matches the service, or if the template needs a version
// that is unknown.
std::string RepositoryLink(const RepositoryOptions& options, const SourcePlace& place);

}  // namespace flarestack::source
