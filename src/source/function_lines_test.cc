// SPDX-License-Identifier: Apache-2.0
#include "source/function_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flarestack::source {
namespace {

// Returns "first-last" of the function around a line.
std::string Around(const std::string& text, LineRange known, int64_t start = 0) {
  const SourceFile file(text, "/x");
  const LineRange range = FunctionAround(file, known, start);
  return std::to_string(range.first) + "-" + std::to_string(range.last);
}

constexpr const char* kCpp = R"(#include <x>

int before() {
  return 1;
}

int work(int a,
         int b) {
  for (int i = 0; i < a; ++i) {
    b += i;

retry:
    b *= 2;
  }
#ifdef X
  b += 1;
#endif
  return b;
}

int after() { return 2; }
)";

TEST(FunctionLinesTest, CppFunctionEndsAtTheMargin) {
  EXPECT_EQ(Around(kCpp, {.first = 10, .last = 10}), "7-19");
  EXPECT_EQ(Around(kCpp, {.first = 16, .last = 16}), "7-19");
  EXPECT_EQ(Around(kCpp, {.first = 10, .last = 13}, 7), "7-19") << "the profile has the first line";
  EXPECT_EQ(Around(kCpp, {.first = 4, .last = 4}), "3-5");
}

constexpr const char* kPython = R"(import re

class Cart:
    def total(self):
        return sum(
            x.price
            for x in self.items)

    def match(self, text):
        for r in self.rules:
            if re.match(r, text):
                return r

        return None


def main():
    Cart()
)";

TEST(FunctionLinesTest, PythonMethodEndsBeforeTheNext) {
  EXPECT_EQ(Around(kPython, {.first = 11, .last = 11}), "9-16");
  EXPECT_EQ(Around(kPython, {.first = 5, .last = 5}, 4), "4-8");
  EXPECT_EQ(Around(kPython, {.first = 18, .last = 18}), "17-18");
}

TEST(FunctionLinesTest, TreatsGoTabsAsIndentation) {
  EXPECT_EQ(
      Around("package a\n\nfunc Work(n int) int {\n\tfor n > 0 {\n\t\tn--\n\t}\n\treturn n\n}\n",
             {.first = 5, .last = 5}),
      "3-8");
}

TEST(FunctionLinesTest, HandlesBracesOnSeparateLines) {
  EXPECT_EQ(Around("static int\nwork(int a)\n{\n  if (a)\n  {\n    b();\n  } else {\n    c();\n  "
                   "}\n}\nint x;\n",
                   {.first = 8, .last = 8}),
            "2-10");
}

TEST(FunctionLinesTest, ReturnsTheMethodNotItsClass) {
  EXPECT_EQ(Around("public class Cart {\n  int n;\n  int total(int a) {\n    return a;\n  }\n\n  "
                   "void b() {\n  }\n}\n",
                   {.first = 4, .last = 4}),
            "3-5");
}

TEST(FunctionLinesTest, TextWithoutFunctionsGetsAFewLinesOfContext) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "x\n";
  EXPECT_EQ(Around(text, {.first = 20, .last = 21}), "15-26");
  EXPECT_EQ(Around(text, {.first = 1, .last = 1}), "1-6");
  EXPECT_EQ(Around(text, {.first = 40, .last = 40}), "35-40");
}

TEST(FunctionLinesTest, LineNumbersOutsideTheFileAreHarmless) {
  EXPECT_EQ(Around("a(\n  b\n", {.first = 900, .last = 901}, 900), "895-2");
  EXPECT_EQ(Around("", {.first = 1, .last = 1}, 1), "1-0");
}

TEST(SourceFileTest, AcceptsUnixAndWindowsLineEnds) {
  const SourceFile file("a\r\nb\n\nd", "/x");
  EXPECT_EQ(file.line_count(), 4);
  EXPECT_EQ(file.Line(1), "a");
  EXPECT_EQ(file.Line(3), "");
  EXPECT_EQ(file.Line(4), "d");
  EXPECT_EQ(file.Line(0), "");
  EXPECT_EQ(file.Line(5), "");
}

}  // namespace
}  // namespace flarestack::source
