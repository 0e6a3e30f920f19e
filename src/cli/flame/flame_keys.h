// SPDX-License-Identifier: Apache-2.0
//
// What the keys do to a flame graph. Pure, so that a test can type.
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

// Takes whole key presses from the front of what a terminal sent; the begin of an escape sequence
// stays for the next time, unless `is_all`.
std::vector<KeyPress> TakeKeys(std::string* bytes, bool is_all);

class FlameKeys {
 public:
  explicit FlameKeys(const FlameView& view) : view_(view) {}

  // False when the user wants to leave.
  bool Press(const KeyPress& press);

  const FlameState& state() const { return state_; }
  FlameState& state() { return state_; }

  // What is being typed behind a `/`; nothing else.
  bool is_typing() const { return is_typing_; }
  const std::string& typed() const { return typed_; }

  // What to tell besides the cursor's node: a bad expression, or that nothing matches.
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
