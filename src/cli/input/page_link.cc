// SPDX-License-Identifier: Apache-2.0
#include "cli/input/page_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/status.h"
#include "net/http/http_target.h"
#include "query/scope/time_expression.h"

namespace flarestack::cli {
namespace {

constexpr int kVersion = 1;

struct Key {
  std::string_view name;
  std::string_view fallback;
};

// In output order; the filters come after `scratch`.
constexpr Key kKeys[] = {
    {"q", ""},
    {"type", ""},
    {"from", "now-1h"},
    {"to", "now"},
    {"scratch", ""},
    {"view", "icicle"},
    {"s", ""},
    {"z", ""},
    {"zn", ""},
    {"sel", ""},
    {"color", "type"},
    {"by", ""},
    {"norm", "share"},
    {"w", "union"},
    {"trace", ""},
    {"span", ""},
    {"spanscope", "self"},
    {"spanname", ""},
};
constexpr std::string_view kFiltersFollow = "scratch";

constexpr std::string_view kBaselineKeys[] = {"b.q",    "b.type",      "b.from",
                                              "b.to",   "b.scratch",   "b.trace",
                                              "b.span", "b.spanscope", "b.spanname"};

const Key* FindKey(std::string_view name) {
  const auto* const found = std::ranges::find(kKeys, name, &Key::name);
  return found == std::end(kKeys) ? nullptr : found;
}

bool IsOfPage(std::string_view name) {
  return FindKey(name) == nullptr &&
         std::ranges::find(kBaselineKeys, name) == std::end(kBaselineKeys);
}

// Form encoding as in browsers, except that characters valid in a query stay readable for people.
std::string Escaped(std::string_view text) {
  constexpr std::string_view kPlain = "*-._:,/";
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos;
    if (is_plain)
      out += c;
    else if (c == ' ')
      out += '+';
    else
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string Unescaped(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '+', ' ');
  return net::PercentDecode(plain).value_or(plain);
}

absl::Status CheckVersion(const std::string& text) {
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error == std::errc() && end == text.data() + text.size() && version <= kVersion)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      base::StrCat("the link has version ", text, ", this program supports ", kVersion));
}

// "/flare/explore" is the page "/explore" behind the prefix "/flare".
absl::StatusOr<size_t> PageBegin(std::string_view path) {
  for (const std::string_view page : {"/explore", "/diff"}) {
    if (path.ends_with(page))
      return path.size() - page.size();
  }
  constexpr std::string_view kShort = "/s/";
  const size_t at = path.rfind(kShort);
  const size_t id_at = at + kShort.size();
  if (at != std::string_view::npos && id_at < path.size() &&
      path.find('/', id_at) == std::string_view::npos)
    return at;
  return absl::InvalidArgumentError(
      base::StrCat("the page ", path.empty() ? "/" : path, " does not show a single profile"));
}

}  // namespace

std::string PageState::Get(const std::string& key) const {
  const auto found = values.find(key);
  if (found != values.end())
    return found->second;
  const Key* const known = FindKey(key);
  return known == nullptr ? "" : std::string(known->fallback);
}

std::string FormatPageState(const PageState& state) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    base::StrAppend(&text, "&", Escaped(key), "=", Escaped(value));
  };
  for (const Key& key : kKeys) {
    const std::string value = state.Get(std::string(key.name));
    if (value != key.fallback)
      add(key.name, value);
    if (key.name == kFiltersFollow) {
      for (const std::string& step : state.steps)
        add("f", step);
    }
  }
  for (const std::string_view key : kBaselineKeys) {
    if (const auto found = state.values.find(std::string(key)); found != state.values.end())
      add(key, found->second);
  }
  for (const std::string& step : state.baseline_steps)
    add("b.f", step);
  for (const auto& [key, value] : state.values) {
    if (IsOfPage(key) && !value.empty())
      add(key, value);
  }
  return text.empty() ? "" : base::StrCat("v=", kVersion, text);
}

absl::StatusOr<PageState> ParsePageState(std::string_view query) {
  PageState state;
  if (query.starts_with('?'))
    query.remove_prefix(1);
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string key = Unescaped(pair.substr(0, equals));
    std::string value = Unescaped(pair.substr(std::min(equals + 1, pair.size())));
    if (key.empty())
      continue;
    if (key == "v")
      FLARE_RETURN_IF_ERROR(CheckVersion(value));
    else if (key == "f")
      state.steps.push_back(std::move(value));
    else if (key == "b.f")
      state.baseline_steps.push_back(std::move(value));
    else
      state.values[key] = std::move(value);
  }
  return state;
}

std::string FormatPageLink(const PageLink& link) {
  std::string_view server = link.server;
  while (server.ends_with('/'))
    server.remove_suffix(1);
  const std::string query = FormatPageState(link.state);
  return base::StrCat(server, link.page, query.empty() ? "" : "?", query);
}

bool IsPageLink(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

absl::StatusOr<PageLink> ParsePageLink(std::string_view text) {
  text = text.substr(0, text.find('#'));
  const size_t query_at = std::min(text.find('?'), text.size());
  const std::string_view address = text.substr(0, query_at);
  const size_t host_at = address.find("://");
  if (host_at == std::string_view::npos)
    return absl::InvalidArgumentError("it does not start with http:// or https://");
  const size_t path_at = std::min(address.find('/', host_at + 3), address.size());
  std::string_view path = address.substr(path_at);
  while (path.ends_with('/'))
    path.remove_suffix(1);
  FLARE_ASSIGN(const size_t page_at, PageBegin(path));
  PageLink link = {.server = std::string(address.substr(0, path_at + page_at)),
                   .page = std::string(path.substr(page_at))};
  FLARE_ASSIGN(link.state, ParsePageState(text.substr(query_at)));
  return link;
}

std::string_view ShortLinkId(const PageLink& link) {
  const std::string_view page = link.page;
  return page.starts_with("/s/") ? page.substr(3) : std::string_view();
}

std::string FrozenTime(const std::string& time, uint64_t now_nanos) {
  constexpr uint64_t kNanosPerMilli = 1'000'000;
  const auto nanos = query::ParseTime(time, now_nanos);
  return nanos.ok() ? std::to_string(*nanos / kNanosPerMilli) : time;
}

}  // namespace flarestack::cli
