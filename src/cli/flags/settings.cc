// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/file/file.h"
#include "base/status.h"

namespace flarestack::cli {
namespace {

constexpr uint64_t kFileBytesMax = 1 << 20;
constexpr std::string_view kFileName = "flarestack.yaml";

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Follows the XDG base directory specification.
std::optional<std::string> UserFile(const Environment& environment) {
  const std::string home = environment("HOME").value_or("");
  std::string folder = environment("XDG_CONFIG_HOME").value_or("");
  if (folder.empty() && home.empty())
    return std::nullopt;
  if (folder.empty())
    folder = home + "/.config";
  return base::StrCat(folder, "/flarestack/", kFileName);
}

struct FileEntry {
  std::string path;
  YamlEntry entry;
};

std::string PlaceOf(const FileEntry& from) { return base::StrCat(from.path, ":", from.entry.line); }

std::string NameOf(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : option.get_lnames()[0];
}

std::vector<CLI::Option*> SettableOptions(CLI::App* app) {
  std::vector<CLI::Option*> options;
  for (CLI::Option* option : app->get_options()) {
    const std::string name = NameOf(*option);
    if (!name.empty() && name != "help" && name != kConfigFlag)
      options.push_back(option);
  }
  return options;
}

// Entries of all files, highest precedence first.
absl::StatusOr<std::vector<FileEntry>> ReadFiles(const SettingSources& sources) {
  std::vector<FileEntry> entries;
  for (const std::string& path : sources.files) {
    if (!sources.files_must_exist && access(path.c_str(), F_OK) != 0)
      continue;
    FLARE_ASSIGN(const std::string text, base::ReadFile(path, kFileBytesMax));
    auto parsed = ParseYaml(text, sources.environment);
    if (!parsed.ok())
      return base::WithContext(path, parsed.status());
    for (YamlEntry& entry : *parsed)
      entries.push_back({.path = path, .entry = std::move(entry)});
  }
  return entries;
}

absl::Status CheckKeys(std::string_view section, const std::vector<FileEntry>& entries,
                       const std::vector<CLI::Option*>& options) {
  for (const FileEntry& from : entries) {
    if (from.entry.section != section)
      return absl::InvalidArgumentError(
          base::StrCat(PlaceOf(from), ": unknown section \"", from.entry.section, "\""));
    const bool is_known = from.entry.key.empty() ||
                          std::any_of(options.begin(), options.end(),
                                      [&](const auto* o) { return NameOf(*o) == from.entry.key; });
    if (!is_known)
      return absl::InvalidArgumentError(
          base::StrCat(PlaceOf(from), ": unknown key \"", from.entry.key, "\" in ", section));
  }
  return absl::OkStatus();
}

// The default value of a flag that was not set.
std::string DefaultText(CLI::Option* option) {
  option->capture_default_str();
  const std::string text = option->get_default_str();
  return text.empty() && option->get_items_expected_max() == 0 ? "false" : text;
}

absl::Status Give(const Setting& setting, CLI::Option* option) {
  try {
    option->add_result(setting.value);
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(base::StrCat(setting.source, ": ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace

std::string VariableName(std::string_view flag) {
  std::string name = "FLARESTACK_";
  for (const char c : flag)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

SettingSources ProcessSources(const std::string& config_path) {
  SettingSources sources;
  sources.environment = ProcessEnvironment;
  std::string path = config_path;
  if (path.empty())
    path = sources.environment(VariableName(kConfigFlag)).value_or("");
  if (!path.empty()) {
    sources.files = {path};
    sources.files_must_exist = true;
    return sources;
  }
  sources.files.emplace_back(kFileName);
  if (const auto user_file = UserFile(sources.environment); user_file.has_value())
    sources.files.push_back(*user_file);
  sources.files.push_back(base::StrCat("/etc/flarestack/", kFileName));
  return sources;
}

absl::StatusOr<std::vector<Setting>> ApplySettings(std::string_view section,
                                                   const SettingSources& sources, CLI::App* app) {
  const std::vector<CLI::Option*> options = SettableOptions(app);
  FLARE_ASSIGN(const std::vector<FileEntry> entries, ReadFiles(sources));
  FLARE_RETURN_IF_ERROR(CheckKeys(section, entries, options));
  std::vector<Setting> settings;
  for (CLI::Option* option : options) {
    Setting setting = {.name = NameOf(*option), .value = {}, .source = "default"};
    const auto variable =
        sources.use_variables ? sources.environment(VariableName(setting.name)) : std::nullopt;
    const auto from = std::find_if(entries.begin(), entries.end(), [&](const FileEntry& entry) {
      return entry.entry.key == setting.name && entry.entry.value.has_value();
    });
    if (option->count() > 0) {
      setting.source = "command line";
      setting.value = option->results().back();
    } else if (variable.has_value() && !variable->empty()) {
      setting.source = VariableName(setting.name);
      setting.value = *variable;
      FLARE_RETURN_IF_ERROR(Give(setting, option));
    } else if (from != entries.end()) {
      setting.source = PlaceOf(*from);
      setting.value = *from->entry.value;
      FLARE_RETURN_IF_ERROR(Give(setting, option));
    } else {
      setting.value = DefaultText(option);
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace flarestack::cli
