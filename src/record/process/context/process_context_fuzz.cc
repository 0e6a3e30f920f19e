// SPDX-License-Identifier: Apache-2.0
//
// Decodes 32 arbitrary bytes as a header and the rest as its payload: the decoded context stays
// within its limits, and all of it can be read.
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "base/check.h"
#include "record/process/context/process_context.h"

namespace agent = flarestack::record::agent;

namespace {

size_t TextBytes(const agent::ProcessContext& context) {
  size_t bytes = 0;
  for (const auto& node : context.nodes())
    bytes += node.key.size() + node.value.text.size();
  for (const std::string_view key : context.ThreadKeys())
    bytes += key.size();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view header = bytes.substr(0, agent::kContextHeaderBytes);
  const std::string_view payload = bytes.substr(header.size());
  // The header is at 0; any other address reads the payload.
  const auto read = [&](uint64_t address, std::span<char> out) {
    const bool is_header = address < header.size();
    const std::string_view from = is_header ? header.substr(address) : payload;
    if (out.size() > from.size())
      return absl::OutOfRangeError("beyond");
    std::memcpy(out.data(), from.data(), out.size());
    return absl::OkStatus();
  };
  const auto context = agent::ReadContextAt(read, 0, {});
  if (context.ok() && context->has_value()) {
    FLARE_CHECK((*context)->published_at_ns != 0);
    FLARE_CHECK((*context)->ThreadKeys().size() <= agent::kThreadKeysMax);
    FLARE_CHECK(TextBytes(**context) <= 3 * size);
  }
  const auto decoded = agent::ProcessContext::Decode(payload);
  if (decoded.ok())
    FLARE_CHECK(TextBytes(*decoded) <= 3 * size);
  return 0;
}
