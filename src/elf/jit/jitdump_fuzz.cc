// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary bytes as a jitdump, at once and in pieces: both have the same code, current code
// does not overlap, and all of it is found at its address and time.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "elf/jit/jitdump.h"

namespace elf = flarestack::elf;

namespace {

// Appends as a reader of a growing file does, with a little more each time.
bool AppendInPieces(std::string_view bytes, elf::JitDump* dump) {
  uint64_t at = 0;
  for (size_t end = 0; end < bytes.size() && at <= bytes.size();) {
    end = std::min(end + 37, bytes.size());
    if (at > end)
      continue;
    const auto consumed = dump->Append(bytes.substr(at, end - at));
    if (!consumed.ok())
      return false;
    at += *consumed;
  }
  return true;
}

void CheckCode(const elf::JitDump& dump, const elf::JitCode& code) {
  FLARE_CHECK(code.begin < code.end && code.replaced_at == UINT64_MAX);
  for (const uint64_t address : {code.begin, code.end - 1}) {
    for (const uint64_t time : {code.loaded_at, UINT64_MAX})
      FLARE_CHECK(dump.Find(address, time) == &code);
    const elf::JitLine* const line = dump.FindLine(code, address);
    FLARE_CHECK(line == nullptr || line->file->size() <= elf::JitDump::kNameBytesMax);
  }
  if (code.loaded_at > 0) {
    const elf::JitCode* const before = dump.Find(code.begin, code.loaded_at - 1);
    FLARE_CHECK(before == nullptr || before->loaded_at < code.loaded_at);
  }
  FLARE_CHECK(code.function->name.size() <= elf::JitDump::kNameBytesMax);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  elf::JitDump dump;
  const bool is_ok = dump.Append(bytes).ok();
  elf::JitDump pieces;
  const bool is_ok_in_pieces = AppendInPieces(bytes, &pieces);
  FLARE_CHECK(is_ok == is_ok_in_pieces);
  elf::JitDump small({.codes_max = 3, .bytes_max = 4000});
  if (small.Append(bytes).ok())
    FLARE_CHECK(small.codes().size() <= 3 && small.bytes() <= 5000);
  if (!is_ok)
    return 0;
  FLARE_CHECK(std::ranges::equal(dump.codes(), pieces.codes(), [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.end == b.second.end &&
           a.second.function->name == b.second.function->name;
  }));
  uint64_t end = 0;
  for (const auto& [begin, code] : dump.codes()) {
    FLARE_CHECK(begin == code.begin && begin >= end);
    end = code.end;
    CheckCode(dump, code);
  }
  return 0;
}
