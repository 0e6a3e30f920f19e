// SPDX-License-Identifier: Apache-2.0
//
// The texts and frames that stacks consist of. Each is stored once, so a stack is a list of
// numbers, and comparing two frames means comparing two numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/builder/intern_table.h"
#include "model/index.h"

namespace flarestack::query {

using TextId = model::Index<struct QueryTextTag>;  // 0 is the empty text
using FrameId = model::Index<struct QueryFrameTag>;

// A function at a line. Functions with the same name count as one function: that is what users mean
// by a name, and pprof does the same.
struct Frame {
  TextId function;
  TextId file;    // of the source; may be empty
  TextId module;  // last path element of the binary; may be empty
  TextId type;    // profile.frame.type; may be empty
  int64_t line = 0;
  bool is_inlined = false;
  bool is_internal = false;  // machinery of a language runtime (model::kInternalFrameKey)
  friend bool operator==(const Frame&, const Frame&) = default;
};

class FrameTable {
 public:
  FrameTable() { texts_.emplace_back(); }

  // Reserves room for these totals.
  void Reserve(size_t texts, size_t frames) {
    texts_.reserve(texts);
    frames_.reserve(frames);
  }

  // Same content, same id.
  TextId AddText(std::string_view text);
  FrameId AddFrame(const Frame& frame);

  std::string_view Text(TextId id) const { return texts_[id.value]; }
  const Frame& At(FrameId id) const { return frames_[id.value]; }
  std::string_view FunctionOf(FrameId id) const { return Text(At(id).function); }

  size_t text_count() const { return texts_.size(); }
  size_t frame_count() const { return frames_.size(); }
  bool has_internal_frames() const { return has_internal_frames_; }

 private:
  base::Arena arena_;
  std::vector<std::string_view> texts_;
  std::vector<Frame> frames_;
  model::InternTable text_ids_;
  model::InternTable frame_ids_;
  bool has_internal_frames_ = false;
};

}  // namespace flarestack::query
