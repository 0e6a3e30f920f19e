// SPDX-License-Identifier: Apache-2.0
#include "cli/command/help_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace flarestack::cli {
namespace {

constexpr size_t kNameColumns = 28;
constexpr size_t kLineColumns = 100;

struct ValueWord {
  std::string_view flags;  // space-separated
  std::string_view word;
};

// Default placeholders, so that a flag has the same one in every command.
constexpr ValueWord kValueWords[] = {
    {"data-dir ui-dir spool-dir source-maps", "DIR"},
    {"otlp-grpc otlp-http http metrics", "HOST:PORT"},
    {"retention retention-profiles retention-traces retention-logs retention-metrics", "TIME"},
    {"queue-timeout header-timeout body-timeout idle-timeout interval metrics-interval", "TIME"},
    {"duration delay", "TIME"},
    {"durability progress", "MODE"},
    {"log-level", "LEVEL"},
    {"log-format format to", "FORMAT"},
    {"exit-code", "WHOSE"},
    {"events cpu roles", "LIST"},
    {"gauge-type type", "TYPE"},
    {"symbol-path cgroup", "PATH"},
    {"debuginfod", "URLS"},
    {"tls-cert tls-key tls-client-ca ca auth-file config file output", "FILE"},
    {"cpu-budget", "PERCENT"},
    {"command user service tenant protocol compression", "NAME"},
    {"send endpoint server", "URL"},
    {"header", "NAME=VALUE"},
    {"resource", "KEY=VALUE"},
    {"explain", "RULE"},
};

std::string_view WordFor(const std::vector<std::string>& names) {
  for (const ValueWord& row : kValueWords) {
    for (std::string_view flags = row.flags; !flags.empty();) {
      const std::string_view flag = flags.substr(0, flags.find(' '));
      if (std::ranges::find(names, flag) != names.end())
        return row.word;
      flags.remove_prefix(std::min(flags.size(), flag.size() + 1));
    }
  }
  return "TEXT";
}

// The placeholder for a flag's value. CLI11 appends the descriptions of its checks: "UINT:SIZE [b,
// ...".
std::string Placeholder(const CLI::Option& option) {
  if (option.get_type_size() == 0)
    return "";
  const std::string type = option.get_type_name();
  if (type.find(":SIZE [") != std::string::npos)
    return "SIZE";
  const std::string word = type.substr(0, type.find(':'));
  if (word == "UINT" || word == "INT" || word == "FLOAT")
    return "N";
  return word == "TEXT" ? std::string(WordFor(option.get_lnames())) : word;
}

std::string Names(const CLI::Option& option) {
  std::string names;
  const auto add = [&](std::string_view dashes, const std::string& name) {
    names += names.empty() ? "" : ", ";
    names += dashes;
    names += name;
  };
  for (const std::string& name : option.get_snames())
    add("-", name);
  for (const std::string& name : option.get_lnames())
    add("--", name);
  return names.empty() ? option.get_name(true) : names;
}

std::string Description(const CLI::Option& option) {
  std::string text = option.get_description();
  std::string value = option.get_default_str();
  if (value.size() > 1 && value.front() == '[' && value.back() == ']')
    value = value.substr(1, value.size() - 2);
  if (!value.empty() && option.get_type_size() != 0 && text.find("(default") == std::string::npos)
    text += fmt::format(" (default {})", value);
  if (!option.get_envname().empty())
    text += fmt::format(" (or ${})", option.get_envname());
  return text;
}

// Wraps the text at kLineColumns, and indents all lines after the first.
std::string Wrapped(std::string_view text) {
  constexpr size_t kColumns = kLineColumns - kNameColumns;
  std::string lines;
  while (text.size() > kColumns) {
    size_t end = text.rfind(' ', kColumns);
    if (end == std::string_view::npos || end == 0)
      end = text.find(' ');
    if (end == std::string_view::npos)
      break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, end), "", kNameColumns);
    text.remove_prefix(end + 1);
  }
  return lines + std::string(text);
}

std::string Row(const std::string& left, std::string_view text) {
  const std::string name = "  " + left;
  const std::string gap = name.size() + 1 < kNameColumns
                              ? std::string(kNameColumns - name.size(), ' ')
                              : "\n" + std::string(kNameColumns, ' ');
  return text.empty() ? name + "\n" : name + gap + Wrapped(text) + "\n";
}

std::string FlagRow(const CLI::Option& option) {
  const std::string placeholder = Placeholder(option);
  return Row(Names(option) + (placeholder.empty() ? "" : " " + placeholder), Description(option));
}

std::string ArgumentRow(const CLI::Option& option) {
  return Row(option.get_name(true), Description(option));
}

std::string Groups(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string rows;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group && option->nonpositional())
        rows += FlagRow(*option);
    }
    if (!group.empty() && !rows.empty())
      text += fmt::format("\n{}:\n{}", group, rows);
  }
  return text;
}

std::string Verbs(const CLI::App& app) {
  std::string rows;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_name().empty() && !verb->get_group().empty())
      rows += Row(verb->get_name(), verb->get_description());
  }
  return rows.empty() ? "" : "\nVerbs:\n" + rows;
}

std::string Usage(const CLI::App& app, const std::string& name) {
  std::string usage = "Usage: " + name + " [FLAGS]";
  if (!app.get_subcommands([](const CLI::App*) { return true; }).empty())
    usage += app.get_require_subcommand_min() == 0 ? " [VERB]" : " VERB";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional())
      continue;
    const bool is_list = option->get_expected_max() > 1;
    const std::string word = option->get_name(true) + (is_list ? "..." : "");
    usage += option->get_required() ? " " + word : " [" + word + "]";
  }
  return usage + "\n";
}

}  // namespace

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode /*mode*/) const {
  std::string text = fmt::format("{}: {}\n{}", name, app->get_description(), Usage(*app, name));
  std::string arguments;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional())
      arguments += ArgumentRow(*option);
  }
  if (!arguments.empty())
    text += "\nArguments:\n" + arguments;
  text += Groups(*app) + Verbs(*app);
  if (!app->get_footer().empty())
    text += "\n" + app->get_footer() + "\n";
  return text;
}

}  // namespace flarestack::cli
