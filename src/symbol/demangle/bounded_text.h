// SPDX-License-Identifier: Apache-2.0
//
// The output and the effort of one demangling. Names come from files of others and may refer back
// to themselves, so that a few bytes stand for gigabytes; whoever writes through this stops in
// time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace flarestack::symbol {

inline constexpr size_t kReadableBytesMax = 16 << 10;
inline constexpr int kNameDepthMax = 256;
// Each element of a name that is looked at is a step, also when it writes nothing.
inline constexpr int kNameStepsMax = 100'000;

class BoundedText {
 public:
  void Append(std::string_view piece) {
    if (muted_ > 0 || failed_)
      return;
    if (piece.size() > kReadableBytesMax - text_.size())
      failed_ = true;
    else
      text_.append(piece);
  }
  void Append(char letter) { Append(std::string_view(&letter, 1)); }

  // The reading is over: the name is malformed or too much.
  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }
  size_t size() const { return text_.size(); }

  // Between the two nothing is written, but all is read.
  void Mute() { ++muted_; }
  void Unmute() { --muted_; }

  // Answers false, and fails, where the name is nested too deeply or takes too long.
  bool Enter() {
    ++depth_;
    if (depth_ > kNameDepthMax || ++steps_ > kNameStepsMax)
      failed_ = true;
    return !failed_;
  }
  void Leave() { --depth_; }

  // Takes the text behind `begin`, a former size, out again.
  std::string CutFrom(size_t begin) {
    std::string tail = text_.substr(begin);
    text_.resize(begin);
    return tail;
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  int muted_ = 0;
  int depth_ = 0;
  int steps_ = 0;
  bool failed_ = false;
};

// One level of nesting, as long as it lives. Ask `ok` before reading on.
class NameLevel {
 public:
  explicit NameLevel(BoundedText& text) : text_(text), ok_(text.Enter()) {}
  ~NameLevel() { text_.Leave(); }
  NameLevel(const NameLevel&) = delete;
  NameLevel& operator=(const NameLevel&) = delete;
  bool ok() const { return ok_; }

 private:
  BoundedText& text_;
  bool ok_;
};

}  // namespace flarestack::symbol
