// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/yaml_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::optional<std::string> TestEnvironment(const std::string& name) {
  if (name == "HOST")
    return "example.com";
  if (name == "EMPTY")
    return "";
  return std::nullopt;
}

// "line section.key=value" for each entry; an unset value is "-".
std::string ToText(std::string_view yaml) {
  const auto entries = ParseYaml(yaml, TestEnvironment);
  if (!entries.ok())
    return std::string(base::Message(entries.status()));
  std::string text;
  for (const YamlEntry& entry : *entries) {
    if (!entry.key.empty())
      base::StrAppend(&text, entry.line, " ", entry.section, ".", entry.key, "=",
                      entry.value.value_or("-"), "\n");
  }
  return text;
}

TEST(YamlFileTest, KeysHaveTheirLines) {
  EXPECT_EQ(ToText("# comment\nserve:\n  a: 1\n\n  b: \"two words\"\n  c:\n"),
            "3 serve.a=1\n5 serve.b=two words\n6 serve.c=-\n");
  EXPECT_EQ(ToText(""), "");
  EXPECT_EQ(ToText("serve:\n"), "");
}

TEST(YamlFileTest, ReplacesReferences) {
  EXPECT_EQ(ToText("s: {a: '${HOST}:80'}"), "1 s.a=example.com:80\n");
  EXPECT_EQ(ToText("s: {a: '${env:HOST}'}"), "1 s.a=example.com\n");
  EXPECT_EQ(ToText("s: {a: '${NONE:-x:-y}'}"), "1 s.a=x:-y\n");
  EXPECT_EQ(ToText("s: {a: '${EMPTY:-d}'}"), "1 s.a=d\n");
  EXPECT_EQ(ToText("s: {a: '${NONE}'}"), "1 s.a=-\n");
  EXPECT_EQ(ToText("s: {a: '$${HOST} costs 5$'}"), "1 s.a=${HOST} costs 5$\n");
}

TEST(YamlFileTest, VariableCannotAddKeys) {
  const auto environment = [](const std::string&) {
    return std::optional<std::string>("x\n  b: 2");
  };
  const auto entries = ParseYaml("s:\n  a: ${V}\n", environment);
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(entries->size(), 2u);  // the section and its key
}

TEST(YamlFileTest, ErrorsHaveTheirLines) {
  EXPECT_THAT(ToText("serve:\n  a: [1\n"), StartsWith("line "));
  EXPECT_THAT(ToText("serve:\n  a: 1\n  b: [1, 2]\n"), StartsWith("line 3: b must have one value"));
  EXPECT_THAT(ToText("serve:\n  a: 1\n  a: 2\n"), StartsWith("line 3: a is set twice"));
  EXPECT_THAT(ToText("just text"), StartsWith("line 1: expected sections"));
  EXPECT_THAT(ToText("serve: text"), StartsWith("line 1: serve must hold keys"));
  EXPECT_THAT(ToText("s:\n  a: ${1X}\n"), HasSubstr("line 2: a: a reference must have the form"));
  EXPECT_THAT(ToText("s:\n  a: ${HOST\n"), HasSubstr("no closing brace"));
}

}  // namespace
}  // namespace flarestack::cli
