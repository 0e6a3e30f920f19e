// SPDX-License-Identifier: Apache-2.0
//
// Collects the frames of one sample line by line and builds their stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/warnings.h"
#include "codec/perfscript/perf_script_line.h"
#include "model/builder/dictionary_builder.h"

namespace flarestack::codec::perfscript {

class FrameCollector {
 public:
  // `dictionary` and `warnings` must outlive this object.
  FrameCollector(model::DictionaryBuilder* dictionary, base::Warnings* warnings);

  void Add(const FrameLine& frame) { frames_.push_back({.frame = frame, .source = {}}); }

  // Sets the source line of the last frame added. Returns false if there is none.
  bool AddSource(const SourceLine& source);

  bool empty() const { return frames_.empty(); }

  // Returns the stack of all frames since the last call.
  model::StackIndex TakeStack();

 private:
  struct Collected {
    FrameLine frame;
    SourceLine source;
  };

  void AppendLine(const Collected& collected);
  void AppendLocation(const Collected& physical);
  bool IsInlinedInto(const Collected& collected, const Collected& next) const;
  model::StringIndex Text(std::string_view text);

  model::DictionaryBuilder& dictionary_;
  base::Warnings& warnings_;
  std::vector<Collected> frames_;                // leaf first
  std::vector<model::Line> lines_;               // scratch, of one location
  std::vector<model::LocationIndex> locations_;  // scratch, of one stack
};

// The value of profile.frame.type: "kernel", a runtime identified by its JIT symbols, or "native".
std::string_view FrameTypeOf(const FrameLine& frame);

}  // namespace flarestack::codec::perfscript
