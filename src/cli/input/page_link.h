// SPDX-License-Identifier: Apache-2.0
//
// URLs of UI pages. The query string encodes the state of a page (schema version 1,
// docs/reference/ui.md). ui/src/profile/query/url_state.ts implements the same for the UI, and
// testdata/page_links.json tests both against the same text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::cli {

struct PageState {
  // Keys are "q", "from", "view", "b.q" of a baseline, and those of single pages. A missing key has
  // its default.
  std::map<std::string, std::string> values = {};
  std::vector<std::string> steps = {};           // `f`: the filters, in order
  std::vector<std::string> baseline_steps = {};  // `b.f`

  // The value, or the default of the schema.
  std::string Get(const std::string& key) const;

  friend bool operator==(const PageState&, const PageState&) = default;
};

// Without a question mark; empty if all values are defaults. Equal states give equal text.
std::string FormatPageState(const PageState& state);

// With or without a question mark. Returns kInvalidArgument for a newer schema version.
absl::StatusOr<PageState> ParsePageState(std::string_view query);

struct PageLink {
  std::string server = {};  // "http://127.0.0.1:4040", plus the prefix of a reverse proxy
  std::string page = {};    // "/explore"
  PageState state = {};
};

std::string FormatPageLink(const PageLink& link);

// True if the text is meant as a URL, not a file.
bool IsPageLink(std::string_view text);

// Parses a link to a profile page: /explore, /diff or a short link. Returns kInvalidArgument for
// other pages.
absl::StatusOr<PageLink> ParsePageLink(std::string_view text);

// The id of a short link; empty for another page.
std::string_view ShortLinkId(const PageLink& link);

// Converts a time, possibly relative, to milliseconds since 1970, so that it means the same later.
// Returns invalid text unchanged: the server has already rejected it.
std::string FrozenTime(const std::string& time, uint64_t now_nanos);

}  // namespace flarestack::cli
