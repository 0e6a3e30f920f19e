// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/flags/settings.h"
#include "cli/output/report_format.h"
#include "cli/serve/serve_command.h"

namespace flarestack::cli {
namespace {

// Shows the settings that `serve` would use, without starting it.
class ConfigCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int Show();
  int Validate();

  CLI::App* show_ = nullptr;
  std::string path_;
  ReportFormat format_ = ReportFormat::kText;
};

struct Loaded {
  std::vector<Setting> settings;
  std::optional<Failure> failure;
};

// Applies the sources to the flags of a server that never starts.
Loaded Load(const SettingSources& sources) {
  ServeCommand serve;
  const std::unique_ptr<CLI::App> app = MakeApp(*FindCommand("serve"), &serve);
  Loaded loaded;
  auto settings = ApplySettings("serve", sources, app.get());
  if (settings.ok()) {
    loaded.settings = *std::move(settings);
    loaded.failure = serve.ReadOptions();
  } else {
    loaded.failure =
        Failure{"invalid configuration", std::string(base::Message(settings.status())),
                "flarestack help serve    lists the flags; the keys have the same names"};
  }
  return loaded;
}

std::string ToText(const std::vector<Setting>& settings) {
  size_t name_width = 0;
  size_t value_width = 0;
  for (const Setting& setting : settings) {
    name_width = std::max(name_width, setting.name.size());
    value_width = std::max(value_width, setting.value.size());
  }
  std::string text;
  for (const Setting& setting : settings) {
    text += fmt::format("{:<{}}  {:<{}}  {}\n", setting.name, name_width,
                        setting.value.empty() ? "-" : setting.value, value_width, setting.source);
  }
  return text;
}

ReportRows ToRows(const std::vector<Setting>& settings) {
  ReportRows rows({"name", "value", "source"});
  for (const Setting& setting : settings)
    rows.Add({setting.name, setting.value, setting.source});
  return rows;
}

}  // namespace

void ConfigCommand::Define(CLI::App* app) {
  app->require_subcommand(1);
  show_ = app->add_subcommand("show", "print each setting of serve, its value and its source");
  show_->add_option("--config", path_, "use this file instead of the default locations");
  DefineFormat(show_, &format_);
  show_->footer("Example:\n  flarestack config show --format json");
  CLI::App* const validate = app->add_subcommand("validate", "validate a configuration file");
  validate->add_option("FILE", path_, "the file (default: the one serve would read)");
  validate->footer("Example:\n  flarestack config validate /etc/flarestack/flarestack.yaml");
  app->footer(
      "Settings, in order of precedence: flags, FLARESTACK_... variables, ./flarestack.yaml,\n"
      "$XDG_CONFIG_HOME/flarestack/flarestack.yaml, /etc/flarestack/flarestack.yaml, defaults.\n\n"
      "A file:\n"
      "  serve:\n"
      "    data-dir: /srv/flarestack\n"
      "    retention: ${RETENTION:-30d}\n\n"
      "Examples:\n"
      "  flarestack config show\n"
      "  flarestack config validate flarestack.yaml");
}

int ConfigCommand::Run() { return show_->parsed() ? Show() : Validate(); }

int ConfigCommand::Show() {
  const Loaded loaded = Load(ProcessSources(path_));
  if (loaded.failure.has_value())
    return Report(*loaded.failure, kUsage);
  if (format_ == ReportFormat::kText) {
    fmt::print("{}", ToText(loaded.settings));
  } else if (format_ == ReportFormat::kJson) {
    nlohmann::ordered_json json = {{"schema", "flarestack.config/1"}};
    json["settings"] = ToRows(loaded.settings).Json();
    fmt::print("{}", JsonText(json));
  } else {
    fmt::print("{}", ToRows(loaded.settings).In(format_));
  }
  return kSuccess;
}

int ConfigCommand::Validate() {
  SettingSources sources = ProcessSources(path_);
  sources.use_variables = path_.empty();  // a variable must not hide a mistake in the file
  const Loaded loaded = Load(sources);
  if (loaded.failure.has_value())
    return Report(*loaded.failure, kUsage);
  fmt::print("{}: valid\n", path_.empty() ? "the configuration" : path_);
  return kSuccess;
}

std::unique_ptr<Command> MakeConfigCommand() { return std::make_unique<ConfigCommand>(); }

}  // namespace flarestack::cli
