// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/prune_frames.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "query/stacks/frame_matcher.h"

namespace flarestack::query {
namespace {

// Cuts the name before its argument list. Parentheses that are part of a C++ name do not start one.
std::string_view WithoutArguments(std::string_view name) {
  constexpr std::string_view kReserved[] = {"(anonymous namespace)", "operator()"};
  if (name.starts_with('.'))
    name.remove_prefix(1);  // entry points of the first PowerPC ABI
  for (size_t at = 0; at < name.size(); ++at) {
    const auto reserved = std::ranges::find_if(
        kReserved, [&](std::string_view word) { return name.substr(at).starts_with(word); });
    if (reserved != std::end(kReserved))
      at += reserved->size() - 1;
    else if (name[at] == '(')
      return name.substr(0, at);
  }
  return name;
}

// Decides which functions to drop. Evaluates each name once.
class Pruner {
 public:
  Pruner(const FrameTable& table, Pattern drop, std::optional<Pattern> keep)
      : table_(table), drop_(std::move(drop)), keep_(std::move(keep)), known_(table.text_count()) {}

  bool Drops(FrameId frame) {
    const TextId function = table_.At(frame).function;
    std::optional<bool>& known = known_[function.value];
    if (!known.has_value()) {
      const std::string_view name = WithoutArguments(table_.Text(function));
      known = drop_.IsWhole(name) && !(keep_.has_value() && keep_->IsWhole(name));
    }
    return *known;
  }

  // How many frames of a stack, root first, are kept. Inlined functions follow the function that
  // they were inlined into. Together they count as one frame when looking for a frame that does not
  // match.
  size_t Left(std::span<const FrameId> stack) {
    bool has_user_frame = false;
    for (size_t begin = 0; begin < stack.size();) {
      size_t end = begin + 1;
      while (end < stack.size() && table_.At(stack[end]).is_inlined)
        ++end;
      size_t first = begin;
      while (first < end && !Drops(stack[first]))
        ++first;
      if (first < end && has_user_frame)
        return first;
      has_user_frame = has_user_frame || first == end;
      begin = end;
    }
    return stack.size();
  }

 private:
  const FrameTable& table_;
  Pattern drop_;
  std::optional<Pattern> keep_;
  std::vector<std::optional<bool>> known_;  // by text
};

}  // namespace

absl::Status PruneFrames(const UninterestingFrames& frames, StackSet* set) {
  if (frames.drop.empty())
    return absl::OkStatus();
  FLARE_ASSIGN(Pattern drop, Pattern::Make(frames.drop));
  std::optional<Pattern> keep;
  if (!frames.keep.empty()) {
    FLARE_ASSIGN(keep, Pattern::Make(frames.keep));
  }
  Pruner pruner(set->table, std::move(drop), std::move(keep));
  // A shorter stack is a prefix of the old one, so the frames stay in place.
  for (StackRow& row : set->rows)
    row.frames.count = static_cast<uint32_t>(pruner.Left(set->FramesOf(row)));
  MergeEqualRows(set);
  return absl::OkStatus();
}

}  // namespace flarestack::query
