// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/thread_variable.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace flarestack::record::runtime {
namespace {

using Kind = ThreadVariable::Kind;

constexpr size_t kCodeBytesMax = 64;

// ---- x86-64 ------------------------------------------------------------------------------------

// A sequence of bytes, then a 32-bit number, then more bytes.
struct X86Pattern {
  std::string_view before;
  std::string_view after;
  Kind kind;
};

using namespace std::string_view_literals;

constexpr X86Pattern kX86Patterns[] = {
    // mov %fs:offset,%rax
    {"\x64\x48\x8b\x04\x25"sv, ""sv, Kind::kOffset},
    // lea pair(%rip),%rdi; call __tls_get_addr, padded to 16 bytes
    {"\x66\x48\x8d\x3d"sv, "\x66\x66\x48\xe8"sv, Kind::kModulePair},
    {"\x66\x48\x8d\x3d"sv, "\x66\x48\xff\x15"sv, Kind::kModulePair},
    // lea pair(%rip),%rdi; call __tls_get_addr, followed by mov offset(%rax),%rax
    {"\x48\x8d\x3d"sv, "\xe8"sv, Kind::kModulePair},
    {"\x48\x8d\x3d"sv, "\xff\x15"sv, Kind::kModulePair},
    // mov word(%rip),%rax; mov %fs:(%rax),%rax
    {"\x48\x8b\x05"sv, "\x64\x48\x8b\x00"sv, Kind::kWord},
    // lea descriptor(%rip),%rax; call *(%rax); mov %fs:(%rax),%rax
    {"\x48\x8d\x05"sv, "\xff\x10"sv, Kind::kDescriptor},
};

int32_t NumberAt(std::string_view code, size_t at) {
  int32_t number = 0;
  std::memcpy(&number, code.data() + at, sizeof(number));
  return number;
}

// The block's address is in %rax after the call at `at`. Returns the offset that the code adds.
int64_t OffsetAfterCall(std::string_view code, size_t at) {
  constexpr std::string_view kLoadAtOffset = "\x48\x8b\x80"sv;  // mov offset(%rax),%rax
  constexpr std::string_view kLoadNear = "\x48\x8b\x40"sv;      // the same with one byte
  if (code.substr(at).starts_with(kLoadAtOffset) && code.size() - at >= kLoadAtOffset.size() + 4)
    return NumberAt(code, at + kLoadAtOffset.size());
  if (code.substr(at).starts_with(kLoadNear) && code.size() - at > kLoadNear.size())
    return static_cast<signed char>(code[at + kLoadNear.size()]);
  return 0;
}

std::optional<ThreadVariable> FindInX86(std::string_view code, uint64_t address) {
  for (const X86Pattern& pattern : kX86Patterns) {
    const size_t at = code.find(pattern.before);
    const size_t number_at = at + pattern.before.size();
    if (at == std::string_view::npos || code.size() < number_at + sizeof(int32_t))
      continue;
    const size_t end = number_at + sizeof(int32_t);
    if (!code.substr(end).starts_with(pattern.after))
      continue;
    const int64_t number = NumberAt(code, number_at);
    // Variables are below the thread pointer. The stack protector's value is above it.
    if (pattern.kind == Kind::kOffset && number >= 0)
      continue;
    if (pattern.kind == Kind::kOffset)
      return ThreadVariable{.kind = Kind::kOffset, .offset = number};
    ThreadVariable variable = {.kind = pattern.kind,
                               .address = address + end + static_cast<uint64_t>(number)};
    const size_t call_end = end + pattern.after.size() + sizeof(int32_t);
    if (pattern.kind == Kind::kModulePair && call_end < code.size())
      variable.offset = OffsetAfterCall(code, call_end);
    return variable;
  }
  return std::nullopt;
}

// ---- arm64 -------------------------------------------------------------------------------------

constexpr uint32_t Bits(uint32_t word, unsigned first, unsigned count) {
  return word >> first & ((1u << count) - 1);
}

// Follows the instructions that compilers use to reach a thread-local variable.
class Arm64Search {
 public:
  // Returns false at an instruction that ends the search.
  bool Take(uint32_t word, uint64_t address) {
    if ((word & 0xffffffe0) == 0xd53bd040) {  // mrs xt, tpidr_el0
      has_pointer_ = true;
      offset_ = 0;
    } else if ((word & 0x9f000000) == 0x90000000) {  // adrp
      const uint64_t pages = Bits(word, 29, 2) | uint64_t{Bits(word, 5, 19)} << 2;
      const auto distance = static_cast<int64_t>(pages << 43) >> 31;
      page_ = (address & ~uint64_t{0xfff}) + static_cast<uint64_t>(distance);
    } else if ((word & 0xff800000) == 0x91000000) {  // add xd, xn, #imm{, lsl #12}
      if (has_pointer_)
        offset_ += int64_t{Bits(word, 10, 12)} << (Bits(word, 22, 1) * 12);
    } else if ((word & 0xffc00000) == 0xf9400000) {  // ldr xt, [xn, #imm]
      return TakeLoad(int64_t{Bits(word, 10, 12)} * 8);
    } else if ((word & 0xfffffc1f) == 0xd63f0000 && word_.has_value()) {  // blr
      found_ = {.kind = Kind::kDescriptor, .address = *word_};
      return false;
    } else if ((word & 0xffe0fc00) == 0xf8606800 && has_pointer_ && word_.has_value()) {
      found_ = {.kind = Kind::kWord, .address = *word_};  // ldr xt, [xn, xm]
      return false;
    }
    return word != 0xd65f03c0;  // ret
  }

  std::optional<ThreadVariable> found() const { return found_; }

 private:
  bool TakeLoad(int64_t immediate) {
    if (page_.has_value() && !word_.has_value()) {
      word_ = *page_ + static_cast<uint64_t>(immediate);
      return true;
    }
    if (!has_pointer_)
      return true;
    found_ = {.kind = Kind::kOffset, .offset = offset_ + immediate};
    return false;
  }

  bool has_pointer_ = false;
  int64_t offset_ = 0;
  std::optional<uint64_t> page_;
  std::optional<uint64_t> word_;
  std::optional<ThreadVariable> found_;
};

std::optional<ThreadVariable> FindInArm64(std::string_view code, uint64_t address) {
  Arm64Search search;
  for (size_t at = 0; at + sizeof(uint32_t) <= code.size(); at += sizeof(uint32_t)) {
    if (!search.Take(static_cast<uint32_t>(NumberAt(code, at)), address + at))
      break;
  }
  return search.found();
}

}  // namespace

std::optional<ThreadVariable> FindReturnedVariable(uint16_t elf_machine, std::string_view code,
                                                   uint64_t address) {
  code = code.substr(0, kCodeBytesMax);
  if (elf_machine == EM_X86_64)
    return FindInX86(code, address);
  return elf_machine == EM_AARCH64 ? FindInArm64(code, address) : std::nullopt;
}

}  // namespace flarestack::record::runtime
