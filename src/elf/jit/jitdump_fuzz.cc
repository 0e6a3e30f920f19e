// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary bytes as a jitdump: all code is found at its address and time, never two at
// once, and the ranges of its lines cover it without a gap.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "elf/jit/jitdump.h"

namespace elf = flarestack::elf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto dump = elf::JitDump::Parse(bytes);
  if (!dump.ok())
    return 0;
  for (const elf::JitCode& code : dump->codes()) {
    FLARE_CHECK(code.begin < code.end && code.loaded_at < code.replaced_at);
    for (const uint64_t address : {code.begin, code.end - 1}) {
      for (const uint64_t time : {code.loaded_at, code.replaced_at - 1})
        FLARE_CHECK(dump->Find(address, time) == &code);
    }
    FLARE_CHECK(code.lines_begin <= code.lines_end && code.lines_end <= dump->lines().size());
    uint64_t cursor = code.begin;
    const absl::Status visited = dump->VisitLines(code, [&](const elf::CodeRange& range) {
      FLARE_CHECK(range.begin == cursor && range.end > range.begin);
      FLARE_CHECK(range.frames.size() == 1 && range.frames[0].function == code.name);
      cursor = range.end;
      return absl::OkStatus();
    });
    FLARE_CHECK(visited.ok() && cursor == code.end);
  }
  return 0;
}
