// SPDX-License-Identifier: Apache-2.0
//
// Interns the named frames of language runtimes. A stack refers to them by frame words, as it does
// to native frames.
//
//   const uint64_t word = frames.Intern(frame);
//   frames.Hold(word);
//   frames.Get(word);
//   frames.Release(word);
//   frames.Sweep();          // drops frames without references
//
// Not thread-safe.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "record/bpf/layout.h"
#include "record/runtime/named_frame.h"

namespace flarestack::record::runtime {

inline bool IsNamed(uint64_t word) { return word >> FRAME_KIND_SHIFT == bpf::FRAME_NAMED; }

class FrameTable {
 public:
  // Returns the same word for equal frames. Words are never reused.
  uint64_t Intern(NamedFrame frame);

  bool Has(uint64_t word) const { return by_word_.contains(word); }
  const NamedFrame& Get(uint64_t word) const;  // requires Has(word)

  void Hold(uint64_t word);
  void Release(uint64_t word);
  void Sweep();

  size_t size() const { return by_word_.size(); }

 private:
  struct Entry {
    uint64_t word = 0;
    uint32_t holders = 0;
  };

  absl::node_hash_map<NamedFrame, Entry> by_frame_;
  absl::flat_hash_map<uint64_t, const NamedFrame*> by_word_;  // keys of by_frame_
  uint64_t next_ = 0;
};

}  // namespace flarestack::record::runtime
