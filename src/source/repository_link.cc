// SPDX-License-Identifier: Apache-2.0
#include "source/repository_link.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text/text.h"
#include "source/url_path.h"

namespace flarestack::source {
namespace {

bool IsUrl(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

// The next {word} in `text`.
struct Placeholder {
  size_t begin = 0;
  size_t end = 0;  // after the closing brace
  std::string_view word;
};
std::optional<Placeholder> NextPlaceholder(std::string_view text, size_t from) {
  const size_t open = text.find('{', from);
  if (open == std::string_view::npos)
    return std::nullopt;
  const size_t close = std::min(text.find('}', open), text.size());
  return Placeholder{.begin = open,
                     .end = std::min(close + 1, text.size()),
                     .word = text.substr(open + 1, close - open - 1)};
}

std::string PathInRepository(std::string_view path, const std::vector<std::string>& prefixes) {
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  size_t cut = 0;
  for (const std::string& prefix : prefixes) {
    if (plain.starts_with(prefix))
      cut = std::max(cut, prefix.size());
  }
  const size_t begin = plain.find_first_not_of('/', cut);
  return begin == std::string::npos ? std::string() : plain.substr(begin);
}

}  // namespace

absl::StatusOr<RepositoryTemplate> ParseRepositoryTemplate(std::string_view text) {
  RepositoryTemplate parsed;
  std::string_view url = text;
  if (const size_t equals = text.find('='); !IsUrl(text) && equals != std::string_view::npos) {
    parsed.service = text.substr(0, equals);
    url = text.substr(equals + 1);
  }
  parsed.url = url;
  if (!IsUrl(url))
    return absl::InvalidArgumentError(
        base::StrCat("\"", text, "\" has no URL that begins with http:// or https://"));
  bool has_path = false;
  for (auto at = NextPlaceholder(url, 0); at.has_value(); at = NextPlaceholder(url, at->end)) {
    has_path = has_path || at->word == "path";
    if (at->word != "service" && at->word != "version" && at->word != "path" && at->word != "line")
      return absl::InvalidArgumentError(
          base::StrCat("{", at->word, "} is not one of {service}, {version}, {path} and {line}"));
  }
  if (!has_path)
    return absl::InvalidArgumentError(base::StrCat("\"", text, "\" has no {path}"));
  return parsed;
}

std::string RepositoryLink(const RepositoryOptions& options, const SourcePlace& place) {
  const RepositoryTemplate* chosen = nullptr;
  for (const RepositoryTemplate& one : options.templates) {
    if (one.service == place.service && !one.service.empty()) {
      chosen = &one;
      break;
    }
    if (one.service.empty() && chosen == nullptr)
      chosen = &one;
  }
  const std::string path = PathInRepository(place.path, options.prefixes);
  if (chosen == nullptr || path.empty() || path.starts_with("..") || path.starts_with('<'))
    return {};
  std::string link;
  size_t done = 0;
  const std::string_view url = chosen->url;
  for (auto at = NextPlaceholder(url, 0); at.has_value(); at = NextPlaceholder(url, at->end)) {
    link += url.substr(done, at->begin - done);
    done = at->end;
    std::string value;
    if (at->word == "path")
      value = EncodeUrlPath(path);
    else if (at->word == "line")
      value = place.line > 0 ? base::StrCat(place.line) : "1";
    else
      value = EncodeUrlPath(at->word == "service" ? place.service : place.version);
    if (value.empty())
      return {};
    link += value;
  }
  link += url.substr(done);
  return link;
}

}  // namespace flarestack::source
