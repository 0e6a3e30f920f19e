// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/perf_event_record.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "base/status.h"
#include "elf/byte_cursor.h"

namespace flarestack::record::agent {
namespace {

using elf::ByteCursor;

constexpr size_t kTrailerBytes = 24;  // pid, tid, time, cpu, reserved
constexpr size_t kTrailerTimeOffset = 8;
constexpr size_t kFileIdBytes = 24;
constexpr size_t kBuildIdBytesMax = 20;
// Defined here because <linux/perf_event.h> before 5.12 lacks some of them.
constexpr uint16_t kMiscBuildId = 1 << 14;
constexpr uint16_t kMiscCommExec = 1 << 13;
constexpr uint32_t kRecordKernelSymbol = 17;
constexpr uint16_t kKernelSymbolRemoved = 1;

struct Header {
  uint32_t type = 0;
  uint16_t misc = 0;
  uint16_t bytes = 0;
};

Header ReadHeader(ByteCursor* in) {
  Header header;
  header.type = in->U32();
  header.misc = in->U16();
  header.bytes = in->U16();
  return header;
}

// The same bytes contain either the identity of a file or its build id.
void ReadFileId(ByteCursor* in, uint16_t misc, MmapEvent* event) {
  ByteCursor id(in->Take(kFileIdBytes));
  if ((misc & kMiscBuildId) != 0) {
    const size_t bytes = std::min<size_t>(id.U8(), kBuildIdBytesMax);
    id.Take(3);
    event->build_id = id.Take(bytes);
    return;
  }
  event->device_major = id.U32();
  event->device_minor = id.U32();
  event->inode = id.U64();
}

MmapEvent ReadMmap(ByteCursor* in, uint16_t misc) {
  MmapEvent event;
  event.pid = in->U32();
  event.tid = in->U32();
  event.start = in->U64();
  event.length = in->U64();
  event.file_offset = in->U64();
  ReadFileId(in, misc, &event);
  event.prot = in->U32();
  event.flags = in->U32();
  event.path = in->Text();
  return event;
}

CommEvent ReadComm(ByteCursor* in, uint16_t misc) {
  CommEvent event;
  event.pid = in->U32();
  event.tid = in->U32();
  event.name = in->Text();
  event.is_exec = (misc & kMiscCommExec) != 0;
  return event;
}

template <typename Event>
Event ReadTask(ByteCursor* in) {
  Event event;
  event.pid = in->U32();
  event.ppid = in->U32();
  event.tid = in->U32();
  event.ptid = in->U32();
  in->U64();  // the time, which is also in the trailer
  return event;
}

LostEvent ReadLost(ByteCursor* in) {
  in->U64();  // event id: there is one event per CPU
  return {.count = in->U64()};
}

KernelSymbolEvent ReadKernelSymbol(ByteCursor* in) {
  KernelSymbolEvent event;
  event.address = in->U64();
  event.length = in->U32();
  in->U16();  // type: BPF or other
  event.is_added = (in->U16() & kKernelSymbolRemoved) == 0;
  event.name = in->Text();
  return event;
}

absl::Status TooShort(uint32_t type, size_t bytes) {
  return absl::InvalidArgumentError(base::StrCat("perf record of type ", type, " with ", bytes,
                                                 " bytes is too short for its fields"));
}

void ReadFields(const Header& header, ByteCursor* in, PerfEvent* event) {
  switch (header.type) {
    case PERF_RECORD_MMAP2:
      event->what = ReadMmap(in, header.misc);
      break;
    case PERF_RECORD_COMM:
      event->what = ReadComm(in, header.misc);
      break;
    case PERF_RECORD_FORK:
      event->what = ReadTask<ForkEvent>(in);
      break;
    case PERF_RECORD_EXIT:
      event->what = ReadTask<ExitEvent>(in);
      break;
    case PERF_RECORD_LOST:
      event->what = ReadLost(in);
      break;
    case kRecordKernelSymbol:
      event->what = ReadKernelSymbol(in);
      break;
    default:
      event->what = OtherEvent{.type = header.type};
  }
}

}  // namespace

absl::StatusOr<size_t> PerfEventRecordBytes(std::string_view bytes) {
  ByteCursor in(bytes);
  const Header header = ReadHeader(&in);
  if (!in.ok() || header.bytes < kPerfEventsHeaderBytes || header.bytes > bytes.size()) {
    return absl::InvalidArgumentError(base::StrCat("perf record says it has ", header.bytes,
                                                   " bytes where ", bytes.size(), " are"));
  }
  return header.bytes;
}

absl::StatusOr<uint64_t> PerfEventRecordTime(std::string_view record) {
  if (record.size() < kPerfEventsHeaderBytes + kTrailerBytes)
    return TooShort(ByteCursor(record).U32(), record.size());
  return ByteCursor(record, record.size() - kTrailerBytes + kTrailerTimeOffset).U64();
}

absl::StatusOr<PerfEvent> DecodePerfEventRecord(std::string_view record) {
  FLARE_ASSIGN(const size_t bytes, PerfEventRecordBytes(record));
  record = record.substr(0, bytes);
  PerfEvent event;
  FLARE_ASSIGN(event.time_ns, PerfEventRecordTime(record));
  ByteCursor trailer(record, record.size() - kTrailerBytes + kTrailerTimeOffset);
  trailer.U64();
  event.cpu = trailer.U32();
  ByteCursor in(record.substr(0, record.size() - kTrailerBytes));
  const Header header = ReadHeader(&in);
  ReadFields(header, &in, &event);
  if (!in.ok())
    return TooShort(header.type, record.size());
  return event;
}

}  // namespace flarestack::record::agent
