// SPDX-License-Identifier: Apache-2.0
//
// Decodes arbitrary bytes as the record of a thread: its attributes lie inside the record, have
// keys of the map, and do not change when unused bytes follow.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text/encoding.h"
#include "record/process/context/thread_context.h"

namespace agent = flarestack::record::agent;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string_view> keys = {"http.route", "user.id", "", "tenant"};
  const auto context = agent::DecodeThreadContext(record, keys);
  if (!context.has_value())
    return 0;
  FLARE_CHECK(size >= agent::kThreadContextHeaderBytes);
  FLARE_CHECK(context->attributes.size() <= keys.size());
  for (const auto& attribute : context->attributes) {
    FLARE_CHECK(!attribute.key.empty() && flarestack::base::IsValidUtf8(attribute.value));
    FLARE_CHECK(attribute.value.empty() ||
                (attribute.value.data() >= record.data() &&
                 attribute.value.data() + attribute.value.size() <= record.data() + size));
  }
  const size_t attribute_bytes = data[26] | static_cast<size_t>(data[27]) << 8;
  if (size < agent::kThreadContextHeaderBytes + attribute_bytes)
    return 0;
  const std::string longer = std::string(record) + "more";
  const auto again = agent::DecodeThreadContext(longer, keys);
  FLARE_CHECK(again.has_value() && again->attributes.size() == context->attributes.size());
  return 0;
}
