// SPDX-License-Identifier: Apache-2.0
#include "symbol/file_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/encoding.h"
#include "elf/testing/compiled_program.h"
#include "symbol/testing/module_file.h"

namespace flarestack::symbol {
namespace {

using ::testing::SizeIs;

class FileFactsTest : public ::testing::Test {
 protected:
  FileFacts FactsOf(std::string_view name) const {
    const auto facts = ReadFileFacts(folder_.Path(name));
    EXPECT_TRUE(facts.ok()) << name << ": " << facts.status();
    return facts.ok() ? *facts : FileFacts();
  }

  elf::testing::WorkFolder folder_;
};

TEST_F(FileFactsTest, DistinguishesProgramsFromTheirDebugFiles) {
  folder_.Write("marked.c", elf::testing::MarkedSource());
  if (!folder_.Run("gcc -O2 -g -Wl,--build-id marked.c -o whole && "
                   "objcopy --only-keep-debug whole debug && objcopy --strip-all whole stripped"))
    GTEST_SKIP() << "compilation failed";
  const FileFacts whole = FactsOf("whole");
  EXPECT_TRUE(whole.has_code && whole.has_lines && whole.has_symbols);
  EXPECT_THAT(whole.ids, SizeIs(2));  // GNU and htlhash
  const FileFacts stripped = FactsOf("stripped");
  EXPECT_TRUE(stripped.has_code);
  EXPECT_FALSE(stripped.has_lines || stripped.has_symbols);
  EXPECT_EQ(stripped.ids[0], whole.ids[0]);
  EXPECT_NE(stripped.ids[1], whole.ids[1]);
  const FileFacts debug = FactsOf("debug");
  EXPECT_FALSE(debug.has_code);
  EXPECT_TRUE(debug.has_lines && debug.has_symbols);
  ASSERT_THAT(debug.ids, SizeIs(1));
  EXPECT_EQ(debug.ids[0], whole.ids[0]);
  // eu-strip, the other tool for this, keeps the sizes of the segments.
  if (folder_.Run("cp whole copy && eu-strip -f other_debug -o other_stripped copy")) {
    EXPECT_FALSE(FactsOf("other_debug").has_code);
    EXPECT_TRUE(FactsOf("other_debug").has_lines);
    EXPECT_TRUE(FactsOf("other_stripped").has_code);
  }
}

TEST_F(FileFactsTest, SupplementaryFileIsIdentifiedByItsId) {
  folder_.Write("file", testing::MakeModuleFile({.supplementary_id_bytes = "01234567"}));
  EXPECT_EQ(FactsOf("file").supplementary_id, base::HexEncode("01234567"));
}

TEST_F(FileFactsTest, RejectsOtherFiles) {
  for (const char* contents : {"", "#!/bin/sh\n",
                               "\x7f"
                               "ELF"}) {
    folder_.Write("file", contents);
    EXPECT_EQ(ReadFileFacts(folder_.Path("file")).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(ReadFileFacts(folder_.Path("none")).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flarestack::symbol
