// SPDX-License-Identifier: Apache-2.0
#include "record/trace/stack_pool.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/hash.h"

namespace flarestack::record::agent {
namespace {

std::string_view BytesOf(const std::vector<uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t)};
}

std::pair<uint64_t, uint64_t> ContentOf(const std::vector<uint64_t>& kernel,
                                        const std::vector<uint64_t>& user, bpf::unwind_end end) {
  const base::Hash128 of_kernel =
      kernel.empty() ? base::Hash128{} : base::HashContent(BytesOf(kernel));
  const base::Hash128 of_user = base::HashContent(BytesOf(user));
  const std::array<uint64_t, 5> parts = {of_kernel.high, of_kernel.low, of_user.high, of_user.low,
                                         end};
  const base::Hash128 of_all =
      base::HashContent({reinterpret_cast<const char*>(parts.data()), sizeof(parts)});
  return {of_all.high, of_all.low};
}

}  // namespace

RecordedStack::RecordedStack(std::vector<uint64_t> kernel, std::vector<uint64_t> user,
                             bpf::unwind_end end, const FrameOwners& owners)
    : kernel_(std::move(kernel)), user_(std::move(user)), end_(end), owners_(owners) {
  for (const uint64_t word : user_) {
    if (runtime::IsNamed(word))
      owners_.frames->Hold(word);
    else if ((word >> FRAME_KIND_SHIFT) == bpf::FRAME_IN_FILE)
      slots_.push_back(static_cast<uint32_t>((word >> FRAME_FILE_SHIFT) & FRAME_FILE_MASK));
  }
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  // A file may have been released since BPF wrote the frame; its frames keep their addresses.
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(),
                              [&](uint32_t slot) { return !owners_.files->Has(slot); }),
               slots_.end());
  for (const uint32_t slot : slots_)
    owners_.files->Hold(slot);
}

RecordedStack::~RecordedStack() {
  for (const uint32_t slot : slots_)
    owners_.files->Release(slot, std::chrono::steady_clock::now());
  for (const uint64_t word : user_) {
    if (runtime::IsNamed(word))
      owners_.frames->Release(word);
  }
}

StackPointer StackPool::Intern(const std::vector<uint64_t>& kernel,
                               const std::vector<uint64_t>& user, bpf::unwind_end end) {
  StackPointer& stack = stacks_[ContentOf(kernel, user, end)];
  if (stack == nullptr)
    stack = std::make_shared<RecordedStack>(kernel, user, end, owners_);
  return stack;
}

void StackPool::Sweep() {
  absl::erase_if(stacks_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace flarestack::record::agent
