// SPDX-License-Identifier: Apache-2.0
//
// Generates completion scripts from the command table and the flag definitions, so that they are
// always up to date.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/exit_code.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "codec/registry.h"
#include "query/stacks/filter.h"
#include "server/ui/formats.h"

namespace flarestack::cli {
namespace {

class CompletionCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string shell_;
};

struct Flag {
  std::string name;  // "--to"
  std::string description;
};

struct Words {
  std::vector<Flag> flags;  // of the command and its verbs, deduplicated
  std::string verbs;        // "add rm ls"; empty for most commands
};

void AddFlags(const CLI::App& app, std::vector<Flag>* flags) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string flag = "--" + name;
      const bool is_known =
          std::any_of(flags->begin(), flags->end(), [&](const Flag& f) { return f.name == flag; });
      if (!is_known)
        flags->push_back({flag, option->get_description()});
    }
  }
}

Words WordsOf(const CommandEntry& entry) {
  const std::unique_ptr<Command> command = entry.make();
  const std::unique_ptr<CLI::App> app = MakeApp(entry, command.get());
  Words words;
  AddFlags(*app, &words.flags);
  for (const CLI::App* verb : app->get_subcommands({})) {
    AddFlags(*verb, &words.flags);
    words.verbs += (words.verbs.empty() ? "" : " ") + verb->get_name();
  }
  return words;
}

std::string JoinNames(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags)
    text += (text.empty() ? "" : " ") + flag.name;
  return text;
}

std::string FormatNames() {
  std::string text;
  for (const codec::Writer* writer : server::Writers())
    text += (text.empty() ? "" : " ") + std::string(writer->name);
  return text;
}

std::string ReaderNames() {
  std::string text;
  for (const codec::Reader* reader : codec::Readers())
    text += (text.empty() ? "" : " ") + std::string(reader->name);
  return text;
}

std::string PresetNames() {
  std::string text;
  for (const query::FilterPreset& preset : query::FilterPresets())
    text += (text.empty() ? "" : " ") + std::string(preset.id);
  return text;
}

// The allowed values of a flag; empty if any value is allowed.
std::string ValuesOf(std::string_view command, const std::string& flag) {
  // In these commands --from is a time.
  if (flag == "--from" && (command == "query" || command == "symbols"))
    return "";
  static const std::map<std::string, std::string> kValues = {
      {"--to", FormatNames()},
      {"--from", ReaderNames()},
      {"--preset", PresetNames()},
      {"--format", "text json ndjson csv md"},
      {"--sort", "self total flat cum"},
      {"--type", "cpu wall off_cpu inuse_space inuse_objects alloc_space alloc_objects samples"},
      {"--norm", "share rate request none"},
      {"--progress", "auto plain none"},
      {"--compression", "gzip zstd none"},
      {"--protocol", "grpc http/protobuf http/json"},
  };
  const auto known = kValues.find(flag);
  return known == kValues.end() ? "" : known->second;
}

std::string CommandNames() {
  std::string text;
  for (const CommandEntry& entry : Commands())
    text += (text.empty() ? "" : " ") + std::string(entry.name);
  return text;
}

void PrintBash() {
  fmt::print("_flarestack() {{\n");
  fmt::print(
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n");
  fmt::print(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; "
      "fi\n",
      CommandNames());
  fmt::print("  case \"${{COMP_WORDS[1]}} $before\" in\n");
  for (const CommandEntry& entry : Commands()) {
    for (const Flag& flag : WordsOf(entry).flags) {
      if (const std::string values = ValuesOf(entry.name, flag.name); !values.empty()) {
        fmt::print("    \"{} {}\") COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                   entry.name, flag.name, values);
      }
    }
  }
  fmt::print("  esac\n");
  fmt::print("  case \"${{COMP_WORDS[1]}}:$word\" in\n");
  for (const CommandEntry& entry : Commands()) {
    const Words words = WordsOf(entry);
    fmt::print("    {}:-*) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n", entry.name,
               JoinNames(words.flags));
    if (!words.verbs.empty()) {
      fmt::print(
          "    {}:*) if [ \"$COMP_CWORD\" -eq 2 ]; then COMPREPLY=($(compgen -W \"{}\" -- "
          "\"$word\")); else COMPREPLY=($(compgen -f -- \"$word\")); fi ;;\n",
          entry.name, words.verbs);
    }
  }
  fmt::print("    completion:*) COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$word\")) ;;\n");
  fmt::print("    help:*) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n", CommandNames());
  fmt::print("    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}}\n");
  fmt::print("complete -o filenames -F _flarestack flarestack\n");
}

// Escapes text for single quotes in zsh's _arguments, where brackets and colons are special.
std::string ZshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':')
        out += '\\';
      out += c;
    }
  }
  return out;
}

void PrintZsh() {
  fmt::print("#compdef flarestack\n_flarestack() {{\n  local -a commands\n  commands=(\n");
  for (const CommandEntry& entry : Commands()) {
    fmt::print("    '{}:{}'\n", entry.name, ZshText(std::string(entry.summary)));
  }
  fmt::print(
      "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n  case $words[2] "
      "in\n");
  for (const CommandEntry& entry : Commands()) {
    const Words words = WordsOf(entry);
    fmt::print("    {}) _arguments", entry.name);
    for (const Flag& flag : words.flags) {
      const std::string names = ValuesOf(entry.name, flag.name);
      const std::string values =
          names.empty() ? "" : ":" + flag.name.substr(2) + ":(" + names + ")";
      fmt::print(" '{}[{}]{}'", flag.name, ZshText(flag.description), values);
    }
    if (!words.verbs.empty())
      fmt::print(" '2:verb:({})'", words.verbs);
    fmt::print(" '*:file:_files' ;;\n");
  }
  fmt::print("  esac\n}}\n_flarestack \"$@\"\n");
}

std::string FishText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

void PrintFish() {
  for (const CommandEntry& entry : Commands()) {
    fmt::print("complete -c flarestack -n __fish_use_subcommand -f -a {} -d '{}'\n", entry.name,
               FishText(std::string(entry.summary)));
    const Words words = WordsOf(entry);
    if (!words.verbs.empty())
      fmt::print("complete -c flarestack -n '__fish_seen_subcommand_from {}' -a '{}'\n", entry.name,
                 words.verbs);
    for (const Flag& flag : words.flags) {
      const std::string names = ValuesOf(entry.name, flag.name);
      const std::string values = names.empty() ? "" : fmt::format(" -x -a '{}'", names);
      fmt::print("complete -c flarestack -n '__fish_seen_subcommand_from {}' -l {} -d '{}'{}\n",
                 entry.name, flag.name.substr(2), FishText(flag.description), values);
    }
  }
}

}  // namespace

void CompletionCommand::Define(CLI::App* app) {
  app->add_option("SHELL", shell_, "bash, zsh or fish")
      ->required()
      ->check(OneOf({"bash", "zsh", "fish"}));
  app->footer(
      "Examples:\n"
      "  source <(flarestack completion bash)\n"
      "  flarestack completion zsh > ~/.zfunc/_flarestack\n"
      "  flarestack completion fish > ~/.config/fish/completions/flarestack.fish");
}

int CompletionCommand::Run() {
  if (shell_ == "bash")
    PrintBash();
  if (shell_ == "zsh")
    PrintZsh();
  if (shell_ == "fish")
    PrintFish();
  return kSuccess;
}

std::unique_ptr<Command> MakeCompletionCommand() { return std::make_unique<CompletionCommand>(); }

}  // namespace flarestack::cli
