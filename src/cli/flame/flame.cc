// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/flame/flame_diff.h"
#include "cli/flame/flame_screen.h"
#include "cli/flame/flame_view.h"
#include "cli/input/comparison.h"
#include "cli/input/inputs.h"
#include "cli/input/stack_source.h"
#include "cli/terminal/terminal.h"
#include "query/diff/tree_diff.h"
#include "query/reports/stack_tree.h"

namespace flarestack::cli {
namespace {

class FlameCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ReadWidths();
  int RunOne();
  int RunDiff();
  PageValues SearchOnPage() const;
  int Draw(const FlameView& view, const std::vector<std::string>& head);

  StackSource source_;
  Comparison comparison_;
  std::vector<std::string> paths_;
  bool is_diff_ = false;
  bool once_ = false;
  std::vector<std::string> width_words_;
  size_t columns_ = 0;
  bool has_basis_ = false;  // --width was given a word
  FlameWidth basis_ = FlameWidth::kUnion;
  size_t depth_ = 0;
  std::string search_text_;
  std::optional<query::Pattern> search_;
};

constexpr size_t kColumnsMin = 20;
constexpr size_t kColumnsMax = 10'000;
constexpr size_t kColumnsElsewhere = 100;  // without a terminal

int CannotMakeTree(const absl::Status& status) {
  return Report({"cannot build the tree", std::string(base::Message(status)),
                 "reduce the stacks with a filter such as --only or --recursion"},
                kFailed);
}

}  // namespace

void FlameCommand::Define(CLI::App* app) {
  source_.DefineInputs(app, &paths_);
  app->add_flag("--once", once_, "print once and exit (default without a terminal)");
  app->add_flag("--diff", is_diff_, "compare the two profiles given as paths, as one merged tree");
  app->add_option("--width", width_words_,
                  "columns (default: terminal width, or 100); with --diff also which side sets the "
                  "frame width: union, before or after (default union)")
      ->type_name("WIDTH")
      ->allow_extra_args(false);
  app->add_option("--depth", depth_, "maximum rows; 0 is all (default 0)");
  app->add_option("--search", search_text_, "highlight functions matching this regular expression")
      ->type_name("RE");
  comparison_.DefineFlags(app);
  source_.DefineFlags(app);
  app->footer(
      "Keys: arrows move, Enter zooms in, Backspace out, Home resets, / searches, n next match,\n"
      "q quits.\n"
      "With --diff, frames are orange for more, blue for less and grey within noise, and start "
      "with\n"
      "+ when new, - when gone, > for more and < for less. --before, --after, --norm and the\n"
      "request counts work as in diff.\n\n"
      "Examples:\n"
      "  flarestack flame cpu.pb.gz\n"
      "  flarestack flame --once --width 120 --from-frame ServeHTTP cpu.pb.gz\n"
      "  flarestack flame --diff before.pb.gz after.pb.gz\n"
      "  perf script | flarestack flame --once -");
}

// A number is the width in columns, a word selects what box widths represent.
int FlameCommand::ReadWidths() {
  static const std::map<std::string_view, FlameWidth> kNames = {{"union", FlameWidth::kUnion},
                                                                {"before", FlameWidth::kBefore},
                                                                {"after", FlameWidth::kAfter}};
  for (const std::string& word : width_words_) {
    if (const auto name = kNames.find(word); name != kNames.end()) {
      basis_ = name->second;
      has_basis_ = true;
      continue;
    }
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, columns_);
    if (error != std::errc() || rest != end || columns_ < kColumnsMin || columns_ > kColumnsMax) {
      return Report(
          {fmt::format("invalid --width {}", word),
           fmt::format("expected a number of columns, {} to {}, or union, before or after",
                       kColumnsMin, kColumnsMax),
           ""},
          kUsage);
    }
  }
  return kSuccess;
}

int FlameCommand::Run() {
  int code = ReadWidths();
  if (code != kSuccess)
    return code;
  if (!search_text_.empty()) {
    search_ = ReadPattern(search_text_, "invalid --search", &code);
    if (!search_.has_value())
      return code;
  }
  if (is_diff_)
    return RunDiff();
  if (has_basis_ || comparison_.is_requested()) {
    return Report({"nothing to compare", "comparison flags need --diff",
                   "flarestack flame --diff BEFORE AFTER"},
                  kUsage);
  }
  return RunOne();
}

int FlameCommand::RunOne() {
  int code = kSuccess;
  const std::optional<LoadedStacks> stacks = source_.Load(paths_, &code);
  if (!stacks.has_value())
    return code;
  if (stacks->set.rows.empty()) {
    Show(Bold(Headline(*stacks)) + "\n");
    return PrintLink(LinkOf(*stacks, SearchOnPage()));
  }
  const auto tree = query::StackTree(stacks->set);
  if (!tree.ok())
    return CannotMakeTree(tree.status());
  const CostStyle style(*tree, stacks->set.unit);
  const int drawn = Draw(FlameView(*tree, style), {Headline(*stacks)});
  PrintLink(LinkOf(*stacks, SearchOnPage()));
  return drawn;
}

int FlameCommand::RunDiff() {
  const bool is_link = paths_.size() == 1 && IsPageLink(paths_[0]);
  if (paths_.size() != 2 && !is_link) {
    return Report(
        {"cannot compare", fmt::format("--diff needs two profiles, not {}", paths_.size()),
         "flarestack flame --diff BEFORE AFTER"},
        kUsage);
  }
  int code = kSuccess;
  const std::optional<ComparedStacks> both =
      comparison_.Load(paths_[0], is_link ? "" : paths_[1], &source_, &code);
  if (!both.has_value())
    return code;
  const auto trees =
      query::CompareTrees({.before = both->before.set, .after = both->after.set}, both->diff);
  if (!trees.ok())
    return CannotMakeTree(trees.status());
  const WidthTree widths = MakeWidthTree(*trees, both->diff.scale, basis_);
  const DiffStyle style(widths, *trees, both->diff);
  const int drawn =
      Draw(FlameView(widths.tree, style),
           {DiffHeadline(both->diff),
            fmt::format("{}; {}", NormText(both->diff.norm), NoiseTestText(both->diff)),
            style.Legend()});
  PageValues values = SearchOnPage();
  if (basis_ != FlameWidth::kUnion)
    values.emplace_back("w", basis_ == FlameWidth::kBefore ? "a" : "b");
  PrintLink(LinkOf(*both, std::move(values)));
  return drawn;
}

PageValues FlameCommand::SearchOnPage() const {
  return search_text_.empty() ? PageValues{} : PageValues{{"s", fmt::format("/{}/", search_text_)}};
}

int FlameCommand::Draw(const FlameView& view, const std::vector<std::string>& head) {
  FlameState state;
  state.search = search_;
  const bool is_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (is_terminal && !once_)
    return RunFlameScreen(view, std::move(state), head);
  const size_t terminal_width = TerminalWidth();
  const FlameLook look = {.width = columns_ != 0
                                       ? columns_
                                       : (terminal_width != 0 ? terminal_width : kColumnsElsewhere),
                          .rows_max = depth_,
                          .use_colour = UseColour()};
  std::string text = Bold(head.front()) + "\n";
  for (size_t i = 1; i < head.size(); ++i)
    text += Dim(head[i]) + "\n";
  const std::vector<std::string> lines = view.Lines(state, look);
  for (const std::string& line : lines)
    text += line + "\n";
  const size_t row_count = view.RowCount(0, look.width);
  if (lines.size() < row_count)
    text += fmt::format("... {} more rows (use --depth 0 for all)\n", row_count - lines.size());
  Show(text);
  return kSuccess;
}

std::unique_ptr<Command> MakeFlameCommand() { return std::make_unique<FlameCommand>(); }

}  // namespace flarestack::cli
