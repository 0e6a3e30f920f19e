// SPDX-License-Identifier: Apache-2.0
#include "cli/output/top_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/human_value.h"
#include "cli/output/frame_place.h"
#include "cli/terminal/terminal.h"

namespace flarestack::cli {

std::string TopText(const std::string& headline, const query::StackSet& set,
                    const std::vector<query::TopRow>& rows, const TopTextSize& size) {
  const int64_t total = set.Total();
  std::string text = Bold(headline) + "\n";
  text += Dim(fmt::format("{:>11} {:>8}  {:>11} {:>8}  {}", "self", "", "total", "", "function")) +
          "\n";
  constexpr size_t kNumberColumns = 44;
  const size_t width = size.width;
  const size_t shown = size.rows;
  for (const query::TopRow& row : std::span(rows).first(shown)) {
    const std::string place = FramePlace(set.table, row.frame);
    const size_t room =
        width == 0 ? 0 : std::max<size_t>(width, kNumberColumns + 20) - kNumberColumns;
    std::string name(set.table.FunctionOf(row.frame));
    if (!place.empty()) {
      const size_t name_room = room > place.size() + 12 ? room - place.size() - 2 : room;
      name = FitName(name, name_room);
      if (room == 0 || room > place.size() + 12)
        name += "  " + Dim(place);
    } else {
      name = FitName(name, room);
    }
    text += fmt::format("{:>11} {:>8}  {:>11} {:>8}  {}\n", base::HumanValue(row.self, set.unit),
                        base::Percent(row.self, total), base::HumanValue(row.total, set.unit),
                        base::Percent(row.total, total), name);
  }
  if (shown < rows.size())
    text += fmt::format("... {} more (use -n 0 for all)\n", rows.size() - shown);
  return text;
}

}  // namespace flarestack::cli
