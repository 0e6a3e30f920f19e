// SPDX-License-Identifier: Apache-2.0
//
// .eh_frame_hdr and .eh_frame from anywhere: rows are sorted and within the module.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "sdk/unwind/cfi_compiler.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flarestack::sdk;
  constexpr size_t kRowsMax = 10'000;
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const ModuleImage image = {.begin = begin,
                             .end = begin + size,
                             .eh_frame_hdr = begin,
                             .segment_begin = begin,
                             .segment_end = begin + size};
  const auto rows = CompileCfi(image, kRowsMax);
  if (!std::ranges::is_sorted(rows, {}, &UnwindRow::offset))
    std::abort();
  return 0;
}
