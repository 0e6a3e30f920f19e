// SPDX-License-Identifier: Apache-2.0
#include "cli/output/top_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/text/human_value.h"
#include "cli/terminal/terminal.h"
#include "query/stacks/frame_table.h"

namespace flarestack::cli {
namespace {

// The place of a frame, for the end of a row: "coupon.cc:88", "[libc.so.6]", or empty.
std::string FramePlace(const query::FrameTable& table, query::FrameId id) {
  const query::Frame& frame = table.At(id);
  const std::string_view file = table.Text(frame.file);
  if (file.empty()) {
    const std::string_view module = table.Text(frame.module);
    return module.empty() || module.starts_with('[') ? std::string(module)
                                                     : fmt::format("[{}]", module);
  }
  const std::string_view name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  return frame.line > 0 ? fmt::format("{}:{}", name, frame.line) : std::string(name);
}

}  // namespace

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
