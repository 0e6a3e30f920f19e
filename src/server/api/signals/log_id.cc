// SPDX-License-Identifier: Apache-2.0
#include "server/api/signals/log_id.h"

#include <fmt/format.h>

#include <charconv>

#include "base/clock.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text/text.h"
#include "query/traces/span_tree.h"
#include "server/api/value_json.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kIdDigits = 32;
constexpr size_t kTimeDigits = 16;
constexpr size_t kRecordsOfOneTimeMax = 10'000;

absl::StatusOr<uint64_t> TimeOf(std::string_view id) {
  uint64_t time = 0;
  const bool has_digits =
      id.size() == kIdDigits && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (has_digits)
    std::from_chars(id.data(), id.data() + kTimeDigits, time, 16);
  if (!has_digits || time == UINT64_MAX)
    return absl::InvalidArgumentError("`log` must be the `id` of a record");
  return time;
}

// A minute around a record.
store::TimeRange Around(uint64_t time) {
  constexpr uint64_t kHalf = base::kNanosPerMinute / 2;
  return {.from = time < kHalf ? 0 : time - kHalf,
          .to = time > UINT64_MAX - kHalf ? UINT64_MAX : time + kHalf};
}

}  // namespace

std::string LogId(const model::LogBatch& batch, const model::LogRecord& record) {
  std::string text =
      base::StrCat(static_cast<int32_t>(record.severity_number), "\n", record.trace_id, "\n",
                   record.span_id, "\n", record.event_name, "\n");
  text += ValueJson(batch, record.body).dump();
  text += AttributesJson(batch, record.attributes).dump();
  return fmt::format("{:016x}{:016x}", record.time_unix_nano,
                     base::Hash64(text.data(), text.size()));
}

absl::StatusOr<query::Links> LinksOfLog(const query::DataSource& source, std::string_view id,
                                        const query::ReadLimits& limits) {
  FLARE_ASSIGN(const uint64_t time, TimeOf(id));
  FLARE_ASSIGN(const store::SelectedLogs logs,
               source.SelectLogs({.range = {.from = time, .to = time + 1},
                                  .limit = kRecordsOfOneTimeMax,
                                  .try_reserve = limits.try_reserve}));
  for (const model::Resource& resource : logs.resources) {
    for (const model::ItemScope& scope : model::In(logs.scopes, resource.scopes)) {
      for (const model::LogRecord& record : model::In(logs.log_records, scope.items)) {
        if (LogId(logs, record) != id)
          continue;
        if (!record.trace_id.empty()) {
          return query::LinksOfSpan(
              source,
              {.trace_id = std::string(record.trace_id), .span_id = std::string(record.span_id)},
              limits);
        }
        query::ProfileScope scope_of_log;
        scope_of_log.range = Around(time);
        const std::string service = query::ServiceName(logs, resource);
        FLARE_ASSIGN(store::Matcher matcher,
                     store::Matcher::Make("service.name", store::Matcher::Kind::kEqual, service));
        scope_of_log.matchers.push_back(std::move(matcher));
        return query::LinksOfTime(source, "", scope_of_log, limits);
      }
    }
  }
  return absl::NotFoundError("no log record has this id");
}

}  // namespace flarestack::server::api
