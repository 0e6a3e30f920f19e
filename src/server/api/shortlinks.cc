// SPDX-License-Identifier: Apache-2.0
#include "server/api/shortlinks.h"

#include <algorithm>
#include <string>

#include "base/byte_reader.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "server/api/endpoints.h"
#include "server/ui/ui_routes.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kUrlBytesMax = 16 << 10;
constexpr size_t kBodyBytesMax = 8 * kUrlBytesMax;  // each character may be escaped
constexpr std::string_view kPathOfLinks = "/s/";

// 48 bits are enough for the links of a team. If two views collide, the later one gets a longer id
// from another hash.
constexpr size_t kIdBytesMin = 8;
constexpr size_t kIdBytesMore = 4;
constexpr uint8_t kIdTries = 4;

std::string IdOf(std::string_view url, uint8_t attempt) {
  const base::Hash128 hash = base::HashContent(base::StrCat(attempt, " ", url));
  std::string bytes;
  base::AppendBigEndian(hash.high, &bytes);
  base::AppendBigEndian(hash.low, &bytes);
  std::string id = base::Base64Encode(bytes).substr(0, kIdBytesMin + attempt * kIdBytesMore);
  std::ranges::replace(id, '+', '-');
  std::ranges::replace(id, '/', '_');
  return id;
}

std::string NoteKey(std::string_view id) { return base::StrCat("link ", id); }

Json LinkJson(std::string_view id, std::string_view url) {
  return {{"id", id}, {"url", base::StrCat(kPathOfLinks, id)}, {"target", url}};
}

absl::StatusOr<std::string> ReadTarget(std::string_view body) {
  constexpr std::string_view kHint = R"(send {"url": "/explore?q=..."})";
  if (body.size() > kBodyBytesMax) {
    return WithHint(
        absl::InvalidArgumentError(base::StrCat("the body has ", body.size(), " bytes; at most ",
                                                kBodyBytesMax, " are accepted")),
        kHint);
  }
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || json.size() != 1 || !json.contains("url") || !json["url"].is_string())
    return WithHint(absl::InvalidArgumentError("the body must be an object with only `url`"),
                    kHint);
  std::string url = json["url"].get<std::string>();
  if (const absl::Status status = CheckLinkTarget(url); !status.ok())
    return WithHint(status, "a path of this server with its query, as in the address bar");
  return url;
}

absl::StatusOr<Answer> MakeLink(Call& call) {
  FLARE_ASSIGN(const std::string url, ReadTarget(call.request.body));
  if (call.data.notes == nullptr) {
    return WithHint(absl::NotFoundError("no data is stored yet"),
                    "short links are stored with the data; send some data first");
  }
  for (uint8_t attempt = 0; attempt < kIdTries; ++attempt) {
    const std::string id = IdOf(url, attempt);
    const absl::Status status = call.data.notes->AddNote(NoteKey(id), url);
    if (status.ok())
      return Answer{.json = LinkJson(id, url)};
    if (!absl::IsAlreadyExists(status))
      return status;
  }
  return absl::ResourceExhaustedError("no free short name for this link");
}

struct Link {
  std::string id;
  std::string target;
};

absl::StatusOr<Link> FindLink(const Call& call) {
  const std::string id(call.request.path_parameters.Find("id").value_or(""));
  std::optional<std::string> target;
  if (call.data.notes != nullptr) {
    FLARE_ASSIGN(target, call.data.notes->FindNote(NoteKey(id)));
  }
  if (!target.has_value()) {
    return WithHint(absl::NotFoundError("no such short link"),
                    "the oldest short links are deleted at the limit; use the full URL");
  }
  return Link{.id = id, .target = *std::move(target)};
}

absl::StatusOr<Answer> GetLink(Call& call) {
  FLARE_ASSIGN(const Link link, FindLink(call));
  return Answer{.json = LinkJson(link.id, link.target)};
}

absl::StatusOr<Answer> FollowLink(Call& call) {
  FLARE_ASSIGN(const Link link, FindLink(call));
  Answer response = {.json = LinkJson(link.id, link.target)};
  // Links are stored without the prefix of a reverse proxy, so that they work behind any prefix.
  response.location = base::StrCat(ForwardedPrefix(call.request), link.target);
  return response;
}

}  // namespace

absl::Status CheckLinkTarget(std::string_view url) {
  if (url.size() > kUrlBytesMax) {
    return absl::InvalidArgumentError(
        base::StrCat("`url` has ", url.size(), " bytes; at most ", kUrlBytesMax, " are accepted"));
  }
  // Browsers read "//" and "/\" as the start of another host, and ignore control characters.
  if (!url.starts_with('/') || url.starts_with("//"))
    return absl::InvalidArgumentError("`url` must start with exactly one slash");
  if (!std::ranges::all_of(url, [](char c) { return c > ' ' && c <= '~' && c != '\\'; })) {
    return absl::InvalidArgumentError(
        "`url` has a character that is invalid in a URL; escape it as %XX");
  }
  if (url.starts_with(kPathOfLinks))
    return absl::InvalidArgumentError("`url` is already a short link");
  return absl::OkStatus();
}

std::vector<Endpoint> ShortlinkEndpoints() {
  return {{.method = "POST",
           .path = "/shortlinks",
           .summary = "create a short link to a view; the same view gets the same link",
           .parameters = {},
           .responses = {"ShortLink"},
           .handler = MakeLink,
           .status = 201,
           .body_types = {"application/json"}},
          {.path = "/shortlinks/{id}",
           .summary = "target of a short link",
           .parameters = {},
           .responses = {"ShortLink"},
           .handler = GetLink},
          {.path = "/s/{id}",
           .summary = "redirect to the target of a short link",
           .parameters = {},
           .responses = {"ShortLink"},
           .handler = FollowLink,
           .prefix = "",
           .status = 302}};
}

}  // namespace flarestack::server::api
