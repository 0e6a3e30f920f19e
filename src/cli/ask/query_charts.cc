// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/query_charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.h"

namespace flarestack::cli {
namespace {

using Kind = QueryColumn::Kind;

constexpr size_t kSparklineWidth = 40;

std::string NameOf(const Chart& chart, const Json& line) {
  if (IsTrue(At(line, chart.rest)))
    return "(others)";
  const std::string name = PairsText(At(line, chart.key));
  return name.empty() ? "(all)" : name;
}

int64_t TimeOf(const Chart& chart, size_t step) {
  return base::SaturatingAdd(chart.from,
                             base::SaturatingMultiply(static_cast<int64_t>(step), chart.step));
}

QueryTable ForPeople(const Chart& chart) {
  QueryTable table({{"line"}, {"smallest"}, {"largest"}, {"last"}, {"over time"}});
  for (const Json& line : chart.lines) {
    const Json& values = At(line, "values");
    bool is_known = false;
    double smallest = 0;
    double largest = 0;
    double last = 0;
    for (const Json& value : values) {
      if (!value.is_number())
        continue;
      last = NumberOf(value);
      smallest = is_known ? std::min(smallest, last) : last;
      largest = is_known ? std::max(largest, last) : last;
      is_known = true;
    }
    const auto text = [&](double value) { return is_known ? chart.value_text(value) : ""; };
    table.Add({NameOf(chart, line), text(smallest), text(largest), text(last),
               Sparkline(values, kSparklineWidth)});
  }
  const size_t steps = At(At(chart.lines, size_t{0}), "values").size();
  table.set_headline(fmt::format("{}: {} to {}, a value for each {}", chart.headline,
                                 TimeText(chart.from), TimeText(TimeOf(chart, steps)),
                                 DurationText(chart.step)));
  return table;
}

}  // namespace

QueryTable ChartTable(const Chart& chart, TableFor reader) {
  if (reader == TableFor::kPeople)
    return ForPeople(chart);
  QueryTable table({{"time", Kind::kTime}, {"line"}, {"value", Kind::kNumber}});
  for (const Json& line : chart.lines) {
    const std::string name = NameOf(chart, line);
    const Json& values = At(line, "values");
    for (size_t i = 0; i < values.size(); ++i) {
      if (const Json& value = At(values, i); value.is_number())
        table.Add({TimeOf(chart, i), name, value});
    }
  }
  return table;
}

}  // namespace flarestack::cli
