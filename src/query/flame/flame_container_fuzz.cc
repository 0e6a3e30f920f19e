// SPDX-License-Identifier: Apache-2.0
//
// Everything that decodes survives another round trip unchanged.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "query/flame/flame_container.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flarestack::query;
  const auto flame = DecodeFlame({reinterpret_cast<const char*>(data), size});
  if (!flame.ok())
    return 0;
  const auto again = DecodeFlame(EncodeFlame(*flame));
  FLARE_CHECK(again.ok(), again.status().ToString());
  FLARE_CHECK(*again == *flame, "another flame graph after a round");
  return 0;
}
