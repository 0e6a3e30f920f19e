// SPDX-License-Identifier: Apache-2.0
#include "record/trace/profile_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "model/dump/dump.h"
#include "record/testing/memory_tables.h"
#include "record/trace/location_writer.h"

namespace flarestack::record::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kInProcess = uint64_t{bpf::FRAME_IN_PROCESS} << FRAME_KIND_SHIFT;

class ProfileWriterTest : public ::testing::Test {
 protected:
  ProfileWriterTest() {
    window_.begin_ns = 1000;
    window_.end_ns = 6000;
    AddOwner(42, "shop");
  }

  void AddOwner(pid_t pid, const std::string& service) {
    auto owner = std::make_shared<ProcessResource>();
    owner->pid = pid;
    owner->group =
        std::make_shared<ResourceAttributes>(ResourceAttributes{{"service.name", service}});
    window_.owners.push_back(owner);
  }

  static Owner OwnerLike(const ProcessResource& other, pid_t pid) {
    auto owner = std::make_shared<ProcessResource>(other);
    owner->pid = pid;
    return owner;
  }

  void AddSample(SampleKind kind, const StackPointer& stack, const SampleTimes& times) {
    window_
        .samples[{.owner = 0, .kind = kind, .tid = 43, .thread_name = "worker", .stack = stack}] =
        times;
  }

  StackPointer Stack(const std::vector<uint64_t>& kernel, const std::vector<uint64_t>& user,
                     bpf::unwind_end end = bpf::UNWIND_COMPLETE) {
    return stacks_.Intern(kernel, user, end);
  }

  std::string Write(const ProfileWriterOptions& options, const Losses& losses = {}) {
    const auto written = WriteProfiles(
        window_, {.files = &files_, .frames = &frames_, .kernel_names = &kernel_names_}, losses,
        options);
    EXPECT_TRUE(written.ok()) << written.status();
    if (!written.ok())
      return "";
    std::string text = model::Dump(written->batch);
    // The only part of the output that changes with each release.
    const size_t version = text.find("    version ");
    if (version != std::string::npos)
      text.erase(version, text.find('\n', version) + 1 - version);
    return text;
  }

  testing::MemoryTables tables_;
  CodeFiles files_{tables_.tables()};
  runtime::FrameTable frames_;
  StackPool stacks_{{.files = &files_, .frames = &frames_}};
  KernelNames kernel_names_{"/nowhere", "/nowhere"};
  SampleWindow window_;
};

TEST_F(ProfileWriterTest, OnCpuSamplesHaveTimesAndCounts) {
  AddSample(SampleKind::kOnCpu,
            Stack({0xffff0010, 0xffff0020},
                  {kInProcess | 0x5000, kInProcess | FRAME_RETURN_ADDRESS | 0x6000}),
            {.times_ns = {2000, 3000}});
  EXPECT_EQ(Write({.types = {},
                   .period_ns = 50,
                   .clock_offset_ns = 1'000'000,
                   .host = {{"host.name", "node-1"}}}),
            R"(resource
  attribute "host.name" = string "node-1"
  attribute "process.pid" = int 42
  attribute "service.name" = string "shop"
  scope
    name "flarestack"
    profile
      sample_type "cpu" unit "nanoseconds"
      period_type "cpu" unit "nanoseconds"
      period 50
      time_unix_nano 1001000
      duration_nano 5000
      sample
        values 50 50
        timestamps 1002000 1003000
        attribute "thread.id" = int 43
        attribute "thread.name" = string "worker"
        location 0xffff0010
          mapping "[kernel]" 0x0-0x0 offset 0x0
          attribute "profile.frame.type" = string "kernel"
        location 0xffff001f
          mapping "[kernel]" 0x0-0x0 offset 0x0
          attribute "profile.frame.type" = string "kernel"
        location 0x5000
          attribute "profile.frame.type" = string "native"
          frame "[jit]"
        location 0x5fff
          attribute "profile.frame.type" = string "native"
          frame "[jit]"
    profile
      sample_type "samples" unit "count"
      period_type "cpu" unit "nanoseconds"
      period 50
      time_unix_nano 1001000
      duration_nano 5000
      sample
        timestamps 1002000 1003000
        attribute "thread.id" = int 43
        attribute "thread.name" = string "worker"
        location 0xffff0010
          mapping "[kernel]" 0x0-0x0 offset 0x0
          attribute "profile.frame.type" = string "kernel"
        location 0xffff001f
          mapping "[kernel]" 0x0-0x0 offset 0x0
          attribute "profile.frame.type" = string "kernel"
        location 0x5000
          attribute "profile.frame.type" = string "native"
          frame "[jit]"
        location 0x5fff
          attribute "profile.frame.type" = string "native"
          frame "[jit]"
)");
}

// The samples of two goroutines with the same labels are one, unless ids are recorded.
TEST_F(ProfileWriterTest, SamplesHaveTheLabelsOfTheirGoroutine) {
  const auto record = [](char id, std::string_view labels) {
    return std::string(1, id) + std::string(7, '\0') + std::string(labels);
  };
  constexpr std::string_view kLabels("\5\0\5\0route/cart\4\0\0\0user", 22);
  constexpr std::string_view kSwapped("\4\0\0\0user\5\0\5\0route/cart", 22);
  const auto add = [&](const std::string& goroutine, uint64_t time_ns) {
    window_.samples[{
        .owner = 0, .tid = 43, .goroutine = goroutine, .stack = Stack({}, {kInProcess | 0x5000})}] =
        {.times_ns = {time_ns}};
  };
  add(record(0, kLabels), 2000);
  add(record(0, kSwapped), 3000);
  std::string text = Write({.types = {}, .period_ns = 50});
  EXPECT_THAT(text,
              HasSubstr("        timestamps 2000 3000\n"
                        "        attribute \"process.context.label.route\" = string \"/cart\"\n"
                        "        attribute \"process.context.label.user\" = string \"\"\n"
                        "        attribute \"thread.id\" = int 43\n"));
  EXPECT_THAT(text, Not(HasSubstr("goroutine.id")));
  add(record(9, kLabels), 4000);
  text = Write({.types = {}, .period_ns = 50});
  EXPECT_THAT(text, HasSubstr("        timestamps 4000\n"
                              "        attribute \"goroutine.id\" = int 9\n"));
}

// A process whose resource changes, for example its name, continues in the same stacks.
TEST_F(ProfileWriterTest, MergesSamplesOfOneIdentity) {
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 0x5000}), {.times_ns = {3000, 4000}});
  window_.owners.push_back(OwnerLike(*window_.owners[0], 42));
  window_.samples[{.owner = 1,
                   .kind = SampleKind::kOnCpu,
                   .tid = 43,
                   .thread_name = "worker",
                   .stack = Stack({}, {kInProcess | 0x5000})}] = {.times_ns = {2000, 3500}};
  const std::string text =
      Write({.period_ns = 50, .clock_offset_ns = 0, .grouping = Grouping::kExecutable});
  EXPECT_THAT(text, HasSubstr("timestamps 2000 3000 3500 4000\n"));
  EXPECT_THAT(text, Not(HasSubstr("timestamps 3000 4000\n")));
}

TEST_F(ProfileWriterTest, TimeRangeCoversSamplesReadLate) {
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 0x5000}), {.times_ns = {900, 6500}});
  const std::string text = Write({.period_ns = 50});
  EXPECT_THAT(text, HasSubstr("time_unix_nano 900\n"));
  EXPECT_THAT(text, HasSubstr("duration_nano 5601\n"));
}

TEST_F(ProfileWriterTest, WaitsHaveDurationsAndStates) {
  AddSample(SampleKind::kLock, Stack({}, {kInProcess | 0x5000}),
            {.times_ns = {2000, 3000}, .durations_ns = {500, 700}});
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 0x5000}), {.times_ns = {2500}});
  const std::string off_cpu =
      Write({.types = {.cpu = false, .off_cpu = true, .wall = false}, .period_ns = 50});
  EXPECT_THAT(off_cpu, HasSubstr("sample_type \"off_cpu\" unit \"nanoseconds\""));
  EXPECT_THAT(off_cpu, HasSubstr("values 500 700"));
  EXPECT_THAT(off_cpu, HasSubstr("\"off_cpu.state\" = string \"lock\""));
  EXPECT_THAT(off_cpu, Not(HasSubstr("values 50\n")));
  const std::string wall =
      Write({.types = {.cpu = false, .off_cpu = false, .wall = true}, .period_ns = 50});
  EXPECT_THAT(wall, HasSubstr("sample_type \"wall\" unit \"nanoseconds\""));
  EXPECT_THAT(wall, HasSubstr("values 500 700"));
  EXPECT_THAT(wall, HasSubstr("values 50\n"));
}

TEST_F(ProfileWriterTest, AddsSamplesWithoutTimestamps) {
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 0x5000}), {.times_ns = {2000, 3000, 4000}});
  const std::string text = Write({.period_ns = 50, .has_timestamps = false});
  EXPECT_THAT(text, HasSubstr("values 150"));
  EXPECT_THAT(text, HasSubstr("values 3"));
  EXPECT_THAT(text, Not(HasSubstr("timestamps")));
}

TEST_F(ProfileWriterTest, TruncatedStackShowsTheReason) {
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 0x5000}, bpf::UNWIND_TOO_DEEP),
            {.times_ns = {2000}});
  EXPECT_THAT(Write({.period_ns = 50}), HasSubstr("frame \"[truncated: too deep]\""));
}

// There is nothing to unwind: the old program's stack is gone, and the new one has none yet.
TEST_F(ProfileWriterTest, SampleDuringExecIsMarked) {
  AddSample(SampleKind::kOnCpu, Stack({}, {}, bpf::UNWIND_EXEC), {.times_ns = {2000}});
  EXPECT_THAT(Write({.period_ns = 50}), HasSubstr("frame \"[exec]\""));
}

TEST_F(ProfileWriterTest, MarksOmittedFramesOfADeepStack) {
  const uint64_t omitted = uint64_t{bpf::FRAME_OMITTED} << FRAME_KIND_SHIFT;
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 0x5000, omitted, kInProcess | 0x6000}),
            {.times_ns = {2000}});
  EXPECT_THAT(Write({.period_ns = 50}), HasSubstr("frame \"[frames omitted]\""));
}

// Each unwind result either needs no text or has a distinct one.
TEST_F(ProfileWriterTest, EveryUnwindEndHasAName) {
  std::vector<std::string_view> seen;
  for (int end = 0; end < bpf::UNWIND_END_COUNT; ++end) {
    const std::string_view words = ToText(static_cast<bpf::unwind_end>(end));
    if (end <= bpf::UNWIND_NO_USER_STACK)
      EXPECT_EQ(words, "");
    else
      EXPECT_NE(words, "") << end;
    EXPECT_TRUE(words.empty() || !::testing::Value(seen, ::testing::Contains(words))) << words;
    seen.push_back(words);
  }
}

TEST_F(ProfileWriterTest, FramesHaveTheBuildIdsOfTheirFiles) {
  const auto slot =
      files_.Add(base::Descriptor(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), "/bin/own", {});
  ASSERT_TRUE(slot.ok());
  const CodeFile& file = files_.file(*slot);
  const uint64_t word = uint64_t{*slot} << FRAME_FILE_SHIFT | (file.code_begin + 0x10);
  AddSample(SampleKind::kOnCpu, Stack({}, {word, word | FRAME_RETURN_ADDRESS}),
            {.times_ns = {2000}});
  const std::string text = Write({.period_ns = 50});
  EXPECT_THAT(text, HasSubstr("mapping \"/bin/own\""));
  for (const symbol::FileId& id : file.module.ids)
    EXPECT_THAT(text, HasSubstr(base::StrCat("string \"", id.text, "\"")));
  EXPECT_THAT(text, HasSubstr(base::StrCat("location ", base::Hex(file.code_begin + 0x10))));
  EXPECT_THAT(text, HasSubstr(base::StrCat("location ", base::Hex(file.code_begin + 0xf))))
      << "the call, and not what it returns to";
}

TEST_F(ProfileWriterTest, ResourceAttributesOverrideHostAttributes) {
  auto owner = std::make_shared<ProcessResource>();
  owner->pid = 42;
  owner->group = std::make_shared<ResourceAttributes>(
      ResourceAttributes{{"host.name", "from the process"}, {"service.name", "shop"}});
  window_.owners[0] = owner;
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 1}), {.times_ns = {2000}});
  const std::string text = Write({.period_ns = 50, .host = {{"host.name", "node-1"}}});
  EXPECT_THAT(text, HasSubstr("from the process"));
  EXPECT_THAT(text, Not(HasSubstr("node-1")));
}

TEST_F(ProfileWriterTest, ReportsLossesAsSamplesOfTheRecorder) {
  const std::string text = Write({.period_ns = 50}, {.samples = 12});
  EXPECT_THAT(text, HasSubstr("string \"flarestack-recorder\""));
  EXPECT_THAT(text, HasSubstr("values 12"));
  EXPECT_THAT(text, HasSubstr("frame \"[lost samples]\""));
}

TEST_F(ProfileWriterTest, ProcessesOfAGroupShareAResource) {
  window_.owners.push_back(OwnerLike(*window_.owners[0], 44));
  AddSample(SampleKind::kOnCpu, Stack({}, {kInProcess | 1}), {.times_ns = {2000}});
  window_.samples[{.owner = 1, .tid = 44, .stack = Stack({}, {kInProcess | 1})}] = {
      .times_ns = {3000}};
  const auto count = [](const std::string& text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  const std::string alone = Write({.period_ns = 50});
  EXPECT_EQ(count(alone, "resource\n"), 2u);
  EXPECT_THAT(alone, HasSubstr("\n  attribute \"process.pid\" = int 44"));
  const std::string together = Write({.period_ns = 50, .grouping = Grouping::kExecutable});
  EXPECT_EQ(count(together, "resource\n"), 1u);
  EXPECT_THAT(together, Not(HasSubstr("\n  attribute \"process.pid\"")));
  EXPECT_THAT(together, HasSubstr("\n        attribute \"process.pid\" = int 42"));
  EXPECT_THAT(together, HasSubstr("\n        attribute \"process.pid\" = int 44"));
}

TEST_F(ProfileWriterTest, OmitsOwnersWithoutSamples) {
  const auto written =
      WriteProfiles(window_, {.files = &files_, .frames = &frames_, .kernel_names = &kernel_names_},
                    {}, {.period_ns = 50});
  ASSERT_TRUE(written.ok());
  EXPECT_TRUE(written->batch.samples.empty());
  EXPECT_TRUE(written->batch.profiles.empty());
}

}  // namespace
}  // namespace flarestack::record::agent
