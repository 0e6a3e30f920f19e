// SPDX-License-Identifier: Apache-2.0
//
// Addresses of the server's pages: what a page shows, as the query of its address (schema version
// 1, docs/reference/ui.md). ui/src/profile/url_state.ts is the same for the pages themselves, and
// testdata/page_links.json holds both to the same text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::cli {

struct PageState {
  // By key: "q", "from", "view", "b.q" of a baseline, and what single pages have of their own. What
  // is not there is as by default.
  std::map<std::string, std::string> values = {};
  std::vector<std::string> steps = {};           // `f`: the filters, in their order
  std::vector<std::string> baseline_steps = {};  // `b.f`

  // Its value, or the default of the schema.
  std::string Get(const std::string& key) const;

  friend bool operator==(const PageState&, const PageState&) = default;
};

// Without a question mark; empty where all is as by default. Equal states give equal text.
std::string FormatPageState(const PageState& state);

// With or without a question mark. kInvalidArgument for a version that is newer than ours.
absl::StatusOr<PageState> ParsePageState(std::string_view query);

struct PageLink {
  std::string server = {};  // "http://127.0.0.1:4040", with the path of a proxy if there is one
  std::string page = {};    // "/explore"
  PageState state = {};
};

std::string FormatPageLink(const PageLink& link);

// Whether somebody meant an address and not a file.
bool IsPageLink(std::string_view text);

// Of a page that shows profiles: /explore, /diff or a short link. kInvalidArgument says what it is
// instead.
absl::StatusOr<PageLink> ParsePageLink(std::string_view text);

// The id of a short link; empty for another page.
std::string_view ShortLinkId(const PageLink& link);

// A time as people write it as one that means the same later, in milliseconds since 1970. What is
// no time stays as it is: the server has complained about it already.
std::string FrozenTime(const std::string& time, uint64_t now_nanos);

}  // namespace flarestack::cli
