// SPDX-License-Identifier: Apache-2.0
//
// The ways in which a worker can end, simulated with shell scripts: descriptor 3 is the report, 4
// the table. The worker itself is tested with the program (tests/commands/symbols_test.cc).
#include "symbol/worker/table_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>

#include "base/text/text.h"
#include "elf/testing/compiled_program.h"
#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::symbol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

size_t OpenDescriptorCount() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// Escapes bytes for printf.
std::string Escaped(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    text += fmt::format("\\{:03o}", static_cast<uint8_t>(byte));
  return text;
}

class TableWorkerTest : public ::testing::Test {
 protected:
  void SetUp() override { descriptors_before_ = OpenDescriptorCount(); }
  void TearDown() override {
    EXPECT_EQ(OpenDescriptorCount(), descriptors_before_);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child process is left over";
    EXPECT_EQ(errno, ECHILD);
  }

  // Runs a worker that executes `script`.
  absl::StatusOr<MadeTable> Run(const std::string& script, TableWorkerOptions options = {}) {
    options.program = folder_.Write("worker", "#!/bin/sh\n" + script + "\n");
    EXPECT_EQ(chmod(options.program.c_str(), 0700), 0);
    TableWorker worker(std::move(options));
    return worker.MakeWithNotes({.executable = folder_.Write("input", "bytes of it")});
  }
  static std::string Report(const WorkerReport& report) {
    return "printf '" + Escaped(Encode(report)) + "' >&3";
  }

  elf::testing::WorkFolder folder_;
  size_t descriptors_before_ = 0;
};

TEST_F(TableWorkerTest, PassesFilesAsDescriptorsAndReceivesATableAndNotes) {
  const auto made =
      Run("cat <&5 >&4\n" + Report({.status = absl::OkStatus(), .notes = {"one", "two"}}));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->bytes, "bytes of it");
  EXPECT_THAT(made->notes, ElementsAre("one", "two"));
}

TEST_F(TableWorkerTest, WorkerInheritsNothingElse) {
  setenv("FLARESTACK_TEST_SECRET", "secret", 1);
  const auto made =
      Run("(echo $FLARESTACK_TEST_SECRET; cd /proc/self/fd; for i in *; do\n"
          "  test $i -lt 10 -a -e /proc/$$/fd/$i && echo -n \"$i \"; done) >&4\n" +
          Report({.status = absl::OkStatus()}));
  unsetenv("FLARESTACK_TEST_SECRET");
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->bytes, "\n0 1 2 3 4 5 ");
}

TEST_F(TableWorkerTest, ReturnsTheReasonOfTheWorker) {
  const auto made = Run(Report({.status = absl::NotFoundError("nothing is known")}));
  EXPECT_EQ(made.status(), absl::NotFoundError("nothing is known"));
}

TEST_F(TableWorkerTest, ReportsTheSignalOfACrash) {
  const auto made = Run("kill -SEGV $$");
  EXPECT_EQ(made.status(), absl::InternalError("the reader crashed (signal 11) on this file"));
}

TEST_F(TableWorkerTest, ReportsAForbiddenSystemCall) {
  EXPECT_EQ(Run("kill -SYS $$").status(),
            absl::InternalError("the reader tried a forbidden system call on this file"));
}

TEST_F(TableWorkerTest, ReportsKernelLimits) {
  EXPECT_EQ(Run("kill -XCPU $$").status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Run("kill -XFSZ $$").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Run("kill -KILL $$").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Run("exit 1").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(TableWorkerTest, KillsAnEndlessWorker) {
  const auto made = Run("while :; do :; done", {.time_max = std::chrono::milliseconds(30)});
  EXPECT_EQ(made.status(), absl::DeadlineExceededError("reading it takes longer than 0.03 s"));
}

TEST_F(TableWorkerTest, KillsAWorkerThatClosesItsPipeAndKeepsRunning) {
  EXPECT_EQ(Run("exec 3>&-; while :; do :; done").status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(TableWorkerTest, RejectsAnEndlessOrBrokenReport) {
  EXPECT_EQ(Run("yes >&3").status(), absl::InternalError("the reader output exceeds the limit"));
  EXPECT_EQ(Run("printf 'rubbish' >&3").status().code(), absl::StatusCode::kInternal);
}

TEST_F(TableWorkerTest, RejectsATableThatIsTooLarge) {
  const std::string done = Report({.status = absl::OkStatus()});
  const auto made = Run("printf 12345 >&4\n" + done, {.limits = {.file_bytes = 4}});
  EXPECT_EQ(made.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Run("printf 12345 >&4\n" + done, {.limits = {.file_bytes = 5}}).ok());
}

TEST_F(TableWorkerTest, WarnsOnceAboutAMissingFilter) {
  std::vector<std::string> warnings;
  const auto warn = [&warnings](const std::string& warning) { warnings.push_back(warning); };
  EXPECT_TRUE(
      Run(Report({.status = absl::OkStatus(), .warning = "an old kernel"}), {.warn = warn}).ok());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("an old kernel")));
}

TEST_F(TableWorkerTest, ChecksFilesBeforeStartingTheWorker) {
  TableWorker worker({.program = "/nonexistent", .input_bytes_max = 10});
  const std::string file = folder_.Write("file", "12345");
  EXPECT_EQ(worker.Make({.executable = file}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(worker.Make({.executable = folder_.Path("none")}).status().code(),
            absl::StatusCode::kNotFound);
  const auto large =
      worker.Make({.executable = file, .debug_file = folder_.Write("debug", "123456")});
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  ASSERT_EQ(mkfifo(folder_.Path("fifo").c_str(), 0600), 0);
  for (const std::string& path : {folder_.Path("fifo"), folder_.path(), std::string("/dev/zero")})
    EXPECT_EQ(worker.Make({.executable = path}).status().code(),
              absl::StatusCode::kInvalidArgument);
}

TEST(TableWorkerProtocolTest, OrderRoundTrips) {
  const WorkerOrder order = {.has_debug_file = true,
                             .needs_filter = true,
                             .parent = 4711,
                             .limits = {.memory_bytes = 1, .cpu_seconds = 2, .file_bytes = 3}};
  const auto back = OrderOf(ToWords(order));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, order);
  EXPECT_FALSE(OrderOf({}).ok());
  std::vector<std::string> words = ToWords(order);
  words[3] = "1x";
  EXPECT_FALSE(OrderOf(words).ok());
}

TEST(TableWorkerProtocolTest, ReportAlwaysFits) {
  const std::string text(100'000, 'x');
  const WorkerReport report = {.status = absl::InvalidArgumentError(text),
                               .warning = text,
                               .notes = std::vector<std::string>(1000, text)};
  const std::string bytes = Encode(report);
  EXPECT_LE(bytes.size(), kReportBytesMax);
  const auto back = DecodeReport(bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->notes.size(), 50u);
  for (size_t size = 0; size < bytes.size(); size += 997)
    EXPECT_FALSE(DecodeReport(std::string_view(bytes).substr(0, size)).ok()) << size;
}

}  // namespace
}  // namespace flarestack::symbol
