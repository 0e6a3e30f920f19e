// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_keys.h"

#include <algorithm>

#include "base/status.h"

namespace flarestack::cli {
namespace {

struct Sequence {
  std::string_view bytes;
  Key key;
};

constexpr Sequence kSequences[] = {
    {"\x1b[A", Key::kUp},   {"\x1b[B", Key::kDown},  {"\x1b[C", Key::kRight},
    {"\x1b[D", Key::kLeft}, {"\x1b[H", Key::kHome},  {"\x1bOA", Key::kUp},
    {"\x1bOB", Key::kDown}, {"\x1bOC", Key::kRight}, {"\x1bOD", Key::kLeft},
    {"\r", Key::kEnter},    {"\n", Key::kEnter},     {"\x7f", Key::kBack},
    {"\b", Key::kBack},
};

}  // namespace

std::vector<KeyPress> TakeKeys(std::string* bytes, bool is_all) {
  std::vector<KeyPress> keys;
  std::string_view rest = *bytes;
  while (!rest.empty()) {
    const auto whole = std::ranges::find_if(
        kSequences, [&](const Sequence& sequence) { return rest.starts_with(sequence.bytes); });
    if (whole != std::end(kSequences)) {
      keys.push_back({.key = whole->key});
      rest.remove_prefix(whole->bytes.size());
      continue;
    }
    const bool is_begin = std::ranges::any_of(
        kSequences, [&](const Sequence& sequence) { return sequence.bytes.starts_with(rest); });
    if (is_begin && !is_all)
      break;
    if (rest.front() == '\x1b') {
      keys.push_back({.key = Key::kEscape});
    } else {
      keys.push_back({.key = Key::kCharacter, .character = rest.front()});
    }
    rest.remove_prefix(1);
  }
  bytes->erase(0, bytes->size() - rest.size());
  return keys;
}

bool FlameKeys::Press(const KeyPress& press) {
  note_.clear();
  if (!is_typing_)
    return PressCommand(press);
  PressWhileTyping(press);
  return true;
}

bool FlameKeys::PressCommand(const KeyPress& press) {
  switch (press.key) {
    case Key::kUp:
      state_.cursor = view_.ParentOf(state_.cursor);
      break;
    case Key::kDown:
      if (const auto& children = view_.ChildrenOf(state_.cursor); !children.empty())
        state_.cursor = children.front();
      break;
    case Key::kLeft:
      Move(-1);
      break;
    case Key::kRight:
      Move(1);
      break;
    case Key::kEnter:
      state_.zoom = state_.cursor;
      break;
    case Key::kBack:
    case Key::kEscape:
      state_.zoom = view_.ParentOf(state_.zoom);
      break;
    case Key::kHome:
      state_.zoom = 0;
      state_.cursor = 0;
      break;
    case Key::kCharacter:
      if (press.character == 'q' || press.character == '\x03')
        return false;
      if (press.character == '/') {
        is_typing_ = true;
        typed_.clear();
      } else if (press.character == 'n') {
        FindNext();
      }
      break;
  }
  return true;
}

void FlameKeys::PressWhileTyping(const KeyPress& press) {
  switch (press.key) {
    case Key::kEnter: {
      is_typing_ = false;
      state_.search.reset();
      if (typed_.empty())
        return;
      auto pattern = query::Pattern::Make(typed_);
      if (!pattern.ok()) {
        note_ = base::Message(pattern.status());
        return;
      }
      state_.search = *std::move(pattern);
      FindNext();
      return;
    }
    case Key::kBack:
      if (!typed_.empty())
        typed_.pop_back();
      return;
    case Key::kEscape:
      is_typing_ = false;
      return;
    case Key::kCharacter:
      if (press.character == '\x03')
        is_typing_ = false;
      else if (static_cast<unsigned char>(press.character) >= ' ')
        typed_.push_back(press.character);
      return;
    default:
      return;
  }
}

// Moves among siblings.
void FlameKeys::Move(int step) {
  if (state_.cursor == 0)
    return;
  const auto& siblings = view_.ChildrenOf(view_.ParentOf(state_.cursor));
  const auto at = std::ranges::find(siblings, state_.cursor) - siblings.begin() + step;
  if (at >= 0 && at < std::ssize(siblings))
    state_.cursor = siblings[static_cast<size_t>(at)];
}

// Moves to the next match after the cursor in row order, and wraps around.
void FlameKeys::FindNext() {
  if (!state_.search.has_value())
    return;
  const auto count = static_cast<uint32_t>(view_.tree().nodes.size());
  for (uint32_t step = 1; step <= count; ++step) {
    const uint32_t node = (state_.cursor + step) % count;
    if (node != 0 && view_.tree().nodes[node].total > 0 &&
        state_.search->IsIn(view_.tree().FrameOf(view_.tree().nodes[node]).name)) {
      state_.cursor = node;
      state_.zoom = 0;
      return;
    }
  }
  note_ = "no function matches";
}

}  // namespace flarestack::cli
