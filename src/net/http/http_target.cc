// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_target.h"

#include <algorithm>
#include <cctype>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::net {
namespace {

constexpr size_t kParametersMax = 1000;

std::string DecodeQueryText(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return PercentDecode(spaced).value_or(spaced);
}

absl::StatusOr<HttpParameters> ParseQuery(std::string_view query) {
  HttpParameters parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty())
      continue;
    if (parameters.size() == kParametersMax)
      return absl::InvalidArgumentError(
          base::StrCat("the query has more than ", kParametersMax, " parameters"));
    const size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(part.size(), equals + 1));
    parameters.Add(DecodeQueryText(part.substr(0, equals)), DecodeQueryText(value));
  }
  return parameters;
}

// Returns the part after "http://host"; a target without a scheme is returned unchanged.
std::string_view WithoutAuthority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!EqualsIgnoringCase(target.substr(0, scheme.size()), scheme))
      continue;
    const size_t slash = target.find_first_of("/?", scheme.size());
    return slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const auto byte = base::HexDecode(text.substr(i + 1, 2));
    if (!byte.has_value() || byte->size() != 1)
      return std::nullopt;
    out += *byte;
    i += 2;
  }
  return out;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

absl::StatusOr<HttpTarget> ParseTarget(std::string_view target) {
  if (target == "*")
    return HttpTarget{.path = "*"};
  target = WithoutAuthority(target);
  const size_t mark = std::min(target.find('?'), target.size());
  HttpTarget parsed;
  auto path = PercentDecode(target.substr(0, mark));
  if (!path.has_value())
    return absl::InvalidArgumentError("invalid percent escape in the path");
  parsed.path = path->empty() ? "/" : *std::move(path);
  if (!parsed.path.starts_with('/'))
    return absl::InvalidArgumentError("the target of a request must start with '/'");
  if (std::any_of(parsed.path.begin(), parsed.path.end(), IsControl))
    return absl::InvalidArgumentError("control character in the path");
  FLARE_ASSIGN(parsed.query, ParseQuery(target.substr(std::min(target.size(), mark + 1))));
  return parsed;
}

}  // namespace flarestack::net
