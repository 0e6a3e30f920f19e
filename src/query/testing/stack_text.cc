// SPDX-License-Identifier: Apache-2.0
#include "query/testing/stack_text.h"

#include <charconv>

#include "base/text/text.h"

namespace flarestack::query::testing {
namespace {

// Splits `text` at the first `separator`. The rest is empty if there is none.
std::string_view TakeUntil(char separator, std::string_view* text) {
  const size_t at = std::min(text->find(separator), text->size());
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(std::min(at + 1, text->size()));
  return taken;
}

int64_t Number(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

FrameId AddFrame(std::string_view text, FrameTable* table) {
  Frame frame;
  if (const size_t percent = text.rfind('%'); percent != std::string_view::npos) {
    const std::string_view type = text.substr(percent + 1);
    frame.is_internal = type.empty();
    frame.type = table->AddText(type.empty() ? "native" : type);
    text = text.substr(0, percent);
  }
  frame.function = table->AddText(TakeUntil('(', &text));
  std::string_view place = TakeUntil(')', &text);
  const size_t at = place.find('@');
  if (at != std::string_view::npos) {
    frame.module = table->AddText(place.substr(at + 1));
    place = place.substr(0, at);
  }
  frame.file = table->AddText(TakeUntil(':', &place));
  frame.line = Number(place);
  return table->AddFrame(frame);
}

void AddTags(std::string_view text, StackSet* set, StackRow* row) {
  const auto begin = static_cast<uint32_t>(set->tags.size());
  while (!text.empty()) {
    std::string_view tag = TakeUntil(',', &text);
    const TextId key = set->table.AddText(TakeUntil('=', &tag));
    set->tags.push_back({.key = key, .value = set->table.AddText(tag)});
  }
  row->tags = {static_cast<uint32_t>(set->tag_sets.size())};
  set->tag_sets.push_back(
      {.begin = begin, .count = static_cast<uint32_t>(set->tags.size()) - begin});
}

}  // namespace

StackSet FromText(std::string_view text) {
  StackSet set;
  set.type = "samples";
  set.unit = "count";
  while (!text.empty()) {
    std::string_view line = TakeUntil('\n', &text);
    StackRow row;
    if (const size_t brace = line.find(" {"); brace != std::string_view::npos) {
      AddTags(line.substr(brace + 2, line.size() - brace - 3), &set, &row);
      line = line.substr(0, brace);
    }
    const size_t space = line.rfind(' ');
    if (space == std::string_view::npos)
      continue;
    row.value = Number(line.substr(space + 1));
    row.events = row.value;
    row.frames.begin = static_cast<uint32_t>(set.stack_frames.size());
    for (std::string_view stack = line.substr(0, space); !stack.empty();) {
      set.stack_frames.push_back(AddFrame(TakeUntil(';', &stack), &set.table));
      ++row.frames.count;
    }
    set.rows.push_back(row);
  }
  return set;
}

StackSet FromInstances(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts)
    all += text;
  StackSet set = FromText(all);
  auto row = set.rows.begin();
  for (const std::string& text : texts) {
    const auto instance = static_cast<uint32_t>(set.instances.size());
    set.instances.push_back({.identity = base::StrCat(instance)});
    for (size_t count = FromText(text).rows.size(); count > 0; --count, ++row) {
      row->first_part = static_cast<uint32_t>(set.parts.size());
      set.parts.push_back({.instance = instance, .value = row->value});
    }
  }
  MergeEqualRows(&set);
  return set;
}

std::string ToText(const StackSet& set) {
  std::string text;
  for (const StackRow& row : set.rows) {
    bool is_first = true;
    for (const FrameId frame : set.FramesOf(row)) {
      base::StrAppend(&text, is_first ? "" : ";", set.table.FunctionOf(frame));
      is_first = false;
    }
    base::StrAppend(&text, " ", row.value, "\n");
  }
  return text;
}

}  // namespace flarestack::query::testing
