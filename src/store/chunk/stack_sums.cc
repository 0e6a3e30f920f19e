// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/stack_sums.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "base/saturating.h"
#include "base/text/text.h"

namespace flarestack::store {
namespace {

constexpr char kVersion = 1;

uint64_t AddUpTo(uint64_t a, uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

}  // namespace

std::string EncodeStackSums(const StackSums& sums) {
  using base::AppendVarint;
  // If every row counts 1, value and event count are equal, and one of them is omitted.
  const bool is_count = std::ranges::all_of(sums.stacks, [](const StackSum& sum) {
    return sum.value >= 0 && static_cast<uint64_t>(sum.value) == sum.events;
  });
  std::string out(1, kVersion);
  out.push_back(is_count ? 1 : 0);
  AppendVarint(sums.profile_count, &out);
  AppendVarint(sums.duration_nanos, &out);
  AppendVarint(sums.stacks.size(), &out);
  uint32_t last = 0;
  for (const StackSum& sum : sums.stacks) {
    AppendVarint(sum.stack - last, &out);
    last = sum.stack;
  }
  for (const StackSum& sum : sums.stacks)
    AppendVarint(sum.events, &out);
  if (!is_count) {
    for (const StackSum& sum : sums.stacks)
      base::AppendSigned(sum.value, &out);
  }
  return out;
}

absl::Status DecodeStackSums(std::string_view bytes, StackSums* sums) {
  *sums = {};
  if (bytes.size() < 2 || bytes[0] != kVersion)
    return absl::DataLossError("roll-up: unsupported version");
  const bool is_count = bytes[1] == 1;
  base::ByteReader in(bytes.substr(2));
  sums->profile_count = in.Varint();
  sums->duration_nanos = in.Varint();
  sums->stacks.resize(in.Count());
  uint32_t last = 0;
  for (StackSum& sum : sums->stacks)
    last = sum.stack = last + in.Varint32();
  for (StackSum& sum : sums->stacks)
    sum.events = in.Varint();
  for (StackSum& sum : sums->stacks)
    sum.value = is_count ? static_cast<int64_t>(sum.events) : in.Signed();
  return in.AtEnd() ? absl::OkStatus() : absl::DataLossError("roll-up: truncated or too long");
}

void StackSummer::Add(uint32_t stack, int64_t value, uint64_t events) {
  uint32_t position = positions_.Find(stack);
  if (position == NumberTable::kNone) {
    position = static_cast<uint32_t>(sums_.stacks.size());
    positions_.Add(stack, position);
    sums_.stacks.push_back({.stack = stack});
  }
  StackSum& sum = sums_.stacks[position];
  sum.value = base::SaturatingAdd(sum.value, value);
  sum.events = AddUpTo(sum.events, events);
}

void StackSummer::AddProfiles(uint64_t count, uint64_t duration_nanos) {
  sums_.profile_count = AddUpTo(sums_.profile_count, count);
  sums_.duration_nanos = AddUpTo(sums_.duration_nanos, duration_nanos);
}

void StackSummer::Add(const StackSums& sums) {
  AddProfiles(sums.profile_count, sums.duration_nanos);
  for (const StackSum& sum : sums.stacks)
    Add(sum.stack, sum.value, sum.events);
}

StackSums StackSummer::Finish() && {
  // Roll-ups are sorted, and the first one added has most of the stacks of the others.
  std::vector<StackSum>& stacks = sums_.stacks;
  const auto rest = std::ranges::is_sorted_until(stacks, {}, &StackSum::stack);
  std::ranges::sort(rest, stacks.end(), {}, &StackSum::stack);
  std::ranges::inplace_merge(stacks, rest, {}, &StackSum::stack);
  return std::move(sums_);
}

}  // namespace flarestack::store
