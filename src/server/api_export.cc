// SPDX-License-Identifier: Apache-2.0
#include "server/api_export.h"

#include "base/status.h"
#include "codec/registry.h"
#include "query/time_expression.h"
#include "server/api_error.h"

namespace flarestack::server {
namespace {

constexpr std::string_view kTooLargeHint =
    "ask for a shorter time, fewer series, or a format without times such as folded; or try "
    "again when less is going on";

std::string FormatNames() {
  std::string names;
  for (const codec::Writer* writer : codec::Writers())
    base::StrAppend(&names, names.empty() ? "" : ", ", writer->name);
  return names;
}

std::string_view ContentType(const codec::Writer& writer) {
  if (writer.name == "svg")
    return "image/svg+xml";
  if (writer.name == "csv")
    return "text/csv; charset=utf-8";
  if (writer.name == "otlp-json" || writer.name == "speedscope")
    return "application/json";
  return writer.is_binary ? "application/octet-stream" : "text/plain; charset=utf-8";
}

absl::StatusOr<store::ProfileQuery> ReadQuery(const net::HttpRequest& request, uint64_t now_nanos) {
  const auto text = [&](std::string_view name, std::string_view otherwise) {
    return request.query.Find(name).value_or(otherwise);
  };
  store::ProfileQuery query;
  FLARE_ASSIGN(query.series.matchers, store::ParseSelector(text("q", "")));
  query.series.types = store::SampleTypesFor(text("type", ""));
  FLARE_ASSIGN(query.range.from, query::ParseTime(text("from", "now-1h"), now_nanos));
  FLARE_ASSIGN(query.range.to, query::ParseTime(text("to", "now"), now_nanos));
  if (query.range.from >= query.range.to)
    return absl::InvalidArgumentError("`from` must be before `to`");
  return query;
}

}  // namespace

net::HttpResponse ExportProfiles(store::Store* store, base::ByteBudget* budget,
                                 const net::HttpRequest& request, uint64_t now_nanos) {
  const std::string_view format = request.query.Find("format").value_or("otlp");
  const codec::Writer* writer = codec::FindWriter(format);
  if (writer == nullptr) {
    return ApiError(absl::InvalidArgumentError(base::StrCat("no format \"", format, "\"")),
                    base::StrCat("one of ", FormatNames()));
  }
  auto query = ReadQuery(request, now_nanos);
  if (!query.ok())
    return ApiError(query.status());
  // What holds no time needs none read.
  query->detail = writer->holds_one_sample_type ? store::Detail::kSums : store::Detail::kSamples;
  if (const auto detail = request.query.Find("detail"); detail.has_value()) {
    if (*detail != "sums" && *detail != "samples") {
      return ApiError(absl::InvalidArgumentError(base::StrCat("no detail \"", *detail, "\"")),
                      "sums or samples");
    }
    query->detail = *detail == "sums" ? store::Detail::kSums : store::Detail::kSamples;
  }
  base::ByteLease lease(budget);
  query->may_hold = [&](uint64_t bytes) { return lease.GrowTo(bytes); };
  const auto batch = store->SelectProfiles(*query);
  if (!batch.ok()) {
    return ApiError(batch.status(),
                    absl::IsResourceExhausted(batch.status()) ? kTooLargeHint : std::string_view());
  }
  if (batch->profiles.empty()) {
    return ApiError(absl::NotFoundError("no profile matches"),
                    "widen the time range, or look at the selector and the type");
  }
  net::HttpResponse response;
  base::Warnings warnings;
  codec::WriteOptions options;
  options.warnings = &warnings;
  const absl::Status status = writer->write(*batch, options, [&](std::string_view bytes) {
    if (!lease.Grow(bytes.size()))
      return absl::ResourceExhaustedError("there is no memory for an answer of this size");
    response.body += bytes;
    return absl::OkStatus();
  });
  if (!status.ok())
    return ApiError(status, absl::IsResourceExhausted(status) ? kTooLargeHint : std::string_view());
  response.headers.Set("Content-Type", std::string(ContentType(*writer)));
  return response;
}

}  // namespace flarestack::server
