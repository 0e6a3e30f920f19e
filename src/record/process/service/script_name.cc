// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/script_name.h"

#include <algorithm>
#include <array>
#include <vector>

namespace flarestack::record::agent {
namespace {

constexpr size_t kWordsMax = 512;

using Words = std::vector<std::string_view>;

// Word lists have a space before and after each word.
struct Interpreter {
  std::string_view name;            // a version may follow
  std::string_view with_value;      // options whose value is the next argument
  std::string_view names_it;        // options whose value is the script
  std::string_view without_script;  // options after which there is no script
  bool is_shell = false;            // its one-letter options may be combined: -ec
  bool has_argument_files = false;  // @FILE has more arguments
};

constexpr Interpreter Shell(std::string_view name) {
  return {.name = name,
          .with_value = " -o +o -O +O --rcfile --init-file ",
          .names_it = "",
          .without_script = "",
          .is_shell = true};
}

constexpr std::array<Interpreter, 11> kInterpreters = {{
    Shell("sh"),
    Shell("bash"),
    Shell("dash"),
    Shell("ksh"),
    Shell("zsh"),
    {.name = "python",
     .with_value = " -W -X --check-hash-based-pycs ",
     .names_it = " -m ",
     .without_script = " -c "},
    {.name = "node",
     .with_value = " -r --require --import --loader --experimental-loader -C --conditions "
                   "--env-file --title ",
     .names_it = "",
     .without_script = " -e --eval -p --print "},
    {.name = "ruby", .with_value = " -I -r -C -E -K ", .names_it = "", .without_script = " -e "},
    {.name = "perl", .with_value = " -I ", .names_it = "", .without_script = " -e -E "},
    {.name = "php",
     .with_value = " -d -c -z --define --php-ini ",
     .names_it = " -f --file ",
     .without_script = " -r -B -R -S --run "},
    {.name = "java",
     .with_value = " -cp -classpath --class-path -p --module-path --upgrade-module-path "
                   "--add-modules --add-opens --add-exports --add-reads --limit-modules "
                   "--patch-module --enable-native-access --source ",
     .names_it = " -jar -m --module ",
     .without_script = "",
     .has_argument_files = true},
}};

bool HasWord(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos)
    return false;
  for (size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (at > 0 && list[at - 1] == ' ' && end < list.size() && list[end] == ' ')
      return true;
  }
  return false;
}

Words WordsOf(std::string_view command_line) {
  Words words;
  while (!command_line.empty() && words.size() < kWordsMax) {
    const size_t end = command_line.find('\0');
    words.push_back(command_line.substr(0, end));
    command_line.remove_prefix(end == std::string_view::npos ? command_line.size() : end + 1);
  }
  return words;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Matches "python3.11" as Python and "nodejs" as Node.js.
const Interpreter* FindInterpreter(std::string_view executable) {
  const std::string_view name = BaseName(executable);
  for (const Interpreter& interpreter : kInterpreters) {
    if (!name.starts_with(interpreter.name))
      continue;
    const std::string_view rest = name.substr(interpreter.name.size());
    if (rest == "js" || rest.find_first_not_of("0123456789.-") == std::string_view::npos)
      return &interpreter;
  }
  return nullptr;
}

// "-c" and "-ec" are followed by commands; with "-s", the shell reads them from standard input.
bool TakesNoScript(const Interpreter& interpreter, std::string_view word) {
  if (!interpreter.is_shell)
    return HasWord(interpreter.without_script, word);
  return word.starts_with('-') && !word.starts_with("--") &&
         word.find_first_of("cs") != std::string_view::npos;
}

// Returns the index of the script in `words`; their number if there is none.
size_t FindScript(const Interpreter& interpreter, const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (HasWord(interpreter.names_it, word) || word == "--")
      return i + 1;
    if (TakesNoScript(interpreter, word) || word == "-")
      return words.size();
    const bool is_option = word.starts_with('-') ||
                           (interpreter.is_shell && word.starts_with('+')) ||
                           (interpreter.has_argument_files && word.starts_with('@'));
    if (!is_option)
      return i;
    if (HasWord(interpreter.with_value, word))
      ++i;
  }
  return words.size();
}

}  // namespace

bool IsShell(std::string_view executable) {
  const Interpreter* const interpreter = FindInterpreter(executable);
  return interpreter != nullptr && interpreter->is_shell;
}

ScriptCall ParseScriptCall(std::string_view executable, std::string_view command_line) {
  ScriptCall call;
  const Interpreter* const interpreter = FindInterpreter(executable);
  if (interpreter == nullptr)
    return call;
  call.interpreter = interpreter->name;
  const Words words = WordsOf(command_line);
  const size_t script = std::min(FindScript(*interpreter, words), words.size());
  const auto at = words.begin() + static_cast<ptrdiff_t>(script);
  if (!words.empty())
    call.options.assign(words.begin() + 1, std::max(at, words.begin() + 1));
  if (at != words.end()) {
    call.script = *at;
    call.arguments.assign(at + 1, words.end());
  }
  return call;
}

bool IsMultiprocessingChild(std::string_view command_line) {
  const Words words = WordsOf(command_line);
  return std::ranges::any_of(words, [](std::string_view word) {
    return word.starts_with("from multiprocessing.");  // python -c
  });
}

std::string_view ScriptPath(std::string_view executable, std::string_view command_line) {
  return ParseScriptCall(executable, command_line).script;
}

std::string ScriptName(std::string_view script_path) {
  constexpr std::string_view kJar = ".jar";
  // A shell that reads its commands from a pipe may get that pipe as a file.
  if (script_path.starts_with("/dev/fd/") || script_path.starts_with("/proc/"))
    return {};
  std::string_view name = BaseName(script_path);
  if (name.ends_with(kJar))
    name.remove_suffix(kJar.size());
  return std::string(name);
}

}  // namespace flarestack::record::agent
