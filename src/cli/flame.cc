// SPDX-License-Identifier: Apache-2.0
#include "cli/flame.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/failure.h"
#include "cli/flame_screen.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "query/stack_tree.h"

namespace flarestack::cli {

void FlameCommand::Define(CLI::App* app) {
  app->add_option("PATH", paths_, "profiles of any format, added up; - is standard input")
      ->required();
  app->add_flag("--once", once_, "print it and leave, which is also done where no terminal is");
  app->add_option("--width", width_, "columns (default: those of the terminal, else 100)")
      ->check(CLI::Range(20, 10'000));
  app->add_option("--depth", depth_, "rows; 0 is all (default 0)");
  app->add_option("--search", search_, "regular expression for functions that stand out")
      ->type_name("RE");
  source_.DefineFlags(app);
  app->footer(
      "Keys: arrows walk, Enter zooms in, Backspace out, Home shows everything, / searches,\n"
      "n goes to the next match, q leaves.\n"
      "\nExamples:\n"
      "  flarestack flame cpu.pb.gz\n"
      "  flarestack flame --once --width 120 --from-frame ServeHTTP cpu.pb.gz\n"
      "  perf script | flarestack flame --once -");
}

int FlameCommand::Run() {
  int code = kSuccess;
  std::optional<query::Pattern> search;
  if (!search_.empty()) {
    search = ReadPattern(search_, "cannot use --search", &code);
    if (!search.has_value())
      return code;
  }
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  const auto tree = query::StackTree(stacks->set);
  if (!tree.ok()) {
    return Report({"cannot make the tree", std::string(base::Message(tree.status())),
                   "the same with a filter such as --only or --recursion"},
                  kFailed);
  }
  const FlameView view(*tree);
  FlameState state;
  state.search = std::move(search);
  const bool is_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (is_terminal && !once_)
    return RunFlameScreen(view, std::move(state), Headline(*stacks), stacks->set.unit);
  const size_t terminal_width = TerminalWidth();
  constexpr size_t kWidthElsewhere = 100;
  const FlameLook look = {
      .width = width_ != 0 ? width_ : (terminal_width != 0 ? terminal_width : kWidthElsewhere),
      .rows_max = depth_,
      .use_colour = UseColour()};
  std::string text = Bold(Headline(*stacks)) + "\n";
  const std::vector<std::string> lines = view.Lines(state, look);
  for (const std::string& line : lines)
    text += line + "\n";
  const size_t row_count = view.RowCount(0, look.width);
  if (lines.size() < row_count)
    text += fmt::format("... {} more rows (use --depth 0 for all)\n", row_count - lines.size());
  Show(text);
  return kSuccess;
}

}  // namespace flarestack::cli
