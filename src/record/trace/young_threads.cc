// SPDX-License-Identifier: Apache-2.0
#include "record/trace/young_threads.h"

namespace flarestack::record::agent {

void YoungThreads::OnShortTick(const OwnSample& sample) {
  if (threads_.size() >= kThreadsMax && !threads_.contains(sample.tid))
    return;
  Kept& kept = threads_[sample.tid];
  // The event excludes the kernel, so a long tick there is never delivered. It would have covered
  // the thread up to here all the same.
  if ((kept.ticks + 1) * periods_.short_ns > periods_.long_ns)
    kept.ticks = 0;
  ++kept.ticks;
  // Reservoir of one: each tick is equally likely to be kept.
  if (random_() % kept.ticks != 0)
    return;
  kept.sample = sample;
  kept.stack.assign(sample.stack);
}

void YoungThreads::OnExit(uint32_t tid, Visitor visit) {
  const auto found = threads_.find(tid);
  if (found == threads_.end())
    return;
  Emit(found->second, visit);
  threads_.erase(found);
}

void YoungThreads::Finish(Visitor visit) {
  for (const auto& [tid, kept] : threads_)
    Emit(kept, visit);
  threads_.clear();
}

// The remainder carries over to the next thread, which keeps the total right.
void YoungThreads::Emit(const Kept& kept, Visitor visit) {
  carry_ns_ += kept.ticks * periods_.short_ns;
  if (carry_ns_ < periods_.long_ns)
    return;
  carry_ns_ -= periods_.long_ns;
  OwnSample sample = kept.sample;
  sample.stack = kept.stack;
  visit(sample);
}

}  // namespace flarestack::record::agent
