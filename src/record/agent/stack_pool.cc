// SPDX-License-Identifier: Apache-2.0
#include "record/agent/stack_pool.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/hash.h"

namespace flarestack::record::agent {
namespace {

uint64_t HashOf(const std::vector<uint64_t>& words) {
  return base::Hash64(std::string_view(reinterpret_cast<const char*>(words.data()),
                                       words.size() * sizeof(uint64_t)));
}

}  // namespace

RecordedStack::RecordedStack(std::vector<uint64_t> kernel, std::vector<uint64_t> user,
                             bpf::unwind_end end, CodeFiles* files)
    : kernel_(std::move(kernel)), user_(std::move(user)), end_(end), files_(*files) {
  for (const uint64_t word : user_) {
    if ((word >> FRAME_KIND_SHIFT) == bpf::FRAME_IN_FILE)
      slots_.push_back(static_cast<uint32_t>((word >> FRAME_FILE_SHIFT) & FRAME_FILE_MASK));
  }
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  // A file may have gone between the kernel's side and here; its frames keep their addresses.
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(),
                              [&](uint32_t slot) { return !files_.Has(slot); }),
               slots_.end());
  for (const uint32_t slot : slots_)
    files_.Hold(slot);
}

RecordedStack::~RecordedStack() {
  for (const uint32_t slot : slots_)
    files_.Release(slot, std::chrono::steady_clock::now());
}

StackPointer StackPool::Intern(const std::vector<uint64_t>& kernel,
                               const std::vector<uint64_t>& user, bpf::unwind_end end) {
  const uint64_t hash = HashOf(kernel) * 31 + HashOf(user);
  std::vector<StackPointer>& same_hash = stacks_[hash];
  for (const StackPointer& stack : same_hash) {
    if (stack->end() == end && stack->kernel() == kernel && stack->user() == user)
      return stack;
  }
  same_hash.push_back(std::make_shared<RecordedStack>(kernel, user, end, &files_));
  return same_hash.back();
}

void StackPool::Sweep() {
  for (auto entry = stacks_.begin(); entry != stacks_.end();) {
    std::erase_if(entry->second, [](const StackPointer& stack) { return stack.use_count() == 1; });
    if (entry->second.empty())
      stacks_.erase(entry++);
    else
      ++entry;
  }
}

}  // namespace flarestack::record::agent
