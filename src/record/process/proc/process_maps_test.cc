// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/file/descriptor.h"
#include "base/testing/eventually.h"

namespace flarestack::record::agent {
namespace {

using ::testing::ElementsAre;

ProcessMapping Parse(std::string_view line) {
  const auto mapping = ParseMapsLine(line);
  EXPECT_TRUE(mapping.has_value()) << line;
  return mapping.value_or(ProcessMapping());
}

TEST(ParseMapsLineTest, FileHasRangePermissionsOffsetAndIdentity) {
  EXPECT_EQ(Parse("7f5e8c000000-7f5e8c021000 r-xp 00002000 fd:1f 1835013                    "
                  "/usr/lib/x86_64-linux-gnu/libc.so.6"),
            (ProcessMapping{.start = 0x7f5e8c000000,
                            .end = 0x7f5e8c021000,
                            .file_offset = 0x2000,
                            .file = {.device_major = 0xfd, .device_minor = 0x1f, .inode = 1835013},
                            .kind = MappingKind::kFile,
                            .is_readable = true,
                            .is_executable = true,
                            .path = "/usr/lib/x86_64-linux-gnu/libc.so.6"}));
}

TEST(ParseMapsLineTest, DistinguishesKindsOfMemory) {
  const auto kind_and_path = [](std::string_view path) {
    const ProcessMapping mapping =
        Parse(std::string("1000-2000 rw-s 00000000 00:01 7   ") + std::string(path));
    return std::pair(mapping.kind, mapping.path);
  };
  using Pair = std::pair<MappingKind, std::string>;
  EXPECT_EQ(kind_and_path(""), Pair(MappingKind::kAnonymous, ""));
  EXPECT_EQ(kind_and_path("[anon:OTEL_CTX]"), Pair(MappingKind::kNamedMemory, "OTEL_CTX"));
  EXPECT_EQ(kind_and_path("[anon_shmem:jit code]"), Pair(MappingKind::kNamedMemory, "jit code"));
  EXPECT_EQ(kind_and_path("/memfd:OTEL_CTX (deleted)"), Pair(MappingKind::kMemfd, "OTEL_CTX"));
  EXPECT_EQ(kind_and_path("[vdso]"), Pair(MappingKind::kVdso, "[vdso]"));
  EXPECT_EQ(kind_and_path("[heap]"), Pair(MappingKind::kOther, "[heap]"));
  EXPECT_EQ(kind_and_path("[vvar_vclock]"), Pair(MappingKind::kOther, "[vvar_vclock]"));
  EXPECT_EQ(kind_and_path("anon_inode:[perf_event]"),
            Pair(MappingKind::kOther, "anon_inode:[perf_event]"));
  EXPECT_EQ(kind_and_path("/dev/zero (deleted)"), Pair(MappingKind::kFile, "/dev/zero"));
}

TEST(ParseMapsLineTest, ReadsPermissions) {
  const ProcessMapping mapping = Parse("1000-2000 -w-s 00000000 00:00 0 ");
  EXPECT_FALSE(mapping.is_readable);
  EXPECT_TRUE(mapping.is_writable);
  EXPECT_FALSE(mapping.is_executable);
  EXPECT_TRUE(mapping.is_shared);
}

TEST(ParseMapsLineTest, DeletedFileKeepsItsLastPath) {
  const ProcessMapping mapping = Parse("1000-2000 r-xp 00000000 08:01 9 /opt/old app (deleted)");
  EXPECT_TRUE(mapping.is_deleted);
  EXPECT_EQ(mapping.path, "/opt/old app");
}

TEST(ParseMapsLineTest, PathMayContainBlanksNewlinesAndBackslashes) {
  EXPECT_EQ(Parse("1000-2000 r-xp 00000000 08:01 9   /a b  c/d ").path, "/a b  c/d ");
  EXPECT_EQ(Parse(R"(1000-2000 r-xp 00000000 08:01 9   /two\012lines\012)").path, "/two\nlines\n");
  EXPECT_EQ(Parse(R"(1000-2000 r-xp 00000000 08:01 9   /back\slash\01)").path, R"(/back\slash\01)");
}

TEST(ParseMapsLineTest, RejectsLinesThatAreNotMappings) {
  for (const char* line :
       {"", "x", "1000 r-xp 0 8:1 9 /a", "1000-2000 r-x 0 8:1 9 /a", "1000-2000 r-xp z 8:1 9 /a",
        "1000-2000 r-xp 0 81 9 /a", "1000-2000 r-xp 0 8:1 a /a", "2000-1000 r-xp 0 8:1 9 /a",
        "1000-1000 r-xp 0 8:1 9 /a", "1000-2000 r-xp 0 100000000:1 9 /a",
        "1000-10000000000000000 r-xp 0 8:1 9 /a"}) {
    EXPECT_FALSE(ParseMapsLine(line).has_value()) << line;
  }
}

constexpr std::string_view kThree =
    "1000-2000 r--p 00000000 08:01 9 /a\n"
    "2000-3000 r-xp 00001000 08:01 9 /a\n"
    "3000-4000 rw-p 00000000 00:00 0 \n";

std::vector<uint64_t> Starts(const absl::StatusOr<std::vector<ProcessMapping>>& mappings) {
  std::vector<uint64_t> starts;
  if (mappings.ok()) {
    for (const ProcessMapping& mapping : *mappings)
      starts.push_back(mapping.start);
  }
  return starts;
}

TEST(ParseMapsTest, KeepsAllOrOnlyExecutableMappings) {
  EXPECT_THAT(Starts(ParseMaps(kThree, MapsChoice::kAll)), ElementsAre(0x1000, 0x2000, 0x3000));
  EXPECT_THAT(Starts(ParseMaps(kThree, MapsChoice::kExecutable)), ElementsAre(0x2000));
  EXPECT_THAT(Starts(ParseMaps(kThree.substr(0, kThree.size() - 1), MapsChoice::kAll)),
              ElementsAre(0x1000, 0x2000, 0x3000));
  EXPECT_THAT(Starts(ParseMaps("", MapsChoice::kAll)), ElementsAre());
}

TEST(ParseMapsTest, ReportsTheNumberOfABadLine) {
  const auto mappings = ParseMaps(std::string(kThree) + "nonsense\n", MapsChoice::kAll);
  EXPECT_EQ(mappings.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(mappings.status().message()), ::testing::HasSubstr("line 4"));
}

TEST(ParseMapsTest, LimitsApplyToKeptMappingsAndReadBytes) {
  EXPECT_TRUE(ParseMaps(kThree, MapsChoice::kAll, {.mappings_max = 3}).ok());
  EXPECT_EQ(ParseMaps(kThree, MapsChoice::kAll, {.mappings_max = 2}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(ParseMaps(kThree, MapsChoice::kExecutable, {.mappings_max = 1}).ok());
  EXPECT_EQ(ParseMaps(kThree, MapsChoice::kAll, {.bytes_max = 10}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(ParseMaps(std::string(70'000, 'x'), MapsChoice::kAll).ok()) << "a line has an end";
}

TEST(ReadMapsTest, FindsItsOwnCodeInAnExecutableFile) {
  const auto mappings = ReadMaps(getpid(), MapsChoice::kExecutable);
  ASSERT_TRUE(mappings.ok()) << mappings.status();
  const auto here = reinterpret_cast<uint64_t>(&ReadMaps);
  const auto found = std::find_if(
      mappings->begin(), mappings->end(),
      [&](const ProcessMapping& mapping) { return mapping.start <= here && here < mapping.end; });
  ASSERT_NE(found, mappings->end());
  EXPECT_EQ(found->kind, MappingKind::kFile);
  EXPECT_TRUE(found->path.ends_with(program_invocation_short_name)) << found->path;
}

TEST(ReadMapsTest, ByteLimitAppliesToFilesToo) {
  EXPECT_EQ(ReadMaps(getpid(), MapsChoice::kAll, {.bytes_max = 100}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ReadMapsTest, ProcessThatIsGoneIsNotFound) {
  EXPECT_EQ(ReadMaps(0x7ffffffe, MapsChoice::kAll).status().code(), absl::StatusCode::kNotFound);
}

TEST(ReadMapsTest, ReadsAProcessWhoseFirstThreadEndedThroughAnother) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const base::Descriptor ready_read(ready[0]);
  base::Descriptor ready_write(ready[1]);
  const pid_t pid = fork();
  if (pid == 0) {
    const pid_t first = gettid();
    std::thread([&] {
      // The state in the stat file becomes Z once the first thread has ended.
      const std::string path = "/proc/self/task/" + std::to_string(first) + "/stat";
      const bool has_ended = base::testing::Eventually([&] {
        FILE* file = fopen(path.c_str(), "r");
        std::string stat(512, '\0');
        stat.resize(fread(stat.data(), 1, stat.size(), file));
        fclose(file);
        return stat.find(") Z ") != std::string::npos;
      });
      if (!has_ended || write(ready_write.get(), "x", 1) != 1)
        _exit(1);
      pause();
    }).detach();
    syscall(SYS_exit, 0);  // ends only this thread, without unwinding into the test
  }
  ready_write.Close();
  char byte = 0;
  ASSERT_EQ(read(ready_read.get(), &byte, 1), 1);
  const auto mappings = ReadMaps(pid, MapsChoice::kExecutable);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  ASSERT_TRUE(mappings.ok()) << mappings.status();
  EXPECT_FALSE(mappings->empty());
}

}  // namespace
}  // namespace flarestack::record::agent
