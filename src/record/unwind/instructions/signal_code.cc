// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/signal_code.h"

#include <algorithm>

namespace flarestack::record::unwind {
namespace {

// mov $15,%rax; syscall
constexpr std::string_view kX86_64Code("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
// mov x8,#139; svc #0
constexpr std::string_view kArm64Code("\x68\x11\x80\xd2\x01\x00\x00\xd4", 8);

// Files without any unwind information are small: the kernel's vDSO, and hand-written programs.
constexpr uint64_t kSearchBytesMax = uint64_t{1} << 20;

}  // namespace

std::string_view SignalCode::bytes() const {
  return machine_ == Machine::kX86_64 ? kX86_64Code : kArm64Code;
}

bool SignalCode::IsAt(uint64_t address) const {
  if (address == 0 || address > UINT64_MAX - bytes().size())
    return false;
  return code_.In({.begin = address, .end = address + bytes().size()}) == bytes();
}

bool SignalCode::IsAnywhere() const {
  for (const CodeSpan& span : code_.Spans()) {
    const uint64_t end = span.begin + std::min(span.end - span.begin, kSearchBytesMax);
    if (FindCode(code_.In({.begin = span.begin, .end = end}), bytes(), 0) != std::string_view::npos)
      return true;
  }
  return false;
}

void SignalCode::AddRows(const CodeSpan& part, RowBuilder* builder) const {
  // Code that begins before the part or ends after it counts as well.
  const uint64_t around = bytes().size() - 1;
  const CodeSpan span =
      code_.Within({.begin = part.begin - std::min(part.begin, around),
                    .end = part.end + std::min(UINT64_MAX - part.end, around + 1)});
  const std::string_view code = code_.In(span);
  for (size_t at = FindCode(code, bytes(), 0); at != std::string_view::npos;
       at = FindCode(code, bytes(), at + bytes().size())) {
    const uint64_t address = span.begin + at;
    builder->Begin(address - std::min<uint64_t>(address, 1), RuleOfKind(bpf::RULE_SIGNAL));
    builder->Begin(address + bytes().size(), RuleOfKind(bpf::RULE_NONE));
  }
}

}  // namespace flarestack::record::unwind
