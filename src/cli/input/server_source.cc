// SPDX-License-Identifier: Apache-2.0
#include "cli/input/server_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "cli/input/api_client.h"
#include "cli/input/inputs.h"
#include "codec/registry.h"

namespace flarestack::cli {

void ServerSource::DefineFlags(CLI::App* app) {
  constexpr char kGroup[] = "Profiles from a server instead of files";
  client_options_ = client_.DefineFlags(app, kGroup);
  scope_options_ = {
      app->add_option("-q,--query", scope_.selector, "selector, such as '{service.name=\"cart\"}'")
          ->type_name("SELECTOR"),
      app->add_option("--from", scope_.from,
                      "start time, such as now-1h or 2026-03-01T12:30:00Z; with files their "
                      "format, if not detected by content: " +
                          InputFormats())
          ->type_name("TIME"),
      app->add_option("--to", scope_.to, "end time")->type_name("TIME"),
  };
  for (CLI::Option* option : scope_options_)
    option->group(kGroup);
  from_ = scope_options_[1];
}

std::string ServerSource::format_of_files() const {
  return from_ != nullptr && from_->count() > 0 ? scope_.from : "";
}

absl::StatusOr<bool> ServerSource::IsWanted(const std::vector<std::string>& paths) const {
  const bool has_files = !paths.empty() && !(paths.size() == 1 && IsPageLink(paths[0]));
  if (const std::string format = format_of_files(); has_files && !format.empty()) {
    if (codec::FindReaderByName(format) == nullptr) {
      return absl::InvalidArgumentError(fmt::format(
          "--from {}: with files it sets the format, one of {}", format, InputFormats()));
    }
  }
  const auto find_given = [&](const std::vector<CLI::Option*>& options) -> const CLI::Option* {
    const auto given = std::ranges::find_if(options, [&](const CLI::Option* option) {
      return option->count() > 0 && !(has_files && option == from_);
    });
    return given == options.end() ? nullptr : *given;
  };
  const CLI::Option* given = find_given(scope_options_);
  if (paths.size() == 1 && IsPageLink(paths[0])) {
    if (given == nullptr)
      return true;
    return absl::InvalidArgumentError(
        fmt::format("{} is already set by the link", given->get_name()));
  }
  if (given == nullptr)
    given = find_given(client_options_);
  if (given != nullptr && (url().empty() || !paths.empty())) {
    return absl::InvalidArgumentError(
        fmt::format("{} needs a server, but {}", given->get_name(),
                    url().empty() ? "--server is not given" : "files are given"));
  }
  return !url().empty() && paths.empty();
}

absl::StatusOr<PageLink> ServerSource::Resolve(PageLink link) const {
  const std::string_view id = ShortLinkId(link);
  if (id.empty())
    return link;
  FLARE_ASSIGN(const nlohmann::ordered_json answer,
               GetJson(client_, {.path = fmt::format("/shortlinks/{}", id)}));
  FLARE_ASSIGN(PageLink target, ParsePageLink(link.server + answer.value("target", "")));
  if (!ShortLinkId(target).empty())
    return absl::InvalidArgumentError("the short link points to another short link");
  return target;
}

absl::StatusOr<std::string> ServerSource::Fetch(const ServerScope& scope,
                                                const FetchOptions& options) const {
  ApiRequest request = {.path = "/export",
                        .parameters = {{"format", "otlp"},
                                       {"detail", options.with_samples ? "samples" : "sums"},
                                       {"q", scope.selector},
                                       {"type", options.type}}};
  if (scope.scratch.empty()) {
    request.Add("from", scope.from);
    request.Add("to", scope.to);
  }
  request.Add("scratch", scope.scratch);
  FLARE_ASSIGN(net::HttpResponse response, client_.Get(request, options.bytes_max));
  return std::move(response.body);
}

}  // namespace flarestack::cli
