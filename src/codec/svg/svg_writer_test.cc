// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/svg_writer.h"

#include <gtest/gtest.h>

#include <set>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/folded/folded.h"
#include "codec/svg/flame_layout.h"
#include "codec/svg/svg_page.h"
#include "codec/svg/xml_text.h"
#include "codec/testing/read_write.h"
#include "codec/testing/test_batch.h"

namespace flarestack::codec::svg {
namespace {

using codec::testing::ReadOne;
using codec::testing::TestBatch;
using codec::testing::WriteAll;

// Returns why `xml` is not well formed; empty if it is. Supports only the part of XML that the
// writer uses.
std::string FindXmlError(std::string_view xml) {
  if (!base::IsValidUtf8(xml)) {
    return "not UTF-8";
  }
  std::vector<std::string_view> open;
  size_t elements_at_top = 0;
  for (size_t at = 0; at < xml.size();) {
    const std::string_view rest = xml.substr(at);
    const auto skip_to = [&](std::string_view end) {
      const size_t found = rest.find(end);
      at = found == std::string_view::npos ? xml.size() + 1 : at + found + end.size();
    };
    if (rest.starts_with("<![CDATA[")) {
      skip_to("]]>");
    } else if (rest.starts_with("<?")) {
      skip_to("?>");
    } else if (rest.starts_with("</")) {
      const std::string_view name = rest.substr(2, rest.find('>') - 2);
      if (open.empty() || open.back() != name) {
        return base::StrCat("</", name, "> closes nothing");
      }
      open.pop_back();
      skip_to(">");
    } else if (rest.front() == '<') {
      const std::string_view tag = rest.substr(1, rest.find('>') - 1);
      size_t quotes = 0;
      for (const char c : tag) {
        quotes += c == '"' ? 1 : 0;
        if (c == '<') {
          return base::StrCat("< inside of <", tag, ">");
        }
      }
      if (quotes % 2 != 0) {
        return base::StrCat("open quote in <", tag, ">");
      }
      elements_at_top += open.empty() ? 1 : 0;
      if (!tag.ends_with('/')) {
        open.push_back(tag.substr(0, tag.find(' ')));
      }
      skip_to(">");
    } else if (rest.front() == '&') {
      const std::string_view name = rest.substr(1, rest.find(';') - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "#39") {
        return base::StrCat("reference &", name.substr(0, 10));
      }
      skip_to(";");
    } else {
      const auto byte = static_cast<uint8_t>(rest.front());
      if (byte < 0x20 && byte != '\n') {
        return base::StrCat("control character ", int{byte});
      }
      ++at;
    }
    if (at > xml.size()) {
      return "something is never closed";
    }
  }
  return open.empty() && elements_at_top == 1 ? "" : "not one closed element at the top";
}

std::string WriteSvg(const model::Batch& batch, const std::string& title = "") {
  const auto svg = WriteAll(kSvgWriter, batch, {.sample_type = {}, .title = title});
  EXPECT_TRUE(svg.ok()) << svg.status();
  EXPECT_EQ(FindXmlError(*svg), "");
  return *svg;
}

std::string FoldedToSvg(const std::string& folded) {
  const auto batch = ReadOne(folded::kFoldedReader, folded);
  EXPECT_TRUE(batch.ok()) << batch.status();
  return WriteSvg(*batch);
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(SvgWriterTest, DrawsABoxWithNumbersPerCallPath) {
  const std::string svg = FoldedToSvg("main;run 3\nmain 1\n");
  EXPECT_EQ(CountOf(svg, "<g class=\"f\""), 3U);
  EXPECT_NE(svg.find("<g class=\"f\" data-s=\"0\" data-t=\"3\" data-r=\"2\"><title>run\n"
                     "total 3 (75.00 %)\nself 3 (75.00 %)</title>"),
            std::string::npos);
  EXPECT_NE(svg.find("x=\"10.00\" y=\"102\" width=\"884.40\" height=\"17\""), std::string::npos);
  EXPECT_NE(svg.find("Every call path is drawn."), std::string::npos);
}

TEST(SvgWriterTest, HeaderShowsTitleSampleTypeAndTotal) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "f", .module = "/usr/bin/app", .type = "native"}}, 1'000'000'000);
  batch.Sample({{.name = "g", .module = "[kernel]", .type = "kernel"}}, 230'000'000);
  const std::string svg = WriteSvg(std::move(batch).Finish(), "my <app> & I");
  EXPECT_NE(svg.find("<title>my &lt;app&gt; &amp; I</title>"), std::string::npos);
  EXPECT_NE(svg.find(">cpu/nanoseconds · total <tspan>1.23 s</tspan> · 2 call paths<"),
            std::string::npos);
  EXPECT_NE(svg.find("<title>f\napp · native\ntotal 1 s (81.30 %)"), std::string::npos);
  EXPECT_NE(svg.find(">kernel</text>"), std::string::npos);
  EXPECT_NE(svg.find(">native code</text>"), std::string::npos);
}

TEST(SvgWriterTest, HostileNamesStayText) {
  TestBatch batch;
  batch.Profile("cpu\"><script>", "]]>");
  batch.Sample({{.name = "</script><script>alert(1)</script>"},
                {.name = "]]><svg onload='alert(1)'>", .module = "<b>", .type = "\"x\""},
                {.name = std::string_view("nul\0bell\x07\xff\xEF\xBF\xBF&amp;", 19)},
                {.name = "two\nlines"}},
               5);
  const std::string svg = WriteSvg(std::move(batch).Finish(), "</title><script>");
  EXPECT_EQ(CountOf(svg, "<script>"), 1U);  // our own
  EXPECT_EQ(CountOf(svg, "]]>"), 1U);       // its end
  EXPECT_EQ(CountOf(svg, "<svg"), 1U);
  EXPECT_NE(svg.find("&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(svg.find("<title>two lines\n"), std::string::npos);
}

TEST(SvgWriterTest, PageLoadsNoExternalResources) {
  const std::string svg = FoldedToSvg("main 1\n");
  EXPECT_EQ(CountOf(svg, "http"), 3U);  // XML namespace names: svg, and both in the script
  EXPECT_EQ(CountOf(svg, "url("), 0U);
  EXPECT_EQ(CountOf(svg, "@import"), 0U);
  EXPECT_EQ(CountOf(svg, "fetch("), 0U);
  EXPECT_EQ(kPageScript.find("]]>"), std::string_view::npos);
}

// Each language has its own class, a hue in the style sheet, and an entry in the legend.
TEST(SvgWriterTest, LanguagesHaveTheirOwnColours) {
  constexpr std::string_view kTypes[] = {"beam",   "cpython", "cuda", "dotnet", "go",  "jvm",
                                         "luajit", "perl",    "php",  "ruby",   "v8js"};
  std::set<std::string> hues;
  for (const std::string_view type : kTypes) {
    TestBatch batch;
    batch.Profile("cpu", "nanoseconds");
    batch.Sample({{.name = "f", .type = type}, {.name = "main", .type = "native"}}, 1);
    const std::string svg = WriteSvg(std::move(batch).Finish());
    const std::string entry = base::StrCat(">", type, "</text>");
    EXPECT_EQ(CountOf(svg, entry), 1U) << type;
    EXPECT_EQ(CountOf(svg, ">native code</text>"), 1U) << type;
    constexpr std::string_view kFirst = "<g id=\"legend\"><rect class=\"r0 ";
    const size_t at = svg.find(kFirst);
    ASSERT_NE(at, std::string::npos) << type;
    const std::string rule = base::StrCat(".", svg.substr(at + kFirst.size(), 2), " { --t: ");
    const size_t found = kPageStyle.find(rule);
    ASSERT_NE(found, std::string_view::npos) << type << rule;
    hues.insert(std::string(kPageStyle.substr(found + rule.size(), 3)));
  }
  EXPECT_EQ(hues.size(), std::size(kTypes));
}

TEST(SvgWriterTest, OtherTypesShareOneColour) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "f", .type = "wasm"}, {.name = "main", .type = "kernel"}}, 1);
  EXPECT_EQ(CountOf(WriteSvg(std::move(batch).Finish()), ">other (wasm)</text>"), 1U);
}

TEST(SvgWriterTest, ReportsThatThereIsNothingToDraw) {
  EXPECT_NE(FoldedToSvg("main 0\n").find("There are no samples of this type."), std::string::npos);
  EXPECT_NE(FoldedToSvg("").find("There are no samples of this type."), std::string::npos);
}

TEST(SvgWriterTest, SumsNarrowCallPathsExactly) {
  std::string folded = "main;wide 1000000\n";
  for (int i = 0; i < 100; ++i) {
    base::StrAppend(&folded, "main;narrow", i, ";leaf 20\n");
  }
  const std::string svg = FoldedToSvg(folded);
  EXPECT_EQ(CountOf(svg, "<g class=\"f\""), 4U);
  EXPECT_NE(svg.find("<title>(other)\n200 call paths too narrow or too deep to draw\n"
                     "total 2,000 (0.20 %)</title>"),
            std::string::npos);
  EXPECT_NE(svg.find("(other) merges 200 call paths narrower than 0.1 px or deeper than 1024 "
                     "rows; in total 2,000 (0.20 %)."),
            std::string::npos);
}

TEST(SvgWriterTest, TruncatesADeepStackAtTheLastRow) {
  std::string folded = "f";
  for (int i = 1; i < 100'000; ++i) {
    folded.append(";f");
  }
  const std::string svg = FoldedToSvg(folded.append(" 1\n"));
  EXPECT_EQ(CountOf(svg, "<g class=\"f\""), 1024U);
  EXPECT_NE(svg.find("(other) merges 98,977 call paths"), std::string::npos);
}

TEST(SvgWriterTest, DropsTheNarrowestBoxesOverTheLimit) {
  model::CallTreeBuilder builder;
  for (int i = 0; i < 100; ++i) {
    const model::CallFrameId frame = builder.Frame({.name = base::StrCat("f", i)});
    ASSERT_TRUE(builder.Add({{frame}}, i < 10 ? 100 : 50).ok());
  }
  const FlameLayout layout = LayOut(std::move(builder).Finish(), {.boxes_max = 20});
  EXPECT_EQ(layout.boxes.size(), 12U);  // all, ten wide ones, the rest
  EXPECT_EQ(layout.merged_count, 90U);
  EXPECT_EQ(layout.merged_total, 90 * 50);
  EXPECT_GT(layout.width_px_min, 1);
}

TEST(SvgWriterTest, SkipsNegativeWeightsWithAWarning) {
  TestBatch batch;
  batch.Profile("diff", "count");
  batch.Sample({{.name = "f"}}, -3);
  batch.Sample({{.name = "g"}}, 3);
  base::Warnings warnings;
  const auto svg = WriteAll(kSvgWriter, std::move(batch).Finish(),
                            {.sample_type = {}, .title = {}, .warnings = &warnings});
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_EQ(codec::testing::WarningText(warnings), "stack of negative weight omitted (1): -3\n");
}

TEST(XmlTextTest, TruncatesLabelsToTheAvailableColumns) {
  EXPECT_EQ(FitText("main", 4), "main");
  EXPECT_EQ(FitText("main", 3), "");
  EXPECT_EQ(FitText("std::vector", 6), "std::…");
  EXPECT_EQ(FitText("größe_der_dinge", 6), "größe…");
  EXPECT_EQ(FitText("函数名称很长", 7), "函数名…");
  EXPECT_EQ(FitText("", 9), "");
}

}  // namespace
}  // namespace flarestack::codec::svg
