// SPDX-License-Identifier: Apache-2.0
#include "query/flame/tree_search.h"

#include <algorithm>
#include <span>

#include "absl/strings/ascii.h"
#include "base/saturating.h"
#include "base/status.h"
#include "query/stacks/path_hash.h"

namespace flarestack::query {
namespace {

struct Field {
  std::string_view prefix;
  std::string_view TreeFrameView::*field;
};
constexpr Field kFields[] = {{"file:", &TreeFrameView::file},
                             {"mod:", &TreeFrameView::module},
                             {"type:", &TreeFrameView::type}};

std::string Quoted(std::string_view text) {
  std::string regex;
  for (const char c : text) {
    const bool is_punctuation =
        c > ' ' && c < 0x7f && !absl::ascii_isalnum(static_cast<uint8_t>(c));
    if (is_punctuation)
      regex += '\\';
    regex += c;
  }
  return regex;
}

class Searcher {
 public:
  Searcher(const ValueTree& tree, const TreeQuery& query, uint32_t root)
      : tree_(tree), query_(query), root_(root) {}

  TreeMatches Run(size_t matches_max) {
    AddUp();
    MatchFrames();
    TreeMatches found = {.all = totals_[root_], .largest = {}};
    std::vector<uint32_t> matches;
    // A parent comes before its children.
    std::vector<Place> places(tree_.nodes.size(), Place::kOutside);
    for (uint32_t i = root_; i < tree_.nodes.size(); ++i) {
      const Place above = i == root_ ? Place::kInside : places[tree_.nodes[i].parent];
      if (above == Place::kOutside)
        continue;
      const bool is_match = i != 0 && is_match_[tree_.nodes[i].frame] != 0;
      if (is_match) {
        matches.push_back(i);
        if (above == Place::kInside)
          found.matched = base::SaturatingAdd(found.matched, totals_[i]);
      }
      places[i] = is_match ? Place::kBelowMatch : above;
    }
    found.path_count = matches.size();
    const size_t kept = std::min(matches_max, matches.size());
    std::ranges::partial_sort(matches, matches.begin() + static_cast<ptrdiff_t>(kept),
                              [&](uint32_t a, uint32_t b) {
                                return totals_[a] != totals_[b] ? totals_[a] > totals_[b] : a < b;
                              });
    for (const uint32_t node : std::span(matches).first(kept))
      found.largest.push_back(Describe(node));
    return found;
  }

 private:
  enum class Place : uint8_t { kOutside, kInside, kBelowMatch };  // relative to the searched part

  void AddUp() {
    totals_ = tree_.self.empty() ? std::vector<int64_t>(tree_.nodes.size(), 0) : tree_.self.back();
    for (auto i = static_cast<uint32_t>(tree_.nodes.size()); i-- > 1;) {
      int64_t& above = totals_[tree_.nodes[i].parent];
      above = base::SaturatingAdd(above, totals_[i]);
    }
  }

  void MatchFrames() {
    is_match_.resize(tree_.frames.size());
    for (size_t i = 0; i < tree_.frames.size(); ++i)
      is_match_[i] = query_.pattern.IsIn(tree_.frames[i].*query_.field) ? 1 : 0;
  }

  TreeMatch Describe(uint32_t node) const {
    std::vector<std::string_view> names;
    for (uint32_t at = node; at != 0; at = tree_.nodes[at].parent)
      names.push_back(tree_.frames[tree_.nodes[at].frame].name);
    TreeMatch match = {.name = std::string(names.front()),
                       .path = kRootPathHash,
                       .depth = static_cast<uint32_t>(names.size()),
                       .total = totals_[node]};
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      match.path = PathHash(match.path, *name);
    return match;
  }

  const ValueTree& tree_;
  const TreeQuery& query_;
  const uint32_t root_;
  std::vector<int64_t> totals_;
  std::vector<uint8_t> is_match_;  // by frame
};

}  // namespace

absl::StatusOr<TreeQuery> ParseTreeQuery(std::string_view text) {
  std::string_view TreeFrameView::*field = &TreeFrameView::name;
  for (const Field& known : kFields) {
    if (text.starts_with(known.prefix)) {
      field = known.field;
      text.remove_prefix(known.prefix.size());
      break;
    }
  }
  if (text.empty())
    return absl::InvalidArgumentError("the search is empty: text, /regex/, file:, mod: or type:");
  const bool is_regex = text.size() > 2 && text.starts_with('/') && text.ends_with('/');
  FLARE_ASSIGN(
      base::Pattern pattern,
      base::Pattern::Make(base::StrCat(
          "(?i)", is_regex ? std::string(text.substr(1, text.size() - 2)) : Quoted(text))));
  return TreeQuery{.field = field, .pattern = std::move(pattern)};
}

std::optional<uint32_t> FindPath(const ValueTree& tree, uint64_t path) {
  if (path == kRootPathHash)
    return 0;
  std::vector<uint64_t> hashes(tree.nodes.size(), kRootPathHash);
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    const ValueTree::Node& node = tree.nodes[i];
    hashes[i] = PathHash(hashes[node.parent], tree.frames[node.frame].name);
    if (hashes[i] == path)
      return i;
  }
  return std::nullopt;
}

absl::StatusOr<TreeMatches> SearchTree(const ValueTree& tree, const TreeQuery& query,
                                       const TreeSearchOptions& options) {
  const auto root = FindPath(tree, options.root.value_or(kRootPathHash));
  if (!root.has_value())
    return absl::NotFoundError("no call path in these profiles has this hash");
  return Searcher(tree, query, *root).Run(options.matches_max);
}

}  // namespace flarestack::query
