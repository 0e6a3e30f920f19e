// SPDX-License-Identifier: Apache-2.0
//
// Bounds the output and the effort of demangling one name. Names come from untrusted files and may
// contain back references, so that a few bytes expand to gigabytes. Writing through this class
// stops in time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace flarestack::symbol {

inline constexpr size_t kReadableBytesMax = 16 << 10;
inline constexpr int kNameDepthMax = 256;
// Each element of a name that is read is a step, even if it writes nothing.
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

  // Stops reading: the name is malformed or too large.
  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }
  size_t size() const { return text_.size(); }

  // While muted, the name is read but nothing is written.
  void Mute() { ++muted_; }
  void Unmute() { --muted_; }

  // Returns false, and fails, if the name is nested too deeply or takes too long.
  bool Enter() {
    ++depth_;
    if (depth_ > kNameDepthMax || ++steps_ > kNameStepsMax)
      failed_ = true;
    return !failed_;
  }
  void Leave() { --depth_; }

  // Removes and returns the text from `begin`, an earlier size.
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

// One level of nesting, for its lifetime. Check ok() before reading on.
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
