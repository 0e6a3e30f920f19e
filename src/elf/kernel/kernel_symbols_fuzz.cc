// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary text as kallsyms and as /proc/modules: functions are disjoint and can be found
// again, and the order of the lines makes no difference.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "elf/kernel/kernel_symbols.h"
#include "elf/text_fields.h"

namespace elf = flarestack::elf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto modules = elf::ParseKernelModules(text);
  if (modules.ok()) {
    for (size_t i = 1; i < modules->size(); ++i)
      FLARE_CHECK((*modules)[i - 1].address <= (*modules)[i].address);
  }
  const auto symbols = elf::KernelSymbols::Parse(text);
  if (!symbols.ok())
    return 0;
  const std::vector<elf::KernelFunction> functions = symbols->List();
  FLARE_CHECK(functions.size() == symbols->function_count());
  uint64_t end = 0;
  for (const elf::KernelFunction& function : functions) {
    if (function.begin == UINT64_MAX)
      continue;  // has no end
    FLARE_CHECK(function.begin >= end && function.end > function.begin);
    end = function.end;
    FLARE_CHECK(symbols->Find(function.begin) == function);
    FLARE_CHECK(symbols->Find(function.end - 1) == function);
  }
  std::string reversed;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = elf::TakeLine(&rest);
    reversed.insert(0, std::string(line) + "\r\n");
  }
  const auto again = elf::KernelSymbols::Parse(reversed);
  FLARE_CHECK(again.ok() && again->List() == functions);
  return 0;
}
