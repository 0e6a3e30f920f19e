// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <chrono>

#include "base/status.h"
#include "query/stacks/stack_set_batch.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/ui/formats.h"
#include "server/ui/html_writer.h"

namespace flarestack::server::api {
namespace {

constexpr std::string_view kTooLargeHint =
    "use a shorter time range, fewer series or a format without timestamps such as folded; or "
    "retry later";

std::string_view ContentType(const codec::Writer& writer) {
  if (writer.name == "svg")
    return "image/svg+xml";
  if (writer.name == kHtmlWriter.name)
    return "text/html; charset=utf-8";
  if (writer.name == "csv")
    return "text/csv; charset=utf-8";
  if (writer.name == "otlp-json" || writer.name == "speedscope")
    return "application/json";
  return writer.is_binary ? "application/octet-stream" : "text/plain; charset=utf-8";
}

absl::Status TooLarge(const absl::Status& status) {
  return absl::IsResourceExhausted(status) ? WithHint(status, kTooLargeHint) : status;
}

absl::Status Late() {
  return WithHint(absl::DeadlineExceededError("exporting the profiles timed out"),
                  "use a shorter time range or fewer series, or raise `timeout`, up to 30m");
}

absl::StatusOr<store::Detail> ReadDetail(const Call& call, const codec::Writer& writer,
                                         bool is_filtered) {
  const std::string_view detail =
      call.Text("detail", writer.holds_events && !is_filtered ? "samples" : "merged");
  if (detail == "merged")
    return store::Detail::kMerged;
  if (is_filtered) {
    return WithHint(absl::InvalidArgumentError("filter steps need merged stacks"),
                    "omit `detail` or `f`");
  }
  if (detail == "sums")
    return store::Detail::kSums;
  if (detail == "samples")
    return store::Detail::kSamples;
  return WithHint(absl::InvalidArgumentError(base::StrCat("unknown detail \"", detail, "\"")),
                  "merged, sums or samples");
}

// The stacks of one type that pass the filter. Fails if the read is partial: a file cannot show
// that it is incomplete.
absl::StatusOr<model::Batch> ReadFiltered(query::ProfileScope scope, ScopeReader* reader) {
  scope.filter.ShowInternals();
  FLARE_ASSIGN(const query::ScopeStacks stacks, reader->Stacks(scope));
  if (!stacks.extent.missing.empty())
    return Late();
  return query::ToBatch(stacks.set, scope.range.from);
}

absl::StatusOr<model::Batch> ReadAll(const Call& call, const query::ProfileScope& scope,
                                     const codec::Writer& writer, store::Detail detail,
                                     ScopeReader* reader) {
  const query::ReadLimits limits = reader->Limits();
  query::ReadExtent extent;
  store::ProfileQuery query = query::QueryFor(scope, limits, &extent);
  query.detail = detail;
  query.may_have_orphans = !writer.holds_events;  // these formats skip orphans
  FLARE_ASSIGN(model::Batch batch, call.source().SelectProfiles(query));
  if (!extent.missing.empty())
    return Late();
  return batch;
}

absl::StatusOr<Answer> Export(Call& call) {
  const std::string_view format = call.Text("format", "otlp");
  const codec::Writer* writer = FindWriter(format);
  if (writer == nullptr) {
    return WithHint(absl::InvalidArgumentError(base::StrCat("unknown format \"", format, "\"")),
                    base::StrCat("one of ", WriterNames()));
  }
  if (writer == &kHtmlWriter && !CanWriteHtml()) {
    return WithHint(absl::NotFoundError("this server was built without the web UI"),
                    "another format, such as svg");
  }
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  const bool is_filtered = !scope.filter.empty();
  FLARE_ASSIGN(const store::Detail detail, ReadDetail(call, *writer, is_filtered));
  ScopeReader reader(call);
  const auto batch =
      is_filtered ? ReadFiltered(scope, &reader) : ReadAll(call, scope, *writer, detail, &reader);
  if (!batch.ok())
    return TooLarge(batch.status());
  if (batch->profiles.empty()) {
    return WithHint(absl::NotFoundError("no profile matches"),
                    "widen the time range, or check the selector and the type");
  }
  Answer response;
  base::ByteLease lease(call.budget);
  base::Warnings warnings;
  codec::WriteOptions options;
  options.warnings = &warnings;
  options.title = std::string(call.Text("q"));
  options.plain = detail == store::Detail::kMerged;
  options.compresses_quickly = true;
  const absl::Status status = writer->write(*batch, options, [&](std::string_view bytes) {
    if (!call.report({}))
      return Late();
    if (!lease.Grow(bytes.size()))
      return absl::ResourceExhaustedError("not enough memory for a response of this size");
    response.bytes += bytes;
    return absl::OkStatus();
  });
  if (!status.ok())
    return TooLarge(status);
  response.content_type = ContentType(*writer);
  return response;
}

}  // namespace

std::vector<Endpoint> ExportEndpoints() {
  Endpoint endpoint = {
      .path = "/export",
      .summary = "merged profiles of a time range, in any format",
      .parameters = ScopeParameters(
          {{.name = "timeout",
            .summary = "timeout, at most 30m; an export is never partial",
            .fallback = "5m"},
           {.name = "format", .summary = "format of the response", .fallback = "otlp"},
           {.name = "detail",
            .summary = "merged: one value per stack; sums: one per stack and series; samples: "
                       "every event (default for otlp and otlp-json)"}}),
      .media_types = {"application/octet-stream", "application/json", "text/plain", "text/csv",
                      "image/svg+xml", "text/html"},
      .handler = Export,
      .timeout = "5m",
      .timeout_max = std::chrono::minutes(30)};
  return {endpoint};
}

}  // namespace flarestack::server::api
