// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/perf_event_record.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "record/testing/perf_record_builder.h"

namespace flarestack::record::agent {
namespace {

using testing::PerfRecordBuilder;

constexpr uint32_t kLost = 2, kComm = 3, kExit = 4, kFork = 7, kMmap2 = 10, kKernelSymbol = 17;
constexpr uint16_t kExecBit = 1 << 13, kBuildIdBit = 1 << 14;

// Keeps the record alive, because the strings of the event are views into it.
template <typename Event>
Event Decode(std::string given) {
  static std::deque<std::string> kept;
  const std::string& record = kept.emplace_back(std::move(given));
  const auto event = DecodePerfEventRecord(record);
  EXPECT_TRUE(event.ok()) << event.status();
  if (!event.ok() || !std::holds_alternative<Event>(event->what))
    return {};
  EXPECT_EQ(event->time_ns, 1234567u);
  EXPECT_EQ(event->cpu, 3u);
  return std::get<Event>(event->what);
}

PerfRecordBuilder MmapUpToFile(uint16_t misc) {
  return PerfRecordBuilder(kMmap2, misc)
      .U32(10)
      .U32(11)
      .U64(0x7f0000001000)
      .U64(0x2000)
      .U64(0x3000);
}

TEST(PerfEventRecordTest, MappingHasItsBuildId) {
  const std::string id = "ABCDEFGHIJKLMNOPQRST";
  const std::string record = MmapUpToFile(kBuildIdBit | 2)
                                 .U8(20)
                                 .U8(0)
                                 .U16(0)
                                 .Bytes(id)
                                 .U32(5)
                                 .U32(2)
                                 .Text("/usr/bin/true")
                                 .Build(1234567, 3);
  EXPECT_EQ(Decode<MmapEvent>(record), (MmapEvent{.pid = 10,
                                                  .tid = 11,
                                                  .start = 0x7f0000001000,
                                                  .length = 0x2000,
                                                  .file_offset = 0x3000,
                                                  .prot = 5,
                                                  .flags = 2,
                                                  .path = "/usr/bin/true",
                                                  .build_id = id}));
}

TEST(PerfEventRecordTest, BuildIdNeverExceedsItsField) {
  const std::string record = MmapUpToFile(kBuildIdBit)
                                 .U8(255)
                                 .U8(0)
                                 .U16(0)
                                 .Bytes("ABCDEFGHIJKLMNOPQRST")
                                 .U32(5)
                                 .U32(2)
                                 .Text("/x")
                                 .Build(1234567, 3);
  EXPECT_EQ(Decode<MmapEvent>(record).build_id, "ABCDEFGHIJKLMNOPQRST");
}

TEST(PerfEventRecordTest, MappingWithoutBuildIdHasDeviceAndInode) {
  const std::string record =
      MmapUpToFile(2).U32(8).U32(1).U64(4711).U64(1).U32(5).U32(2).Text("//anon").Build(1234567, 3);
  const auto event = Decode<MmapEvent>(record);
  EXPECT_EQ(event.device_major, 8u);
  EXPECT_EQ(event.device_minor, 1u);
  EXPECT_EQ(event.inode, 4711u);
  EXPECT_EQ(event.build_id, "");
  EXPECT_EQ(event.path, "//anon");
}

TEST(PerfEventRecordTest, DistinguishesRenameFromExec) {
  const auto renamed = Decode<CommEvent>(
      PerfRecordBuilder(kComm, 0).U32(10).U32(11).Text("worker/3").Build(1234567, 3));
  EXPECT_EQ(renamed, (CommEvent{.pid = 10, .tid = 11, .name = "worker/3", .is_exec = false}));
  const auto exec = Decode<CommEvent>(
      PerfRecordBuilder(kComm, kExecBit).U32(10).U32(10).Text("true").Build(1234567, 3));
  EXPECT_EQ(exec, (CommEvent{.pid = 10, .tid = 10, .name = "true", .is_exec = true}));
}

TEST(PerfEventRecordTest, DistinguishesThreadForkFromProcessFork) {
  const auto process = Decode<ForkEvent>(
      PerfRecordBuilder(kFork, 0).U32(20).U32(10).U32(20).U32(11).U64(5).Build(1234567, 3));
  EXPECT_EQ(process, (ForkEvent{.pid = 20, .ppid = 10, .tid = 20, .ptid = 11}));
  EXPECT_FALSE(process.is_thread());
  const auto thread = Decode<ForkEvent>(
      PerfRecordBuilder(kFork, 0).U32(10).U32(10).U32(21).U32(11).U64(5).Build(1234567, 3));
  EXPECT_TRUE(thread.is_thread());
}

TEST(PerfEventRecordTest, ReadsExitsLossesAndKernelSymbols) {
  EXPECT_EQ(Decode<ExitEvent>(
                PerfRecordBuilder(kExit, 0).U32(20).U32(1).U32(21).U32(1).U64(5).Build(1234567, 3)),
            (ExitEvent{.pid = 20, .ppid = 1, .tid = 21, .ptid = 1}));
  EXPECT_EQ(Decode<LostEvent>(PerfRecordBuilder(kLost, 0).U64(9).U64(17).Build(1234567, 3)),
            (LostEvent{.count = 17}));
  const auto symbol = [](uint16_t flags) {
    return Decode<KernelSymbolEvent>(PerfRecordBuilder(kKernelSymbol, 0)
                                         .U64(0xffffffffc0001000)
                                         .U32(64)
                                         .U16(1)
                                         .U16(flags)
                                         .Text("bpf_prog_1")
                                         .Build(1234567, 3));
  };
  EXPECT_EQ(
      symbol(0),
      (KernelSymbolEvent{
          .address = 0xffffffffc0001000, .length = 64, .name = "bpf_prog_1", .is_added = true}));
  EXPECT_FALSE(symbol(1).is_added);
}

TEST(PerfEventRecordTest, ReportsTheTypeOfOtherRecords) {
  EXPECT_EQ(Decode<OtherEvent>(PerfRecordBuilder(18, 0).U64(1).Build(1234567, 3)),
            (OtherEvent{.type = 18}));
}

TEST(PerfEventRecordTest, RejectsEachShortLength) {
  const std::string whole =
      MmapUpToFile(0).U32(8).U32(1).U64(4711).U64(1).U32(5).U32(2).Text("/a/path").Build(1234567,
                                                                                         3);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(DecodePerfEventRecord(whole.substr(0, bytes)).ok()) << bytes;
    std::string shortened = whole.substr(0, bytes);
    if (bytes < kPerfEventsHeaderBytes)
      continue;
    // The header now matches the shortened record: a string may be shorter, but not unterminated.
    shortened[6] = static_cast<char>(bytes);
    EXPECT_FALSE(DecodePerfEventRecord(shortened).ok()) << bytes;
  }
}

TEST(PerfEventRecordTest, LengthComesFromTheHeader) {
  const std::string record = PerfRecordBuilder(kLost, 0).U64(9).U64(17).Build(1234567, 3);
  EXPECT_EQ(PerfEventRecordBytes(record + "more").value_or(0), record.size());
  EXPECT_FALSE(PerfEventRecordBytes(std::string(8, '\0')).ok()) << "a length of zero never ends";
  EXPECT_FALSE(PerfEventRecordBytes("").ok());
}

}  // namespace
}  // namespace flarestack::record::agent
