// SPDX-License-Identifier: Apache-2.0
//
// Parses text from outside: addresses, request targets, credential files. Parsed values must
// survive a round trip through formatting.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/address.h"
#include "net/auth/auth_entry.h"
#include "net/http/http_target.h"

using flarestack::net::FormatAuthRecords;
using flarestack::net::ParseAddress;
using flarestack::net::ParseAuthRecords;
using flarestack::net::ParseTarget;
using flarestack::net::PercentDecode;
using flarestack::net::PercentEncode;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto address = ParseAddress(text); address.ok()) {
    const auto again = ParseAddress(ToString(*address));
    FLARE_CHECK(again.ok() && *again == *address);
  }
  if (const auto target = ParseTarget(text); target.ok() && target->path != "*")
    FLARE_CHECK(target->path.starts_with('/') && target->path.find('\0') == std::string::npos);
  FLARE_CHECK(PercentDecode(PercentEncode(text)) == text);
  if (const auto records = ParseAuthRecords(text); records.ok()) {
    const std::string written = FormatAuthRecords(*records);
    const auto again = ParseAuthRecords(written);
    FLARE_CHECK(again.ok() && FormatAuthRecords(*again) == written);
  }
  return 0;
}
