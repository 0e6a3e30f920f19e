// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/filter.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "base/text/text.h"
#include "query/stacks/frame_matcher.h"
#include "query/stacks/path_hash.h"
#include "query/stacks/tag_range.h"

namespace flarestack::query {
namespace {

// Edits a stack, root first. Returns false to remove the row.
using EditStack = absl::FunctionRef<bool(const StackRow& row, std::vector<FrameId>* stack)>;

void EditRows(StackSet* set, EditStack edit) {
  std::vector<FrameId> frames;
  std::vector<StackRow> rows;
  std::vector<FrameId> stack;
  frames.reserve(set->stack_frames.size());
  for (const StackRow& row : set->rows) {
    const auto before = set->FramesOf(row);
    stack.assign(before.begin(), before.end());
    if (!edit(row, &stack))
      continue;
    StackRow after = row;
    after.frames = {.begin = static_cast<uint32_t>(frames.size()),
                    .count = static_cast<uint32_t>(stack.size())};
    frames.insert(frames.end(), stack.begin(), stack.end());
    rows.push_back(after);
  }
  set->stack_frames = std::move(frames);
  set->rows = std::move(rows);
  MergeEqualRows(set);
}

void KeepRows(StackSet* set, absl::FunctionRef<bool(const StackRow&)> keep) {
  std::erase_if(set->rows, [&](const StackRow& row) { return !keep(row); });
}

void KeepSubtree(uint64_t path, StackSet* set) {
  KeepRows(set, [&](const StackRow& row) {
    uint64_t hash = kRootPathHash;
    return path == hash || std::ranges::any_of(set->FramesOf(row), [&](FrameId frame) {
             hash = PathHash(hash, set->table.FunctionOf(frame));
             return hash == path;
           });
  });
}

// An empty stack has no caller that could get its cost, so it is dropped, as in pprof.
void Hide(FrameMatcher* matcher, StackSet* set) {
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    std::erase_if(*stack, [&](FrameId frame) { return matcher->Matches(frame); });
    return !stack->empty();
  });
}

// `hides`: removes the frames whose type matches, otherwise all others.
void HideTypes(const Pattern& pattern, bool hides, StackSet* set) {
  const FrameTable& table = set->table;
  FrameMatcher matcher(table, pattern);
  const bool matches_none = pattern.IsIn("");  // frames without a type
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    std::erase_if(*stack, [&](FrameId frame) {
      const TextId type = table.At(frame).type;
      return (type ? matcher.MatchesText(type) : matches_none) == hides;
    });
    return !stack->empty();
  });
}

void CutAbove(FrameMatcher* matcher, StackSet* set) {
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    const auto outermost =
        std::ranges::find_if(*stack, [&](FrameId frame) { return matcher->Matches(frame); });
    const bool is_found = outermost != stack->end();
    stack->erase(stack->begin(), outermost);
    return is_found;
  });
}

void CutBelow(FrameMatcher* matcher, StackSet* set) {
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    for (size_t i = stack->size(); i-- > 0;) {
      if (matcher->Matches((*stack)[i])) {
        stack->resize(i + 1);
        break;
      }
    }
    return true;
  });
}

void FoldModule(std::string_view name, StackSet* set) {
  FrameTable& table = set->table;
  const TextId module = table.AddText(name);
  const FrameId folded =
      table.AddFrame({.function = table.AddText(base::StrCat("[", name, "]")), .module = module});
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    for (FrameId& frame : *stack) {
      if (table.At(frame).module == module)
        frame = folded;
    }
    const auto is_run = [&](FrameId a, FrameId b) { return a == folded && b == folded; };
    stack->erase(std::unique(stack->begin(), stack->end(), is_run), stack->end());
    return true;
  });
}

// When a function recurs, the frames since its previous occurrence are one cycle and are removed: a
// b a c becomes a c.
void FoldRecursion(StackSet* set) {
  const FrameTable& table = set->table;
  absl::flat_hash_map<uint32_t, size_t> places;  // of functions in `folded`
  std::vector<FrameId> folded;
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    places.clear();
    folded.clear();
    for (const FrameId frame : *stack) {
      const auto [it, added] = places.try_emplace(table.At(frame).function.value, folded.size());
      if (!added) {
        for (size_t i = it->second + 1; i < folded.size(); ++i)
          places.erase(table.At(folded[i]).function.value);
        folded.resize(it->second);
      }
      folded.push_back(frame);
    }
    *stack = folded;
    return true;
  });
}

// Whether a value of the key matches. Evaluates each text once.
class TagMatcher {
 public:
  TagMatcher(const FilterStep& step, const Pattern& pattern, StackSet* set)
      : table_(set->table),
        key_(set->table.AddText(step.key)),
        unit_(UnitOf(*set, step.key, key_)),
        pattern_(pattern),
        range_(TagRange::Parse(step.pattern)),
        matcher_(set->table, pattern) {}

  bool Matches(std::span<const Tag> tags) {
    return std::ranges::any_of(
        tags, [&](const Tag& tag) { return tag.key == key_ && MatchesValue(tag.value); });
  }

 private:
  // As in pprof, if the unit of a number is unknown, its key is used as the unit.
  static std::string UnitOf(const StackSet& set, const std::string& key, TextId id) {
    const auto known = std::ranges::find(set.tag_units, id, &TagUnit::key);
    return known == set.tag_units.end() ? key : std::string(set.table.Text(known->unit));
  }

  bool MatchesValue(TextId value) {
    if (range_.has_value()) {
      if (const auto holds = range_->Holds(table_.Text(value), unit_); holds.has_value())
        return *holds;
    }
    // The empty value has no text id to cache.
    return value ? matcher_.MatchesText(value) : pattern_.IsIn("");
  }

  const FrameTable& table_;
  TextId key_;
  std::string unit_;
  const Pattern& pattern_;
  std::optional<TagRange> range_;
  FrameMatcher matcher_;
};

void KeepTagged(const FilterStep& step, const Pattern& pattern, StackSet* set) {
  TagMatcher matcher(step, pattern, set);
  KeepRows(set, [&](const StackRow& row) {
    return matcher.Matches(set->TagsOf(row)) != step.is_negated;
  });
}

// A sample with two values of one key gets one combined frame, so that it is not counted twice.
void AddTagFrame(const std::string& key, bool at_root, StackSet* set) {
  FrameTable& table = set->table;
  const TextId wanted = table.AddText(key);
  std::vector<FrameId> frames(set->tag_sets.size());
  for (size_t i = 0; i < set->tag_sets.size(); ++i) {
    std::string text;
    for (const Tag& tag : model::In(set->tags, set->tag_sets[i])) {
      if (tag.key == wanted)
        base::StrAppend(&text, text.empty() ? "" : ", ", table.Text(tag.value));
    }
    if (text.empty())
      text = base::StrCat("[no ", key, "]");
    frames[i] = table.AddFrame({.function = table.AddText(text)});
  }
  EditRows(set, [&](const StackRow& row, std::vector<FrameId>* stack) {
    stack->insert(at_root ? stack->begin() : stack->end(), frames[row.tags.value]);
    return true;
  });
}

}  // namespace

void HideInternalFrames(StackSet* set) {
  const FrameTable& table = set->table;
  if (!table.has_internal_frames())
    return;
  const auto is_internal = [&](FrameId frame) { return table.At(frame).is_internal; };
  EditRows(set, [&](const StackRow&, std::vector<FrameId>* stack) {
    if (std::ranges::all_of(*stack, is_internal))
      stack->erase(stack->begin(), stack->empty() ? stack->begin() : stack->end() - 1);
    else
      std::erase_if(*stack, is_internal);
    return true;
  });
}

absl::Status ApplyStep(const FilterStep& step, StackSet* set) {
  switch (step.verb) {
    case FilterVerb::kModule:
      FoldModule(step.pattern, set);
      return absl::OkStatus();
    case FilterVerb::kSubtree:
      KeepSubtree(step.path, set);
      return absl::OkStatus();
    case FilterVerb::kRecursion:
      FoldRecursion(set);
      return absl::OkStatus();
    case FilterVerb::kHideInternals:
      HideInternalFrames(set);
      return absl::OkStatus();
    case FilterVerb::kTagRoot:
    case FilterVerb::kTagLeaf:
      AddTagFrame(step.key, step.verb == FilterVerb::kTagRoot, set);
      return absl::OkStatus();
    default:
      break;
  }
  FLARE_ASSIGN(const Pattern pattern, Pattern::Make(step.pattern));
  FrameMatcher matcher(set->table, pattern);
  const auto has_match = [&](const StackRow& row) {
    return std::ranges::any_of(set->FramesOf(row),
                               [&](FrameId frame) { return matcher.Matches(frame); });
  };
  switch (step.verb) {
    case FilterVerb::kOnly:
      KeepRows(set, has_match);
      break;
    case FilterVerb::kDrop:
      KeepRows(set, [&](const StackRow& row) { return !has_match(row); });
      break;
    case FilterVerb::kHide:
      Hide(&matcher, set);
      break;
    case FilterVerb::kType:
    case FilterVerb::kHideType:
      HideTypes(pattern, step.verb == FilterVerb::kHideType, set);
      break;
    case FilterVerb::kFrom:
      CutAbove(&matcher, set);
      break;
    case FilterVerb::kUntil:
      CutBelow(&matcher, set);
      break;
    default:
      KeepTagged(step, pattern, set);
  }
  return absl::OkStatus();
}

}  // namespace flarestack::query
