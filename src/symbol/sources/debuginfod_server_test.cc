// SPDX-License-Identifier: Apache-2.0
//
// End to end with the real debuginfod of elfutils: a program is stripped, its debug file goes to
// the server, and the symbolizer finds names and lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file/file.h"
#include "base/file/mapped_file.h"
#include "base/status.h"
#include "elf/build_id.h"
#include "elf/testing/compiled_program.h"
#include "symbol/sources/debuginfod.h"
#include "symbol/symbolizer.h"
#include "symbol/table/table_builder.h"
#include "symbol/testing/debuginfod_process.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;
using elf::testing::LineOf;
using elf::testing::MarkedSource;
using elf::testing::WorkFolder;

absl::StatusOr<std::string> MakeTable(const SymbolFiles& files) {
  const auto map = [](const std::string& path) {
    auto mapped = path.empty() ? base::MappedFile() : base::MappedFile::Open(path);
    return mapped.ok() ? *std::move(mapped) : base::MappedFile();
  };
  const base::MappedFile executable = map(files.executable);
  const base::MappedFile debug_file = map(files.debug_file);
  FLARE_ASSIGN(BuiltTable built,
               BuildTable({.executable = executable.bytes(), .debug_file = debug_file.bytes()}));
  return std::move(built.bytes);
}

class DebuginfodServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!elf::testing::HasProgram("debuginfod"))
      GTEST_SKIP() << "debuginfod is not installed";
    work_.Write("marked.c", MarkedSource());
    if (!work_.Run("mkdir served && gcc -O2 -g -Wl,--build-id marked.c -o whole && "
                   "objcopy --only-keep-debug whole served/program.debug && "
                   "objcopy --strip-all whole served/program && "
                   "gcc -O2 -s -Wl,--build-id marked.c -o served/bare"))
      GTEST_SKIP() << "compilation failed";
    for (int i = 0; i < 3 && server_ == nullptr; ++i) {
      server_ = std::make_unique<testing::DebuginfodProcess>(work_.Path("served"),
                                                             work_.Path("debuginfod.log"));
      if (!server_->AwaitScanned(3))
        server_.reset();
    }
    ASSERT_NE(server_, nullptr) << work_.Read("debuginfod.log");
  }

  Module ModuleOfFile(std::string_view name) const {
    const std::string bytes = work_.Read(name);
    const auto file = elf::ElfFile::Parse(bytes);
    return {.ids = {{IdKind::kGnu, file.ok() ? elf::GnuBuildId(*file) : ""}}, .path = "program"};
  }

  DebuginfodOptions Options() const {
    return {.urls = {server_->url()},
            .directory = work_.Path("downloads"),
            .limits = {},
            .circuit = {},
            .now = nullptr};
  }

  std::unique_ptr<Symbolizer> NewSymbolizer() const {
    SymbolizerOptions options;
    options.sources.push_back(std::make_unique<Debuginfod>(Options()));
    options.make_table = MakeTable;
    options.cache.directory = work_.Path("cache");
    return std::make_unique<Symbolizer>(std::move(options));
  }

  // True if the table has the line that was inlined twice.
  static bool KnowsMarkedLine(const SymbolTable& table) {
    bool is_known = false;
    table.VisitAll([&](const CodeAt& code) {
      is_known = is_known || (code.frames().size() == 3 && code.frames()[0].function == "Inner" &&
                              code.frames()[0].line == LineOf(MarkedSource(), "inner stores"));
    });
    return is_known;
  }

  WorkFolder work_;
  std::unique_ptr<testing::DebuginfodProcess> server_;
};

TEST_F(DebuginfodServerTest, FetchesNamesAndKeepsThemWhenTheServerIsDown) {
  const Module module = ModuleOfFile("whole");
  {
    const auto symbolizer = NewSymbolizer();
    std::vector<Attempt> attempts;
    const auto cold = symbolizer->Find(module, &attempts);
    ASSERT_TRUE(cold.ok()) << cold.status();
    EXPECT_TRUE(KnowsMarkedLine(**cold));
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_TRUE(attempts[0].is_found);
    EXPECT_TRUE(fs::is_empty(work_.Path("downloads")));
    EXPECT_NE(symbolizer->Ready(module.Key()), nullptr);
  }
  server_->Stop();
  const auto symbolizer = NewSymbolizer();
  const auto warm = symbolizer->Ready(module.Key());
  ASSERT_NE(warm, nullptr);
  EXPECT_TRUE(KnowsMarkedLine(*warm));
  EXPECT_EQ(symbolizer->Find(ModuleOfFile("served/bare"), nullptr).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(DebuginfodServerTest, FetchesTheProgramIfItHasNoDebugFile) {
  Debuginfod debuginfod(Options());
  const auto files = debuginfod.Find(ModuleOfFile("served/bare"));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->debug_file, "");
  EXPECT_EQ(*base::ReadFile(files->executable, 1 << 24), work_.Read("served/bare"));
}

TEST_F(DebuginfodServerTest, UnknownModuleIsNotFound) {
  Debuginfod debuginfod(Options());
  const auto files = debuginfod.Find({.ids = {{IdKind::kGnu, std::string(40, 'e')}}, .path = ""});
  EXPECT_EQ(files.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flarestack::symbol
