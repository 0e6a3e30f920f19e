// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/code_bytes.h"

#include <cstring>

#include <algorithm>

namespace flarestack::record::unwind {

std::string_view CodeBytes::In(const CodeSpan& span) const {
  for (const elf::Segment& segment : map_.segments()) {
    if (!segment.is_executable() || span.begin < segment.address ||
        span.begin - segment.address >= segment.file_bytes)
      continue;
    const uint64_t inside = span.begin - segment.address;
    const uint64_t count = std::min(span.end - span.begin, segment.file_bytes - inside);
    if (segment.offset > bytes_.size() || inside > bytes_.size() - segment.offset)
      return {};
    return bytes_.substr(static_cast<size_t>(segment.offset + inside), static_cast<size_t>(count));
  }
  return {};
}

CodeSpan CodeBytes::Within(CodeSpan span) const {
  uint64_t first = span.end;
  for (const CodeSpan& code : Spans()) {
    if (code.begin < span.end && code.end > span.begin)
      first = std::min(first, std::max(code.begin, span.begin));
  }
  span.begin = first;
  return span;
}

std::vector<CodeSpan> CodeBytes::Spans() const {
  std::vector<CodeSpan> spans;
  for (const elf::Segment& segment : map_.segments()) {
    const uint64_t count = std::min(segment.file_bytes, UINT64_MAX - segment.address);
    if (segment.is_executable())
      spans.push_back({.begin = segment.address, .end = segment.address + count});
  }
  return spans;
}

size_t FindCode(std::string_view code, std::string_view wanted, size_t from) {
  const std::string_view rest = code.substr(from);
  if (rest.size() < wanted.size())  // also covers empty code, whose pointer may be null
    return std::string_view::npos;
  const void* found = memmem(rest.data(), rest.size(), wanted.data(), wanted.size());
  if (found == nullptr)
    return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - code.data());
}

}  // namespace flarestack::record::unwind
