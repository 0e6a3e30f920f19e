// SPDX-License-Identifier: Apache-2.0
//
// Interns the stacks of recorded traces. A stack holds the files and the named frames it refers to,
// so that it can be symbolized later, when the processes may be gone.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/bpf/layout.h"
#include "record/code/code_files.h"
#include "record/runtime/frame_table.h"

namespace flarestack::record::agent {

// What the words of a stack refer to. Both must outlive the pool and its stacks.
struct FrameOwners {
  CodeFiles* files = nullptr;
  runtime::FrameTable* frames = nullptr;
};

class RecordedStack {
 public:
  RecordedStack(std::vector<uint64_t> kernel, std::vector<uint64_t> user, bpf::unwind_end end,
                const FrameOwners& owners);
  RecordedStack(const RecordedStack&) = delete;
  RecordedStack& operator=(const RecordedStack&) = delete;
  ~RecordedStack();

  const std::vector<uint64_t>& kernel() const { return kernel_; }  // addresses, leaf first
  const std::vector<uint64_t>& user() const { return user_; }      // frame words, leaf first
  bpf::unwind_end end() const { return end_; }

 private:
  std::vector<uint64_t> kernel_;
  std::vector<uint64_t> user_;
  bpf::unwind_end end_;
  const FrameOwners owners_;
  std::vector<uint32_t> slots_;
};

using StackPointer = std::shared_ptr<const RecordedStack>;

class StackPool {
 public:
  explicit StackPool(const FrameOwners& owners) : owners_(owners) {}

  // Copies the frames only if the stack is new.
  StackPointer Intern(const std::vector<uint64_t>& kernel, const std::vector<uint64_t>& user,
                      bpf::unwind_end end);

  // Drops stacks without other owners.
  void Sweep();

  size_t size() const { return stacks_.size(); }

 private:
  const FrameOwners owners_;
  // Keyed by a 128-bit hash of the whole stack, assumed unique. Comparing the stacks themselves
  // would touch much cold memory for each sample.
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, StackPointer> stacks_;
};

}  // namespace flarestack::record::agent
