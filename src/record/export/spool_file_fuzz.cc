// SPDX-License-Identifier: Apache-2.0
//
// Decodes arbitrary bytes as a spooled request: an accepted request encodes to the same bytes
// again.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/export/spool_file.h"

namespace exporting = flarestack::record::exporting;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto request = exporting::DecodeSpoolFile(bytes);
  if (request.ok())
    FLARE_CHECK(exporting::EncodeSpoolFile(*request) == bytes);
  const auto sequence = exporting::ParseSpoolFileName(bytes);
  if (sequence.has_value())
    FLARE_CHECK(exporting::SpoolFileName(*sequence) == bytes);
  FLARE_CHECK(exporting::DecodeSpoolFile(exporting::EncodeSpoolFile(bytes)).value() == bytes);
  return 0;
}
