// SPDX-License-Identifier: Apache-2.0
//
// Decodes arbitrary bytes as records of a ring buffer: reading terminates, and every string lies
// inside its record.
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "record/kernel/perf_event_record.h"

namespace agent = flarestack::record::agent;

namespace {

void CheckInside(std::string_view record, std::string_view text) {
  if (text.empty())
    return;
  FLARE_CHECK(text.data() >= record.data());
  FLARE_CHECK(text.data() + text.size() <= record.data() + record.size());
}

void CheckTexts(std::string_view record, const agent::PerfEvent& event) {
  if (const auto* mmap = std::get_if<agent::MmapEvent>(&event.what); mmap != nullptr) {
    CheckInside(record, mmap->path);
    CheckInside(record, mmap->build_id);
    FLARE_CHECK(mmap->build_id.size() <= 20);
    FLARE_CHECK(mmap->path.find('\0') == std::string_view::npos);
  }
  if (const auto* comm = std::get_if<agent::CommEvent>(&event.what); comm != nullptr)
    CheckInside(record, comm->name);
  if (const auto* symbol = std::get_if<agent::KernelSymbolEvent>(&event.what); symbol != nullptr)
    CheckInside(record, symbol->name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (true) {
    const auto bytes = agent::PerfEventRecordBytes(rest);
    if (!bytes.ok())
      return 0;
    FLARE_CHECK(*bytes >= agent::kPerfEventsHeaderBytes && *bytes <= rest.size());
    const std::string_view record = rest.substr(0, *bytes);
    const auto event = agent::DecodePerfEventRecord(record);
    if (event.ok()) {
      FLARE_CHECK(agent::PerfEventRecordTime(record).value() == event->time_ns);
      CheckTexts(record, *event);
    }
    rest.remove_prefix(*bytes);
  }
}
