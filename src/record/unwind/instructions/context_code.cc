// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/context_code.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace flarestack::record::unwind {
namespace {

// mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi; je: is there a next context?
constexpr std::string_view kCode("\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74", 11);
// Including the calls to setcontext and exit that follow.
constexpr uint64_t kAllBytes = 26;

}  // namespace

std::optional<std::vector<Row>> ContextCode::Ends(const CodeSpan& span) const {
  if (machine_ != Machine::kX86_64)
    return std::nullopt;
  // Include code that began before the span, or that begins right after it.
  const CodeSpan around =
      code_.Within({.begin = span.begin - std::min(span.begin, kAllBytes),
                    .end = span.end + std::min(UINT64_MAX - span.end, uint64_t{kCode.size()})});
  const std::string_view code = code_.In(around);
  std::optional<RowBuilder> ends;
  for (size_t at = FindCode(code, kCode, 0); at != std::string_view::npos;
       at = FindCode(code, kCode, at + 1)) {
    if (!ends.has_value())
      ends.emplace(span);
    const uint64_t address = around.begin + at;
    bpf::unwind_rule entry = RuleOfKind(bpf::RULE_STOP);
    entry.flags = bpf::RULE_NOT_CALLED;
    ends->Begin(address - std::min<uint64_t>(address, 1), entry);
    ends->Begin(address, RuleOfKind(bpf::RULE_STOP));
    ends->Begin(address + kAllBytes, RuleOfKind(bpf::RULE_NONE));
  }
  if (!ends.has_value())
    return std::nullopt;
  return std::move(*ends).Finish();
}

}  // namespace flarestack::record::unwind
