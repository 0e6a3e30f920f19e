// SPDX-License-Identifier: Apache-2.0
#include "demo/shop_sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "demo/code/shop_code.h"
#include "demo/signals.h"

namespace flarestack::demo {
namespace {

std::vector<std::string_view> LinesOf(std::string_view path) {
  std::string_view text = SourceText(path).value_or("");
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

size_t Indent(std::string_view line) { return line.find_first_not_of(' '); }

// "matches" for shop::Coupon::matches, "charge" for main.(*server).charge.
std::string_view ShortName(std::string_view function) {
  return function.substr(function.find_last_of(".:") + 1);
}

// A definition is a line with the name and a parenthesis that opens a block and is not a statement.
bool IsDefinition(std::string_view line, std::string_view name) {
  if (line.find(base::StrCat(name, "(")) == std::string_view::npos ||
      !(line.ends_with('{') || line.ends_with(':')))
    return false;
  const std::string_view text = line.substr(Indent(line));
  return std::ranges::none_of(std::vector<std::string_view>{"if ", "for ", "while ", "try ", "} "},
                              [&](std::string_view word) { return text.starts_with(word); });
}

// A block ends before the next line that is not indented deeper than its first line.
bool IsInside(const std::vector<std::string_view>& lines, size_t definition, size_t at) {
  if (at <= definition)
    return false;
  return std::all_of(lines.begin() + static_cast<int64_t>(definition) + 1,
                     lines.begin() + static_cast<int64_t>(at) + 1, [&](std::string_view line) {
                       return line.empty() || Indent(line) > Indent(lines[definition]);
                     });
}

bool IsInFunction(const std::vector<std::string_view>& lines, const Frame& frame) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (IsDefinition(lines[i], ShortName(frame.function)) &&
        IsInside(lines, i, static_cast<size_t>(frame.line) - 1))
      return true;
  }
  return false;
}

template <typename Visit>
void ForEachStack(Visit visit) {
  for (size_t i = 0; i < kCodeCount; ++i) {
    for (const WeightedStack& stack : TreeOf(static_cast<Code>(i)).stacks)
      visit(stack.root_first);
  }
}

TEST(ShopSourcesTest, FramesPointIntoTheirFunction) {
  std::set<std::string_view> seen;
  ForEachStack([&](const std::vector<Frame>& stack) {
    for (const Frame& frame : stack) {
      const std::vector<std::string_view> lines = LinesOf(frame.file);
      if (lines.empty())
        continue;
      seen.insert(frame.file);
      ASSERT_LE(static_cast<size_t>(frame.line), lines.size()) << frame.file;
      EXPECT_TRUE(IsInFunction(lines, frame))
          << frame.function << " is not at " << frame.file << ":" << frame.line;
    }
  });
  EXPECT_GE(seen.size(), 12u);  // at least two files per service
}

// A caller's line names the function that it calls.
TEST(ShopSourcesTest, CallersPointAtTheCall) {
  ForEachStack([&](const std::vector<Frame>& stack) {
    for (size_t i = 0; i + 1 < stack.size(); ++i) {
      const std::vector<std::string_view> lines = LinesOf(stack[i].file);
      if (lines.empty() || !SourceText(stack[i + 1].file))
        continue;
      EXPECT_NE(
          lines[static_cast<size_t>(stack[i].line) - 1].find(ShortName(stack[i + 1].function)),
          std::string_view::npos)
          << stack[i].file << ":" << stack[i].line << " calls " << stack[i + 1].function;
    }
  });
}

TEST(ShopSourcesTest, HotLineContainsTheRegularExpression) {
  ForEachStack([&](const std::vector<Frame>& stack) {
    const auto search = std::ranges::find(stack, "std::regex_search", &Frame::function);
    if (search == stack.end())
      return;
    const Frame& caller = *std::prev(search);
    const std::string_view line = LinesOf(caller.file)[static_cast<size_t>(caller.line) - 1];
    EXPECT_NE(line.find("std::regex_search("), std::string_view::npos) << line;
    EXPECT_NE(line.find("^SUMMER(A+)+B$"), std::string_view::npos) << line;
  });
}

TEST(ShopSourcesTest, LogPointsAtTheLineThatWritesIt) {
  const Timeline timeline({.seed = 1, .end_nanos = 1'772'366'400'000'000'000});
  const model::LogBatch logs = LogsOf(timeline.Make(kRolloutWindows[0]));
  for (const model::LogRecord& record : logs.log_records) {
    if (!record.body.text.starts_with("coupon rule loaded"))
      continue;
    std::string_view path;
    int64_t line = 0;
    for (const model::KeyValue& attribute : model::In(logs.nodes, record.attributes)) {
      if (attribute.key == "code.file.path")
        path = attribute.value.text;
      if (attribute.key == "code.line.number")
        line = attribute.value.int_value;
    }
    const std::vector<std::string_view> lines = LinesOf(path);
    ASSERT_LE(static_cast<size_t>(line), lines.size());
    EXPECT_NE(lines[static_cast<size_t>(line) - 1].find("coupon rule loaded"),
              std::string_view::npos);
    return;
  }
  FAIL() << "no such record";
}

TEST(ShopSourcesTest, LibrariesHaveNoSourceText) {
  EXPECT_FALSE(SourceText("malloc/malloc.c"));
  EXPECT_FALSE(SourceText(""));
}

}  // namespace
}  // namespace flarestack::demo
