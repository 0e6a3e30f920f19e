// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/row_filter.h"

#include <algorithm>
#include <optional>

#include "base/status.h"
#include "model/attribute_text.h"

namespace flarestack::store::rocks {
namespace {

std::string_view View(const auto& id) { return {id.data(), id.size()}; }

}  // namespace

bool RowFilter::IsWanted(const ChunkLink& link) const {
  std::string id(View(link.trace_id));
  if (spans_.contains(id))
    return true;
  id += View(link.span_id);
  return spans_.contains(id);
}

bool RowFilter::WantsAnyOf(const std::vector<ChunkLink>& links) const {
  return std::ranges::any_of(links, [&](const ChunkLink& link) { return IsWanted(link); });
}

absl::StatusOr<std::optional<std::string>> RowFilter::TextIn(const ChunkAttributes& attributes,
                                                             const Matcher& matcher) {
  FLARE_ASSIGN(const auto indices, loader_.Attributes(attributes));
  const model::Dictionary& dictionary = texts_.batch().dictionary;
  for (const model::AttributeIndex index : indices) {
    const model::Attribute& attribute = dictionary.attributes[index.value];
    if (model::SameAttributeKey(dictionary.Text(attribute.key), matcher.key()))
      return std::optional<std::string>(model::AttributeText(dictionary, attribute.value));
  }
  return std::optional<std::string>();
}

absl::Status RowFilter::Enter(const Chunk& chunk) {
  if (!query_.spans.empty()) {
    accepts_link_.clear();
    for (const ChunkLink& link : chunk.links)
      accepts_link_.push_back(IsWanted(link));
  }
  if (matchers_.empty())
    return absl::OkStatus();
  set_count_ = chunk.attribute_sets.size();
  accepts_.assign(chunk.profiles.size() * set_count_, true);
  for (const Matcher& matcher : matchers_) {
    // An attribute of a sample overrides the same attribute of its profile.
    std::vector<std::optional<std::string>> of_sets;
    for (const ChunkAttributes& set : chunk.attribute_sets) {
      FLARE_ASSIGN(std::optional<std::string> text, TextIn(set, matcher));
      of_sets.push_back(std::move(text));
    }
    for (size_t i = 0; i < chunk.profiles.size(); ++i) {
      FLARE_ASSIGN(const std::optional<std::string> of_profile,
                   TextIn(chunk.profiles[i].attributes, matcher));
      for (size_t set = 0; set < set_count_; ++set) {
        const std::optional<std::string>& text =
            of_sets[set].has_value() ? of_sets[set] : of_profile;
        if (!matcher.Accepts(text.value_or("")))
          accepts_[i * set_count_ + set] = false;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace flarestack::store::rocks
