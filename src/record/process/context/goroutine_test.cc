// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/goroutine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "elf/testing/elf_builder.h"
#include "record/bpf/go_process.h"
#include "record/process/context/goroutine_reader.h"

namespace flarestack::record::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Label = Goroutine::Label;

std::string Id(uint64_t id) {
  std::string record;
  elf::testing::Append(id, &record);
  return record;
}

std::string Text(std::string_view key, std::string_view value) {
  std::string label;
  elf::testing::Append(static_cast<uint16_t>(key.size()), &label);
  elf::testing::Append(static_cast<uint16_t>(value.size()), &label);
  label += key;
  label += value;
  return label;
}

TEST(GoroutineTest, LabelsAreSortedByKey) {
  const std::string record = Id(7) + Text("tenant", "acme") + Text("route", "/cart");
  const auto goroutine = DecodeGoroutine(record);
  ASSERT_TRUE(goroutine.has_value());
  EXPECT_EQ(goroutine->id, 7u);
  EXPECT_THAT(goroutine->labels, ElementsAre(Label{"route", "/cart"}, Label{"tenant", "acme"}));
}

TEST(GoroutineTest, AnEmptyValueIsALabelAndAnEmptyKeyIsNot) {
  const std::string record = Id(0) + Text("", "x") + Text("job", "");
  EXPECT_THAT(DecodeGoroutine(record)->labels, ElementsAre(Label{"job", ""}));
}

TEST(GoroutineTest, TruncatedRecordsKeepCompleteLabels) {
  const std::string record = Id(1) + Text("a", "1") + Text("b", "2");
  EXPECT_EQ(DecodeGoroutine(record.substr(0, 7)), std::nullopt);
  EXPECT_THAT(DecodeGoroutine(record.substr(0, record.size() - 1))->labels,
              ElementsAre(Label{"a", "1"}));
  EXPECT_THAT(DecodeGoroutine(record.substr(0, 10))->labels, IsEmpty());
}

TEST(GoroutineTest, TruncatedTextsEndAtAWholeCharacter) {
  const std::string full(bpf::GO_VALUE_BYTES_MAX - 2, 'v');
  const std::string record = Id(0) + Text("a", full + "\xe2\x82") + Text("b", full + "\xc3\xa9") +
                             Text("c", full + "\xf0\x9f");
  EXPECT_THAT(DecodeGoroutine(record)->labels,
              ElementsAre(Label{"a", full}, Label{"b", full + "\xc3\xa9"}, Label{"c", full}));
}

TEST(GoroutineTest, SkipsTextThatIsNotUtf8) {
  const std::string record = Id(0) + Text("a", "\xff") + Text("\xc3", "x") + Text("c", "ok");
  const auto goroutine = DecodeGoroutine(record);
  EXPECT_THAT(goroutine->labels, ElementsAre(Label{"c", "ok"}));
  EXPECT_EQ(goroutine->bad_text_count, 2u);
}

TEST(GoroutineTest, TheFirstOfEqualKeysAppliesAndTheNumberOfLabelsIsLimited) {
  const std::string twice = Id(0) + Text("a", "1") + Text("a", "2");
  EXPECT_THAT(DecodeGoroutine(twice)->labels, ElementsAre(Label{"a", "1"}));
  std::string many = Id(0);
  for (int i = 0; i < 100; ++i)
    many += Text("key" + std::to_string(i), "x");
  EXPECT_EQ(DecodeGoroutine(many)->labels.size(), size_t{bpf::GO_LABELS_MAX});
}

// ---- From memory -------------------------------------------------------------------------------

// The memory of a Go program: whatever a test puts there, and nothing else.
class GoMemory {
 public:
  static constexpr uint64_t kG0 = 0x1000;
  static constexpr uint64_t kM = 0x2000;
  static constexpr uint64_t kGoroutine = 0x3000;
  static constexpr uint64_t kLabels = 0x4000;

  explicit GoMemory(bpf::go_label_kind kind) {
    process_ = {.place = bpf::GO_THREAD_LOCAL,
                .label_kind = static_cast<uint8_t>(kind),
                .g_m = 48,
                .g_goid = 152,
                .g_labels = 352,
                .m_curg = 184,
                .reserved = {},
                .offset = -8};
    Word(kG0 + process_.g_m, kM);
    Word(kM + process_.m_curg, kGoroutine);
    Word(kGoroutine + process_.g_m, kM);
    Word(kGoroutine + process_.g_goid, 21);
    Word(kGoroutine + process_.g_labels, kLabels);
  }

  void Word(uint64_t address, uint64_t value) {
    for (int i = 0; i < 8; ++i)
      bytes_[address + i] = static_cast<char>(value >> (8 * i));
  }
  void Byte(uint64_t address, uint8_t value) { bytes_[address] = static_cast<char>(value); }
  // Puts the text somewhere, and its address and length at `address`.
  void String(uint64_t address, std::string_view text) {
    Word(address, texts_);
    Word(address + 8, text.size());
    for (const char c : text)
      bytes_[texts_++] = c;
  }
  void Remove(uint64_t address) { bytes_.erase(address); }

  Goroutine Read(uint64_t g = kG0) {
    const auto read = [&](uint64_t address, std::span<char> out) {
      for (char& c : out) {
        const auto found = bytes_.find(address++);
        if (found == bytes_.end())
          return absl::OutOfRangeError("nothing is mapped there");
        c = found->second;
      }
      return absl::OkStatus();
    };
    record_ = ReadGoroutine(process_, g, read).value_or("");
    return DecodeGoroutine(record_).value_or(Goroutine{});
  }

 private:
  bpf::go_process process_;
  std::map<uint64_t, char> bytes_;
  uint64_t texts_ = 0x100000;
  std::string record_;
};

constexpr uint64_t kEntries = 0x5000;

void AddList(const std::vector<std::pair<std::string, std::string>>& labels, GoMemory* memory) {
  memory->Word(GoMemory::kLabels, kEntries);
  memory->Word(GoMemory::kLabels + 8, labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    memory->String(kEntries + i * 32, labels[i].first);
    memory->String(kEntries + i * 32 + 16, labels[i].second);
  }
}

// A slot of a map of one or two buckets; mark 0 is empty.
void AddSlot(size_t slot, uint8_t mark, const Label& label, GoMemory* memory) {
  const uint64_t bucket = kEntries + slot / 8 * (8 + 128 + 128 + 8);
  memory->Byte(bucket + slot % 8, mark);
  memory->String(bucket + 8 + slot % 8 * 16, label.key);
  memory->String(bucket + 8 + 128 + slot % 8 * 16, label.value);
}

void AddMap(uint8_t bucket_shift, GoMemory* memory) {
  constexpr uint64_t kMap = 0x4800;
  memory->Word(GoMemory::kLabels, kMap);
  memory->Byte(kMap + 9, bucket_shift);
  memory->Word(kMap + 16, kEntries);
  for (size_t slot = 0; slot < 16; ++slot)
    AddSlot(slot, 0, {"stale", "stale"}, memory);
}

TEST(GoroutineMemoryTest, ReadsAList) {
  GoMemory memory(bpf::GO_LABEL_LIST);
  AddList({{"route", "/cart"}, {"tenant", "acme"}}, &memory);
  const Goroutine goroutine = memory.Read();
  EXPECT_EQ(goroutine.id, 21u);
  EXPECT_THAT(goroutine.labels, ElementsAre(Label{"route", "/cart"}, Label{"tenant", "acme"}));
  // The thread runs the goroutine itself, not the runtime on its behalf.
  EXPECT_THAT(memory.Read(GoMemory::kGoroutine).labels.size(), 2u);
}

TEST(GoroutineMemoryTest, ReadsTheUsedSlotsOfAMap) {
  GoMemory memory(bpf::GO_LABEL_MAP);
  AddMap(0, &memory);
  AddSlot(1, 5, {"tenant", "acme"}, &memory);
  AddSlot(6, 255, {"route", "/cart"}, &memory);
  AddSlot(7, 4, {"moved", "x"}, &memory);
  AddSlot(8, 200, {"not a bucket", "x"}, &memory);
  EXPECT_THAT(memory.Read().labels, ElementsAre(Label{"route", "/cart"}, Label{"tenant", "acme"}));
}

TEST(GoroutineMemoryTest, ReadsTheFirstBucketsOfALargerMap) {
  GoMemory memory(bpf::GO_LABEL_MAP);
  AddMap(7, &memory);
  AddSlot(0, 9, {"a", "1"}, &memory);
  AddSlot(15, 9, {"b", "2"}, &memory);
  EXPECT_THAT(memory.Read().labels, ElementsAre(Label{"a", "1"}, Label{"b", "2"}));
}

TEST(GoroutineMemoryTest, AWrongPlaceYieldsNoGoroutine) {
  GoMemory memory(bpf::GO_LABEL_LIST);
  AddList({{"a", "1"}}, &memory);
  EXPECT_THAT(memory.Read(0).id, 0u);
  EXPECT_THAT(memory.Read(GoMemory::kM).id, 0u);
  memory.Word(GoMemory::kGoroutine + 48, GoMemory::kG0);  // another m
  EXPECT_THAT(memory.Read().id, 0u);
}

TEST(GoroutineMemoryTest, ASchedulerRunsNoGoroutine) {
  GoMemory memory(bpf::GO_LABEL_LIST);
  AddList({{"a", "1"}}, &memory);
  memory.Word(GoMemory::kM + 184, 0);
  EXPECT_THAT(memory.Read().id, 0u);
}

TEST(GoroutineMemoryTest, SkipsWhatCannotBeRead) {
  GoMemory memory(bpf::GO_LABEL_LIST);
  AddList({{"a", "1"}, {"b", "2"}, {"c", "3"}}, &memory);
  memory.Word(kEntries + 32, 0xdead0000);  // the address of a key
  EXPECT_THAT(memory.Read().labels, ElementsAre(Label{"a", "1"}, Label{"c", "3"}));
  memory.Word(GoMemory::kLabels + 8, uint64_t{1} << 40);  // far more labels than there are
  EXPECT_THAT(memory.Read().labels, ElementsAre(Label{"a", "1"}, Label{"c", "3"}));
  memory.Word(GoMemory::kLabels, 0xdead0000);
  EXPECT_THAT(memory.Read().labels, IsEmpty());
  EXPECT_EQ(memory.Read().id, 21u);
  memory.Word(GoMemory::kGoroutine + 352, 0);
  EXPECT_THAT(memory.Read().labels, IsEmpty());
}

TEST(GoroutineMemoryTest, TruncatesTextsAndLimitsTheNumberOfLabels) {
  GoMemory memory(bpf::GO_LABEL_LIST);
  AddList({{std::string(100, 'k'), std::string(1000, 'v')}}, &memory);
  EXPECT_THAT(memory.Read().labels,
              ElementsAre(Label{std::string(64, 'k'), std::string(256, 'v')}));
  std::vector<std::pair<std::string, std::string>> many;
  for (int i = 0; i < 20; ++i)
    many.emplace_back("key" + std::to_string(10 + i), "x");
  AddList(many, &memory);
  EXPECT_EQ(memory.Read().labels.size(), size_t{bpf::GO_LABELS_MAX});
  for (auto& [key, value] : many)
    value = std::string(256, 'v');
  AddList(many, &memory);
  // 265 bytes each, and none begins beyond the limit.
  EXPECT_EQ(memory.Read().labels.size(), size_t{bpf::GO_LABEL_START_MAX / 265 + 1});
}

}  // namespace
}  // namespace flarestack::record::agent
