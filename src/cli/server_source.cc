// SPDX-License-Identifier: Apache-2.0
#include "cli/server_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace flarestack::cli {

void ServerSource::DefineFlags(CLI::App* app) {
  constexpr char kGroup[] = "Profiles of a server, instead of files";
  const std::vector<CLI::Option*> of_client = client_.DefineFlags(app, kGroup);
  options_ = {
      app->add_option("-q,--query", scope_.selector, "which, such as '{service.name=\"cart\"}'")
          ->type_name("SELECTOR"),
      app->add_option("--from", scope_.from, "since when, such as now-1h or 2026-03-01T12:30:00Z")
          ->type_name("TIME"),
      app->add_option("--to", scope_.to, "until when")->type_name("TIME"),
  };
  for (CLI::Option* option : options_)
    option->group(kGroup);
  options_.insert(options_.end(), of_client.begin(), of_client.end());
}

absl::StatusOr<bool> ServerSource::IsWanted(const std::vector<std::string>& paths) const {
  const auto given =
      std::ranges::find_if(options_, [](const CLI::Option* option) { return option->count() > 0; });
  if (given != options_.end() && (url().empty() || !paths.empty())) {
    return absl::InvalidArgumentError(
        fmt::format("{} asks a server, and {}", (*given)->get_name(),
                    url().empty() ? "none is named by --server" : "files are named"));
  }
  return !url().empty() && paths.empty();
}

absl::StatusOr<std::string> ServerSource::Fetch(const ServerScope& scope,
                                                const FetchOptions& options) const {
  const ApiQuestion question = {
      .path = "/export",
      .parameters = {{"format", "otlp"},
                     {"detail", options.with_samples ? "samples" : "sums"},
                     {"q", scope.selector},
                     {"type", options.type},
                     {"from", scope.from},
                     {"to", scope.to}}};
  FLARE_ASSIGN(net::HttpResponse response, client_.Get(question, options.bytes_max));
  return std::move(response.body);
}

}  // namespace flarestack::cli
