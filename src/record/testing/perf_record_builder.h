// SPDX-License-Identifier: Apache-2.0
//
// Builds records as the kernel writes them into the ring buffer of a perf event, with the trailer
// that perf_event_record.h describes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::record::agent::testing {

class PerfRecordBuilder {
 public:
  PerfRecordBuilder(uint32_t type, uint16_t misc) : type_(type), misc_(misc) {}

  PerfRecordBuilder& U8(uint8_t value);
  PerfRecordBuilder& U16(uint16_t value);
  PerfRecordBuilder& U32(uint32_t value);
  PerfRecordBuilder& U64(uint64_t value);
  PerfRecordBuilder& Bytes(std::string_view bytes);
  PerfRecordBuilder& Text(std::string_view text);  // padded with zeros to a multiple of 8

  // Header, fields and trailer.
  std::string Build(uint64_t time_ns, uint32_t cpu) const;

 private:
  uint32_t type_;
  uint16_t misc_;
  std::string fields_;
};

}  // namespace flarestack::record::agent::testing
