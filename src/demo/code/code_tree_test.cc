// SPDX-License-Identifier: Apache-2.0
#include "demo/code/code_tree.h"

#include <gtest/gtest.h>

#include <map>

#include "base/text/text.h"

namespace flarestack::demo {
namespace {

std::string ToText(const CodeTree& tree) {
  std::string text;
  for (const WeightedStack& stack : tree.stacks) {
    for (const Frame& frame : stack.root_first) {
      base::StrAppend(&text, frame.is_inlined ? "~" : "", frame.function, "|", frame.file, "|",
                      frame.line, "|", frame.type, ";");
    }
    base::StrAppend(&text, " ", stack.weight, "\n");
  }
  return text;
}

TEST(CodeTreeTest, SpacesSetTheDepthAndAWeightEndsAStack) {
  EXPECT_EQ(ToText(ParseCodeTree(R"(
main @ main.cc:31
 main.(*server).serve @ a b.go:7 * 2
  ~leaf @ leaf.h:9 * 3
 [kernel] entry @ entry.S:1
  read @ fs/read.c:2 * 4
 other @ other.cc:5 * 1
)",
                                 "native")),
            "main|main.cc|31|native;main.(*server).serve|a b.go|7|native; 2\n"
            "main|main.cc|31|native;main.(*server).serve|a b.go|7|native;"
            "~leaf|leaf.h|9|native; 3\n"
            "main|main.cc|31|native;entry|entry.S|1|kernel;read|fs/read.c|2|kernel; 4\n"
            "main|main.cc|31|native;other|other.cc|5|native; 1\n");
}

TEST(CodeTreeTest, PiecesNestAndDivideTheirWeight) {
  CodePieces pieces;
  AddPieces(R"(
= entry
[kernel] entry @ entry.S:1
 do_syscall @ common.c:2
= send
+entry
 send @ socket.c:3 * 1
  copy @ iov.c:4 * 3
)",
            "native", &pieces);
  EXPECT_EQ(ToText(ParseCodeTree(R"(
main @ main.cc:31
 +entry
  read @ read.c:7 * 2
 +send * 6
 leaf @ leaf.cc:5 * 1
)",
                                 "native", pieces)),
            "main|main.cc|31|native;entry|entry.S|1|kernel;do_syscall|common.c|2|kernel;"
            "read|read.c|7|kernel; 2\n"
            "main|main.cc|31|native;entry|entry.S|1|kernel;do_syscall|common.c|2|kernel;"
            "send|socket.c|3|kernel; 1.5\n"
            "main|main.cc|31|native;entry|entry.S|1|kernel;do_syscall|common.c|2|kernel;"
            "send|socket.c|3|kernel;copy|iov.c|4|kernel; 4.5\n"
            "main|main.cc|31|native;leaf|leaf.cc|5|native; 1\n");
}

TEST(CodeTreeTest, PicksStacksByTheirWeight) {
  const CodeTree tree = ParseCodeTree("a @ a:1 * 3\nb @ b:1 * 1\n", "native");
  Random random(1, "test", 0);
  std::map<std::string_view, int> picked;
  for (int i = 0; i < 8000; ++i)
    ++picked[tree.Pick(&random).root_first[0].function];
  EXPECT_NEAR(picked["a"], 6000, 200);
  EXPECT_NEAR(picked["b"], 2000, 200);
}

}  // namespace
}  // namespace flarestack::demo
