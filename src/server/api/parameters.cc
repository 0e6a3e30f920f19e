// SPDX-License-Identifier: Apache-2.0
#include "server/api/parameters.h"

#include <charconv>

#include "base/status.h"
#include "base/text/encoding.h"
#include "query/scope/time_expression.h"

namespace flarestack::server::api {
namespace {

constexpr Parameter kSelector = {
    .name = "q", .summary = "selector over attributes, such as {service.name=\"cart\"}"};
constexpr Parameter kFrom = {.name = "from",
                             .summary = "start time: relative (now-1h), RFC 3339, or Unix time",
                             .fallback = "now-1h"};
constexpr Parameter kTo = {
    .name = "to", .summary = "end time, exclusive, same format as `from`", .fallback = "now"};

}  // namespace

std::vector<Parameter> RangeParameters(std::initializer_list<Parameter> more) {
  std::vector<Parameter> parameters = {kSelector, kFrom, kTo};
  parameters.insert(parameters.end(), more);
  return parameters;
}

std::vector<Parameter> ScopeParameters(std::initializer_list<Parameter> more) {
  std::vector<Parameter> parameters = RangeParameters(
      {{.name = "type", .summary = "profile type: cpu, offcpu, alloc_space, or name:unit"},
       {.name = "f",
        .kind = Parameter::Kind::kTexts,
        .summary = "filter step, such as only:parse, or internals to show interpreter frames; "
                   "repeatable, applied in order"},
       {.name = "trace", .summary = "only samples of this trace"},
       {.name = "span", .summary = "only samples of this span of the trace"},
       {.name = "spanscope",
        .summary =
            "self; children: with child spans in its process; thread: whole thread during the span",
        .fallback = "self"},
       {.name = "spanname", .summary = "only samples of spans with this name"},
       kScratch});
  parameters.insert(parameters.end(), more);
  return parameters;
}

absl::StatusOr<uint64_t> ReadTime(const Call& call, std::optional<std::string_view> text,
                                  TimeDefault fallback, std::string_view begin) {
  const bool is_begin = fallback == TimeDefault::kBegin;
  if (!text.has_value() && call.data.range.has_value())
    return is_begin ? call.data.range->from : call.data.range->to;
  return query::ParseTime(text.value_or(is_begin ? begin : "now"), call.now_nanos);
}

absl::StatusOr<store::TimeRange> ReadRange(const Call& call, std::string_view from) {
  store::TimeRange range;
  FLARE_ASSIGN(range.from, ReadTime(call, call.Find("from"), TimeDefault::kBegin, from));
  FLARE_ASSIGN(range.to, ReadTime(call, call.Find("to"), TimeDefault::kEnd));
  if (range.from >= range.to)
    return absl::InvalidArgumentError("`from` must be before `to`");
  return range;
}

absl::StatusOr<std::vector<store::Matcher>> ReadSelector(const Call& call) {
  return store::ParseSelector(call.Text("q"));
}

absl::StatusOr<uint64_t> ReadNumber(const Call& call, std::string_view name, NumberBounds bounds) {
  const auto text = call.Find(name);
  if (!text.has_value())
    return bounds.fallback;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < bounds.min ||
      number > bounds.max) {
    return absl::InvalidArgumentError(
        base::StrCat("`", name, "` must be a number from ", bounds.min, " to ", bounds.max));
  }
  return number;
}

absl::StatusOr<uint64_t> ReadDuration(const Call& call, std::string_view name,
                                      std::string_view fallback) {
  const auto duration = query::ParseDuration(call.Text(name, fallback));
  return duration.ok() ? duration
                       : base::WithContext(base::StrCat("`", name, "`"), duration.status());
}

absl::StatusOr<TextOrPattern> ReadTextOrPattern(const Call& call, std::string_view name) {
  const std::string_view text = call.Text(name);
  if (text.size() < 2 || !text.starts_with('/') || !text.ends_with('/'))
    return TextOrPattern{.text = std::string(text), .pattern = std::nullopt};
  auto pattern = base::Pattern::Make(text.substr(1, text.size() - 2));
  if (!pattern.ok())
    return base::WithContext(base::StrCat("`", name, "`"), pattern.status());
  return TextOrPattern{.text = {}, .pattern = *std::move(pattern)};
}

absl::StatusOr<std::string> ReadId(std::string_view text, size_t bytes, std::string_view what) {
  if (text.empty())
    return std::string();
  std::optional<std::string> id = base::HexDecode(text);
  if (!id.has_value() || id->size() != bytes) {
    return absl::InvalidArgumentError(
        base::StrCat(what, " must be ", bytes * 2, " hexadecimal digits"));
  }
  return *std::move(id);
}

}  // namespace flarestack::server::api
