// SPDX-License-Identifier: Apache-2.0
//
// Input that is broken, hostile or too large: the program reports where and why in three lines,
// exits with 1, and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/compress/compress.h"
#include "base/sanitized.h"
#include "codec/input_collector.h"
#include "codec/registry.h"
#include "support/bombs.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// What failed, why, and what to type next.
constexpr const char* kThreeLines = "flarestack: [^\n]+\n  [^\n]+\n  try: [^\n]+\n";

struct Attempt {
  std::vector<std::string> flags = {};
  RunOptions options = {};
};

// Converts the bytes over an existing output, which must survive. `where` is part of the message: a
// byte, a line or a path.
RunResult ExpectRejected(std::string_view input, const std::string& where, Attempt attempt = {}) {
  const TemporaryFolder folder;
  folder.Write("in", input);
  folder.Write("out.svg", "precious");
  std::vector<std::string> words = {"convert", "in", "out.svg"};
  words.insert(words.end(), attempt.flags.begin(), attempt.flags.end());
  attempt.options.directory = folder.path();
  RunResult run = Flarestack(words, attempt.options);
  EXPECT_EQ(run.exit_code, 1) << run.error << "signal " << run.signal;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
  EXPECT_THAT(run.error, HasSubstr(where));
  EXPECT_EQ(folder.Listing(), "in out.svg ");
  EXPECT_EQ(ReadWhole(folder.File("out.svg")), "precious");
  return run;
}

std::string Otlp() { return ReadWhole(Example("checkout.otlp")); }
std::string Pprof() { return ReadWhole(Example("checkout.pb.gz")); }

TEST(BadInputTest, ReportsTheFirstBytesOfGarbage) {
  ExpectRejected(std::string("\x01\x02\x03\xfe\xff\x00garbage", 13), "010203feff");
  ExpectRejected("", "empty");
  ExpectRejected("\x1f\x8b", "byte 0");
  ExpectRejected("{}", "resourceProfiles");
  ExpectRejected("{\"resourceProfiles\": [}", "byte");
}

TEST(BadInputTest, ControlSequenceInAFileDoesNotReachTheTerminal) {
  const RunResult run = ExpectRejected("{\"resourceProfiles\":[{\"\x1b[2J\":}]}", "byte");
  EXPECT_EQ(run.error.find('\x1b'), std::string::npos);
}

TEST(BadInputTest, ReportsTheOffsetOfATruncation) {
  ExpectRejected(Otlp().substr(0, Otlp().size() / 2), "byte");
  ExpectRejected(Pprof().substr(0, Pprof().size() / 2), "byte");
  ExpectRejected(base::Zstd(Otlp()).substr(0, 1000), "byte");
}

// Like the file of a writer that was killed: all complete messages are read.
TEST(BadInputTest, ReadsMessagesBeforeATruncatedOne) {
  const TemporaryFolder folder;
  folder.Write("whole", Frame(Otlp()));
  folder.Write("cut", Frame(Otlp()) + Frame(Otlp()).substr(0, 500));
  const RunResult whole = Flarestack({"top", "whole"}, {.directory = folder.path()});
  const RunResult cut = Flarestack({"top", "cut"}, {.directory = folder.path()});
  EXPECT_EQ(cut.exit_code, 0) << cut.error;
  EXPECT_THAT(cut.error, HasSubstr("warning: the last message is truncated and was skipped"));
  const auto table = [](const std::string& text) { return text.substr(text.find('\n')); };
  EXPECT_EQ(table(cut.out), table(whole.out));
}

TEST(BadInputTest, ReportsThePathOfAWrongIndex) {
  ExpectRejected(R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"samples":[{},
                {"stackIndex":99}]}]}]}]})",
                 "profiles[0].samples[1].stack_index: 99");
  ExpectRejected(
      R"({"resourceProfiles":[],"dictionary":{"functionTable":[{},{"nameStrindex":-1}]}})",
      "function_table[1].name_strindex: -1");
}

TEST(BadInputTest, RejectsUnlimitedNesting) {
  constexpr int kLevels = 5000;
  std::string value = Field(1, "x");
  for (int i = 0; i < kLevels; ++i)
    value = Field(5, Field(1, value));
  ExpectRejected(Field(1, Field(1, Field(1, Field(1, "key") + Field(2, value)))), "64");
  std::string json = R"({"resourceProfiles":[{"resource":{"attributes":[{"key":"a","value":)";
  for (int i = 0; i < kLevels; ++i)
    json += R"({"arrayValue":{"values":[)";
  ExpectRejected(json, "byte");
  ExpectRejected(R"({"resourceProfiles":)" + std::string(200'000, '['), "byte");
}

// A claimed length of four gigabytes is neither trusted nor allocated: the program gets less memory
// than that.
TEST(BadInputTest, DoesNotTrustAnAnnouncedLength) {
  const Attempt little = {.options = {.memory_bytes_max = 512 * kMiB}};
  const std::string huge = "\xff\xff\xff\xff\x0f";  // 2^32 - 1
  ExpectRejected("\xff\xff\xff\xff" + Field(1, Field(1, "")), "4294967295", little);
  ExpectRejected("\x0a" + huge + "abc", "byte", little);
  ExpectRejected("\x12" + huge + "abc", "byte", little);
  const std::string sample = "\x2a" + huge;  // timestamps
  ExpectRejected(Field(1, Field(2, Field(2, Field(2, sample)))), "byte", little);
  ExpectRejected(Field(2, "\x3a" + huge), "byte", little);
  ExpectRejected(Field(1, "\x08\x01") + "\x12" + huge + "abc", "byte", little);  // pprof
}

TEST(BadInputTest, RejectsABombAtTheLimit) {
  constexpr uint64_t kTwoGiB = uint64_t{2} << 30;
  const Attempt little = {.flags = {"--max-bytes", "64MB"},
                          .options = {.memory_bytes_max = 512 * kMiB}};
  ExpectRejected(GzipOfZeros(kTwoGiB), "67108864", little);
  ExpectRejected(ZstdOfZeros(kTwoGiB), "67108864", little);
}

TEST(BadInputTest, RejectsABombAtTheDefaultLimit) {
  if (base::kIsSanitized)
    GTEST_SKIP() << "too slow and too large with a sanitizer";
  constexpr uint64_t kTwoGiB = uint64_t{2} << 30;
  const Attempt attempt = {.options = {.memory_bytes_max = 2048 * kMiB}};
  ExpectRejected(GzipOfZeros(kTwoGiB), "1073741824", attempt);
  ExpectRejected(ZstdOfZeros(kTwoGiB), "1073741824", attempt);
}

TEST(BadInputTest, DoesNotReadAFileOverTheLimit) {
  const Attempt tiny = {.flags = {"--max-bytes", "100"}};
  ExpectRejected(Otlp(), "100", tiny);
  ExpectRejected(base::Gzip(std::string(4000, ' ') + "main 1\n"), "100", tiny);
  ExpectRejected("main;run 12\n", "11", {.flags = {"--max-bytes", "11"}});
  const RunResult fits = Flarestack({"convert", "-", "-", "--to", "folded", "--max-bytes", "12"},
                                    {.input = "main;run 12\n"});
  EXPECT_EQ(fits.out, "main;run 12\n") << fits.error;
}

TEST(BadInputTest, RejectsEndlessInputAtTheLimit) {
  const TemporaryFolder folder;
  const RunResult run = Flarestack({"convert", "/dev/zero", "out.svg", "--max-bytes", "8MB"},
                                   {.directory = folder.path(), .memory_bytes_max = 512 * kMiB});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(folder.Listing(), "");
}

// Root can read every file, so use paths that even root cannot read: a missing file and a
// directory.
TEST(BadInputTest, ReportsAnUnreadableFile) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.File("missing"), folder.path()}) {
    const RunResult run = Flarestack({"convert", path, folder.File("out.svg")});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
    EXPECT_THAT(run.error, HasSubstr(path));
    EXPECT_EQ(folder.Listing(), "");
  }
}

TEST(BadInputTest, OneBadInputFailsTheRun) {
  const TemporaryFolder folder;
  const std::string bad = folder.Write("bad", Otlp().substr(0, 9000));
  const RunResult run = Flarestack(
      {"convert", Example("checkout.otlp"), bad, Example("checkout.pb.gz"), folder.File("o.svg")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr(bad));
  EXPECT_EQ(folder.Listing(), "bad ");
}

// Some flips make another valid profile. None may crash the program, and a rejected file leaves
// nothing behind.
TEST(BadInputTest, FlippedBitsNeverCrashTheProgram) {
  for (const std::string& good : {Otlp(), Pprof(), Frame(Otlp())}) {
    for (size_t step = 0; step < 16; ++step) {
      std::string bytes = good;
      const size_t at = good.size() * step / 16;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (step % 8)));
      const TemporaryFolder folder;
      const std::string input = folder.Write("in", bytes);
      const RunResult run = Flarestack({"convert", input, folder.File("out.folded")});
      SCOPED_TRACE("byte " + std::to_string(at));
      ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.error;
      EXPECT_EQ(folder.Listing(), run.exit_code == 0 ? "in out.folded " : "in ");
      if (run.exit_code == 1) {
        EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
      }
    }
  }
}

// Many more flips, without a process for each.
TEST(BadInputTest, FlippedBitsNeverCrashTheReaders) {
  const std::string pprof = *base::Gunzip(Pprof(), kMiB);
  const size_t stride =
      base::kIsSanitized ? 211 : 29;  // in bits; a prime, so that all eight bit positions occur
  for (const std::string& good : {Otlp(), pprof}) {
    for (size_t bit = 0; bit < good.size() * 8; bit += stride) {
      std::string bytes = good;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      base::Warnings warnings;
      codec::InputCollector collector({.bytes_max = 16 * kMiB}, &warnings);
      const auto info = collector.Add(std::move(bytes));
      const auto batch = collector.Finish();
      EXPECT_TRUE(info.ok() || !info.status().message().empty());
      if (!info.ok())
        continue;
      EXPECT_TRUE(batch.ok()) << "bit " << bit << ": " << batch.status();
    }
  }
}

TEST(BadInputTest, FullDeviceIsAFailure) {
  const RunResult run =
      Flarestack({"convert", Example("checkout.otlp"), "/dev/full", "--to", "csv"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("/dev/full"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"convert", Example("checkout.otlp"), "-", "--to", "csv"},
           {"convert", Example("checkout.otlp"), "-", "--to", "svg"}}) {
    const RunResult to_stdout = Flarestack(words, {.output_path = "/dev/full"});
    EXPECT_EQ(to_stdout.exit_code, 1);
    EXPECT_NE(to_stdout.error, "");
  }
  struct stat info = {};
  EXPECT_EQ(stat("/dev/full", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode)) << "the device was replaced by a file";
}

TEST(BadInputTest, FullFileSystemLeavesNoPartialFile) {
  const TemporaryFolder folder;
  folder.Write("out.csv", "precious");
  const RunResult run =
      Flarestack({"convert", Example("checkout.otlp"), "out.csv"},
                 {.directory = folder.path(), .file_bytes_max = 1000, .survives_file_limit = true});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("out.csv"));
  EXPECT_EQ(folder.Listing(), "out.csv ");
  EXPECT_EQ(ReadWhole(folder.File("out.csv")), "precious");
}

TEST(BadInputTest, ReportsAMissingFolder) {
  const RunResult run = Flarestack({"convert", Example("checkout.otlp"), "/nonexistent/out.svg"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("/nonexistent/out.svg"));
}

// The kernel kills the program while it writes, always at the same byte.
TEST(BadInputTest, CrashDuringAWriteLeavesNoPartialFile) {
  const TemporaryFolder folder;
  const RunResult run = Flarestack({"convert", Example("checkout.otlp"), "out.csv"},
                                   {.directory = folder.path(), .file_bytes_max = 1000});
  EXPECT_NE(run.signal, 0);
  EXPECT_NE(access(folder.File("out.csv").c_str(), F_OK), 0);
  folder.Write("out.csv", "precious");
  EXPECT_NE(Flarestack({"convert", Example("checkout.otlp"), "out.csv"},
                       {.directory = folder.path(), .file_bytes_max = 1000})
                .signal,
            0);
  EXPECT_EQ(ReadWhole(folder.File("out.csv")), "precious");
}

// Killed at any point of writing, the output file is either complete or missing.
TEST(BadInputTest, KillDuringAWriteLeavesAWholeFileOrNone) {
  const TemporaryFolder folder;
  const std::string whole = folder.File("whole.svg");
  const std::string killed = folder.File("killed.svg");
  ASSERT_EQ(Flarestack({"convert", Example("checkout.otlp"), whole}).exit_code, 0);
  for (int i = 0; i < 10; ++i) {
    unlink(killed.c_str());
    const RunResult run =
        Flarestack({"convert", "--progress", "plain", Example("checkout.otlp"), killed},
                   {.kill_at = "writing"});
    ASSERT_THAT(std::make_pair(run.exit_code, run.signal),
                AnyOf(std::make_pair(-1, 9), std::make_pair(0, 0)));
    if (access(killed.c_str(), F_OK) == 0) {
      EXPECT_EQ(ReadWhole(killed), ReadWhole(whole));
    }
  }
}

}  // namespace
}  // namespace flarestack::testing
