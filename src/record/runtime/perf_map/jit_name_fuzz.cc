// SPDX-License-Identifier: Apache-2.0
//
// Names an arbitrary text as JIT-compiled code: there is one function, with valid and short texts.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text/encoding.h"
#include "record/runtime/perf_map/jit_name.h"

namespace base = flarestack::base;
namespace runtime = flarestack::record::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const runtime::NamedFrame frame = runtime::NameJitFrame(name);
  FLARE_CHECK(!frame.type.empty() && frame.functions.size() == 1);
  const runtime::NamedFunction& function = frame.functions[0];
  FLARE_CHECK(function.name.size() + function.file.size() <= 1024 + 11);
  FLARE_CHECK(base::IsValidUtf8(function.name) && base::IsValidUtf8(function.file));
  FLARE_CHECK(function.start_line >= 0 && function.line == 0);
  FLARE_CHECK(!function.name.empty() || size == 0 || name == function.name);
  return 0;
}
