// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest() {
    std::string name = ::testing::TempDir() + "settings_XXXXXX";
    folder_ = mkdtemp(name.data());
    app_.add_option("--depth", depth_, "a number")->check(CLI::Range(1, 99));
    app_.add_option("--name", name_, "a text");
    app_.add_flag("--loud", loud_, "a flag");
    app_.add_option("--config", config_, "the file");
    sources_.environment = [this](const std::string& variable) {
      const auto found = variables_.find(variable);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
  }
  ~SettingsTest() override { std::filesystem::remove_all(folder_); }

  // Adds a file with lower precedence than those before it.
  std::string AddFile(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    sources_.files.push_back(path);
    return path;
  }
  // Name, value and source of each setting.
  std::string Apply() {
    const auto settings = ApplySettings("serve", sources_, &app_);
    if (!settings.ok())
      return std::string(base::Message(settings.status()));
    std::string text;
    for (const Setting& setting : *settings)
      base::StrAppend(&text, setting.name, "=", setting.value, " ", setting.source, "\n");
    return text;
  }

  std::string folder_;
  std::map<std::string, std::string> variables_;
  SettingSources sources_;
  CLI::App app_;
  int depth_ = 7;
  std::string name_ = "none";
  bool loud_ = false;
  std::string config_;
};

TEST_F(SettingsTest, DefaultsApplyIfNothingIsGiven) {
  sources_.files = {folder_ + "/missing.yaml"};
  EXPECT_EQ(Apply(), "depth=7 default\nname=none default\nloud=false default\n");
}

TEST_F(SettingsTest, EachSourceOverridesTheNext) {
  const std::string near = AddFile("near.yaml", "serve:\n  depth: 30\n");
  const std::string user = AddFile("user.yaml", "serve:\n  name: user\n  depth: 40\n");
  const std::string system = AddFile("system.yaml", "serve:\n  loud: true\n  name: system\n");
  EXPECT_EQ(Apply(), base::StrCat("depth=30 ", near, ":2\nname=user ", user, ":2\nloud=true ",
                                  system, ":2\n"));
  EXPECT_EQ(depth_, 30);
  EXPECT_EQ(name_, "user");
  EXPECT_TRUE(loud_);
}

TEST_F(SettingsTest, VariablesOverrideFilesAndFlagsOverrideVariables) {
  AddFile("a.yaml", "serve:\n  depth: 30\n  name: file\n");
  variables_ = {
      {"FLARESTACK_DEPTH", "20"}, {"FLARESTACK_NAME", "variable"}, {"FLARESTACK_LOUD", "true"}};
  app_.parse("--depth 10");
  EXPECT_EQ(Apply(),
            "depth=10 command line\nname=variable FLARESTACK_NAME\nloud=true FLARESTACK_LOUD\n");
  EXPECT_EQ(depth_, 10);
  EXPECT_EQ(name_, "variable");
  EXPECT_TRUE(loud_);
}

TEST_F(SettingsTest, ValuesAreCheckedLikeFlags) {
  const std::string path = AddFile("a.yaml", "serve:\n\n  depth: 100\n");
  EXPECT_THAT(Apply(), StartsWith(path + ":3: "));
}

TEST_F(SettingsTest, ValuesOfVariablesAreCheckedLikeFlags) {
  variables_ = {{"FLARESTACK_DEPTH", "many"}};
  EXPECT_THAT(Apply(), StartsWith("FLARESTACK_DEPTH: "));
}

TEST_F(SettingsTest, ReportsAnUnknownKeyWithFileAndLine) {
  const std::string path = AddFile("a.yaml", "serve:\n  depth: 3\n  depht: 4\n");
  EXPECT_EQ(Apply(), path + ":3: unknown key \"depht\" in serve");
}

TEST_F(SettingsTest, ReportsAnUnknownSectionWithFileAndLine) {
  const std::string path = AddFile("a.yaml", "# mine\nservre:\n");
  EXPECT_EQ(Apply(), path + ":2: unknown section \"servre\"");
}

TEST_F(SettingsTest, ConfigFileIsNotASetting) {
  AddFile("a.yaml", "serve:\n  config: other.yaml\n");
  EXPECT_THAT(Apply(), HasSubstr("unknown key \"config\""));
}

TEST_F(SettingsTest, RequestedFileMustExist) {
  sources_.files = {folder_ + "/missing.yaml"};
  sources_.files_must_exist = true;
  EXPECT_THAT(Apply(), HasSubstr("missing.yaml"));
}

TEST_F(SettingsTest, VariablesAreNamedAfterFlags) {
  EXPECT_EQ(VariableName("max-request-bytes"), "FLARESTACK_MAX_REQUEST_BYTES");
}

}  // namespace
}  // namespace flarestack::cli
