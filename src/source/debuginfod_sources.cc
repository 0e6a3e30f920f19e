// SPDX-License-Identifier: Apache-2.0
#include "source/debuginfod_sources.h"

#include <filesystem>
#include <optional>

#include "base/status.h"
#include "base/text/encoding.h"
#include "source/url_path.h"

namespace flarestack::source {
namespace {

constexpr size_t kIdBytesMin = 8;
// A user is waiting for the page that shows the source.
constexpr std::chrono::milliseconds kTimeout{8'000};

// Servers compare the path with the DWARF path after removing "//", "/./" and "/../".
std::string UrlPath(std::string_view path) {
  return EncodeUrlPath(std::filesystem::path(path).lexically_normal().string());
}

}  // namespace

DebuginfodSources::DebuginfodSources(const std::vector<std::string>& urls, uint64_t bytes_max)
    : client_({.response_bytes_max = bytes_max, .redirects_max = 3}) {
  for (const std::string& url : urls) {
    servers_.push_back(
        {.url = url,
         .circuit = std::make_unique<symbol::CircuitBreaker>(symbol::CircuitBreaker::Options{})});
  }
}

absl::StatusOr<DebuginfodSources::Found> DebuginfodSources::Get(std::string_view build_id,
                                                                std::string_view path) {
  const std::optional<std::string> id = base::HexDecode(build_id);
  if (!id.has_value() || id->size() < kIdBytesMin)
    return absl::InvalidArgumentError("not a GNU build id");
  if (!path.starts_with('/'))
    return absl::InvalidArgumentError("debuginfod needs an absolute path");
  absl::Status failure = absl::NotFoundError("no debuginfod server has it");
  for (const Server& server : servers_) {
    std::string url =
        base::StrCat(server.url, "/buildid/", base::HexEncode(*id), "/source", UrlPath(path));
    auto text = Fetch(server, url);
    if (text.ok())
      return Found{.text = *std::move(text), .url = std::move(url)};
    if (!absl::IsNotFound(text.status()))
      failure = text.status();
  }
  return failure;
}

absl::StatusOr<std::string> DebuginfodSources::Fetch(const Server& server, const std::string& url) {
  if (!server.circuit->MayRequest(std::chrono::steady_clock::now()))
    return absl::UnavailableError(base::StrCat(server.url, " failed several times; skipped"));
  auto response = client_.Send({.url = url, .headers = {}, .body = {}, .timeout = kTimeout});
  const bool is_broken = !response.ok() ? !absl::IsResourceExhausted(response.status())
                                        : response->status == 429 || response->status >= 500;
  if (is_broken) {
    server.circuit->NoteFailure(std::chrono::steady_clock::now());
    return absl::UnavailableError(
        base::StrCat(url, ": ",
                     response.ok() ? base::StrCat("status ", response->status)
                                   : std::string(base::Message(response.status()))));
  }
  server.circuit->NoteAnswer();
  FLARE_RETURN_IF_ERROR(response.status());
  if (response->status != 200)
    return absl::NotFoundError(base::StrCat(url, ": status ", response->status));
  return std::move(response->body);
}

}  // namespace flarestack::source
