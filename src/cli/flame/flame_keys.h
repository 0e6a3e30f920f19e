// SPDX-License-Identifier: Apache-2.0
//
// Applies key presses to a flame graph. Pure, so that tests can type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flame/flame_view.h"

namespace flarestack::cli {

enum class Key { kUp, kDown, kLeft, kRight, kEnter, kBack, kEscape, kHome, kCharacter };

struct KeyPress {
  Key key = Key::kCharacter;
  char character = 0;
};

// Removes complete key presses from the front of terminal input. Keeps an incomplete escape
// sequence for the next call, unless `is_all`.
std::vector<KeyPress> TakeKeys(std::string* bytes, bool is_all);

class FlameKeys {
 public:
  explicit FlameKeys(const FlameView& view) : view_(view) {}

  // Returns false if the user quits.
  bool Press(const KeyPress& press);

  const FlameState& state() const { return state_; }
  FlameState& state() { return state_; }

  // The search text being typed after `/`.
  bool is_typing() const { return is_typing_; }
  const std::string& typed() const { return typed_; }

  // A message to show besides the current node: a bad expression, or no match.
  const std::string& note() const { return note_; }

 private:
  bool PressCommand(const KeyPress& press);
  void PressWhileTyping(const KeyPress& press);
  void Move(int step);
  void FindNext();

  const FlameView& view_;
  FlameState state_;
  bool is_typing_ = false;
  std::string typed_;
  std::string note_;
};

}  // namespace flarestack::cli
