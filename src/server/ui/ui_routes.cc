// SPDX-License-Identifier: Apache-2.0
#include "server/ui/ui_routes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/compress/compress.h"
#include "base/text/text.h"

namespace flarestack::server {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr std::string_view kIndex = "/index.html";
constexpr std::string_view kBase = "<base href=\"/\" />";
constexpr size_t kPrefixBytesMax = 256;

// Pages that the script of index.html renders. Names of functions and services may contain slashes.
constexpr std::string_view kPages[] = {
    "/",     "/service/*", "/explore", "/diff",     "/traces", "/trace/{id}", "/charts",
    "/logs", "/fn/*",      "/open",    "/profiles", "/health", "/symbols",
};

// Allows no external and no inline code: text of a profile can never run as a script.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

constexpr std::string_view kNoPages =
    "<!doctype html>\n"
    "<html lang=\"en\"><head><meta "
    "charset=\"utf-8\"><title>Flarestack</title></head><body><h1>Flarestack</h1>\n"
    "<p>This server was built without the web UI. To include it, install Node 18 or newer and "
    "rebuild: <code>./dev build</code>, or <code>npm ci &amp;&amp; npm run build</code> in "
    "<code>ui/</code> before CMake.</p>\n"
    "<p>The API is at <a href=\"api/v1/openapi.json\">api/v1</a>, and the command line shows the "
    "data: <code>flarestack help</code>.</p></body></html>\n";

void SetSafetyHeaders(HttpResponse* response) {
  response->headers.Set("Content-Security-Policy", std::string(kContentSecurityPolicy));
  response->headers.Set("X-Content-Type-Options", "nosniff");
  response->headers.Set("Referrer-Policy", "same-origin");
  response->headers.Set("Cross-Origin-Opener-Policy", "same-origin");
}

const UiAsset* FindAsset(std::span<const UiAsset> assets, std::string_view path) {
  const auto found = std::find_if(assets.begin(), assets.end(),
                                  [&](const UiAsset& asset) { return asset.path == path; });
  return found == assets.end() ? nullptr : &*found;
}

HttpResponse ErrorPage(int status, std::string_view text) {
  HttpResponse response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; charset=utf-8");
  response.body = base::StrCat(text, "\n");
  SetSafetyHeaders(&response);
  return response;
}

HttpResponse GetPage(std::span<const UiAsset> assets, const HttpRequest& request) {
  HttpResponse response;
  response.headers.Set("Content-Type", "text/html; charset=utf-8");
  response.headers.Set("Cache-Control", "no-cache");
  response.headers.Set("Vary", "X-Forwarded-Prefix");
  SetSafetyHeaders(&response);
  const UiAsset* const index = FindAsset(assets, kIndex);
  if (index == nullptr) {
    response.body = kNoPages;
    return response;
  }
  auto page = base::Gunzip(index->gzip, index->plain_bytes);
  if (!page.ok())
    return ErrorPage(500, "the embedded page is corrupt; rebuild the program");
  const size_t at = page->find(kBase);
  if (const std::string_view prefix = ForwardedPrefix(request);
      !prefix.empty() && at != std::string::npos)
    page->replace(at, kBase.size(), base::StrCat("<base href=\"", prefix, "/\" />"));
  response.body = *std::move(page);
  return response;
}

HttpResponse GetAsset(std::span<const UiAsset> assets, const HttpRequest& request) {
  const UiAsset* const asset = FindAsset(assets, request.path);
  if (asset == nullptr)
    return ErrorPage(404, base::StrCat("no such file: ", request.path));
  HttpResponse response;
  SetSafetyHeaders(&response);
  response.headers.Set("Content-Type", std::string(asset->content_type));
  response.headers.Set("ETag", std::string(asset->etag));
  response.headers.Set("Vary", "Accept-Encoding");
  response.headers.Set("Cache-Control", request.path.starts_with("/assets/")
                                            ? "public, max-age=31536000, immutable"
                                            : "no-cache");
  if (request.headers.Get("If-None-Match").find(asset->etag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  if (request.headers.Get("Accept-Encoding").find("gzip") != std::string_view::npos) {
    response.headers.Set("Content-Encoding", "gzip");
    response.body = asset->gzip;
    return response;
  }
  auto plain = base::Gunzip(asset->gzip, asset->plain_bytes);
  if (!plain.ok())
    return ErrorPage(500, "the embedded file is corrupt; rebuild the program");
  response.body = *std::move(plain);
  return response;
}

// These paths are for programs, regardless of their Accept header.
constexpr std::string_view kPathsOfPrograms[] = {"/api/",     "/v1/",     "/v1development/",
                                                 "/buildid/", "/assets/", "/opentelemetry."};

}  // namespace

std::optional<HttpResponse> NotFoundPage(std::span<const UiAsset> assets,
                                         const HttpRequest& request) {
  const bool is_page = request.method == "GET" &&
                       request.headers.Get("Accept").find("text/html") != std::string_view::npos &&
                       std::ranges::none_of(kPathsOfPrograms, [&](std::string_view begin) {
                         return request.path.starts_with(begin);
                       });
  if (!is_page || FindAsset(assets, kIndex) == nullptr)
    return std::nullopt;
  return GetPage(assets, request);
}

std::vector<net::HttpRoute> UiRoutes(std::span<const UiAsset> assets) {
  std::vector<net::HttpRoute> routes;
  // The pages need no credentials because they contain no secrets. They ask the user for
  // credentials when the API requires them.
  for (const std::string_view page : kPages) {
    routes.push_back({"GET", std::string(page),
                      [assets](HttpRequest& request) { return GetPage(assets, request); }});
  }
  const auto get_asset = [assets](HttpRequest& request) { return GetAsset(assets, request); };
  routes.push_back({"GET", "/assets/*", get_asset});
  for (const UiAsset& asset : assets) {
    if (!asset.path.starts_with("/assets/") && asset.path != kIndex && asset.path != kViewerPath)
      routes.push_back({"GET", std::string(asset.path), get_asset});
  }
  return routes;
}

std::string_view ForwardedPrefix(const net::HttpRequest& request) {
  std::string_view prefix = request.headers.Get("X-Forwarded-Prefix");
  while (prefix.ends_with('/'))
    prefix.remove_suffix(1);
  const bool is_plain = std::all_of(prefix.begin(), prefix.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '-' || c == '_' || c == '.' || c == '~';
  });
  const bool is_path = prefix.starts_with('/') && !prefix.starts_with("//");
  return is_plain && is_path && prefix.size() <= kPrefixBytesMax ? prefix : std::string_view();
}

}  // namespace flarestack::server
