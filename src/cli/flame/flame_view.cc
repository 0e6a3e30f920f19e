// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/terminal/terminal.h"

namespace flarestack::cli {
namespace {

constexpr int kMatchColour = 141;

}  // namespace

FlameView::FlameView(const model::CallTree& tree, const FlameStyle& style)
    : tree_(tree), style_(style), children_(tree.nodes.size()) {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const model::Slice slice = tree.nodes[i].children;
    std::vector<uint32_t>& children = children_[i];
    for (uint32_t child = slice.begin; child < slice.end(); ++child) {
      if (tree.nodes[child].total > 0)
        children.push_back(child);
    }
    // Stable: equal children stay sorted by name.
    std::ranges::stable_sort(children, std::greater(),
                             [&](uint32_t child) { return tree.nodes[child].total; });
  }
}

// Rounds each edge once, so that neighbours touch and children stay within their parent.
std::vector<FlameView::Row> FlameView::Layout(uint32_t zoom, size_t width) const {
  std::vector<Row> rows;
  for (uint32_t node = zoom; node != 0; node = ParentOf(node))
    rows.push_back({{.node = node, .begin = 0, .end = width}});
  std::ranges::reverse(rows);
  if (zoom == 0)
    rows.push_back({{.node = 0, .begin = 0, .end = width}});
  const auto whole = static_cast<double>(tree_.nodes[zoom].total);
  struct Span {
    uint32_t node;
    double begin;
  };
  std::vector<Span> level = {{.node = zoom, .begin = 0}};
  while (whole > 0) {
    std::vector<Span> next;
    Row row;
    for (const Span& span : level) {
      double at = span.begin;
      for (const uint32_t child : children_[span.node]) {
        const double end =
            at + static_cast<double>(tree_.nodes[child].total) / whole * static_cast<double>(width);
        const auto first = static_cast<size_t>(std::lround(at));
        const auto last = std::min(width, static_cast<size_t>(std::lround(end)));
        if (last > first) {
          row.push_back({.node = child, .begin = first, .end = last});
          next.push_back({.node = child, .begin = at});
        }
        at = end;
      }
    }
    if (row.empty())
      break;
    rows.push_back(std::move(row));
    level = std::move(next);
  }
  return rows;
}

uint32_t FlameView::RowCount(uint32_t zoom, size_t width) const {
  return static_cast<uint32_t>(Layout(zoom, width).size());
}

std::vector<std::string> FlameView::Lines(const FlameState& state, const FlameLook& look) const {
  const std::vector<Row> rows = Layout(state.zoom, look.width);
  std::vector<std::string> lines;
  for (size_t i = state.first_row; i < rows.size(); ++i) {
    if (look.rows_max != 0 && lines.size() == look.rows_max)
      break;
    lines.push_back(Line(rows[i], state, look));
  }
  return lines;
}

std::string FlameView::Line(const Row& row, const FlameState& state, const FlameLook& look) const {
  std::string line;
  size_t column = 0;
  for (const Box& box : row) {
    line.append(box.begin - column, ' ');
    line += BoxText(box, state, look);
    column = box.end;
  }
  return line;
}

std::string FlameView::BoxText(const Box& box, const FlameState& state,
                               const FlameLook& look) const {
  const std::string& name = box.node == 0 ? "all" : tree_.FrameOf(tree_.nodes[box.node]).name;
  const bool is_match = box.node != 0 && state.search.has_value() && state.search->IsIn(name);
  const bool is_cursor = look.show_cursor && box.node == state.cursor;
  const size_t width = box.end - box.begin;
  // The first column is the edge of the box. Names shorter than three letters are not useful.
  constexpr size_t kNameWidthMin = 3;
  const char fill = look.use_colour ? ' ' : style_.fill();
  std::string text(1, is_match && !look.use_colour ? '#' : style_.EdgeOf(box.node));
  if (width - 1 >= kNameWidthMin || Columns(name) <= width - 1) {
    const std::string fitted = Fit(name, width - 1);
    text += fitted;
    text.append(width - 1 - Columns(fitted), fill);
  } else {
    text.append(width - 1, fill);
  }
  if (is_cursor)
    return fmt::format("\x1b[7m{}\x1b[0m", text);
  if (!look.use_colour)
    return text;
  return fmt::format("\x1b[48;5;{};38;5;16m{}\x1b[0m",
                     is_match ? kMatchColour : style_.ColourOf(box.node), text);
}

}  // namespace flarestack::cli
