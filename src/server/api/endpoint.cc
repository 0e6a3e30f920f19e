// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoint.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/cord.h"
#include "base/compress/compress.h"
#include "base/hash.h"
#include "base/status.h"
#include "server/api/error.h"
#include "server/api/event_stream.h"
#include "server/api/parameters.h"
#include "server/api/read_bounds.h"
#include "server/api/scratch.h"
#include "server/tenants/scratch_uploads.h"
#include "server/tenants/tenants.h"

namespace flarestack::server::api {
namespace {

constexpr char kHintPayload[] = "flarestack.hint";
constexpr size_t kWorthCompressing = 1024;

absl::Status CheckParameters(const Endpoint& endpoint, const net::HttpRequest& request) {
  for (const auto& [name, value] : request.query) {
    const auto known = std::ranges::find(endpoint.parameters, name, &Parameter::name);
    if (known == endpoint.parameters.end()) {
      std::string names;
      for (const Parameter& parameter : endpoint.parameters)
        base::StrAppend(&names, names.empty() ? "" : ", ", parameter.name);
      return WithHint(
          absl::InvalidArgumentError(base::StrCat("unknown parameter \"", name, "\" here")),
          names.empty() ? "there are no parameters" : base::StrCat("known: ", names));
    }
    if (known->kind != Parameter::Kind::kTexts && request.query.FindAll(name).size() > 1)
      return absl::InvalidArgumentError(base::StrCat("\"", name, "\" is given more than once"));
  }
  return absl::OkStatus();
}

// Identical requests for identical data get the same ETag. `now` is part of it if the time range is
// relative.
std::string EtagFor(const Call& call, uint64_t watermark) {
  std::string key = base::StrCat(call.request.path, "\n", watermark, "\n");
  if (call.baseline.has_value())
    base::StrAppend(&key, call.baseline->source->Watermark(), "\n");
  bool is_relative = false;
  for (const auto& [name, value] : call.request.query) {
    base::StrAppend(&key, name.size(), " ", name, value.size(), " ", value, "\n");
    is_relative |= value.find("now") != std::string::npos;
  }
  const bool has_range = call.Find("from").has_value() && call.Find("to").has_value();
  if (is_relative || !has_range)
    base::StrAppend(&key, call.now_nanos);
  base::StrAppend(&key, "\n", call.request.headers.Get("Accept"), "\n",
                  call.request.headers.Get(kTenantHeader));
  return base::StrCat("\"", base::HashContent(key).ToHex().substr(0, 20), "\"");
}

bool AcceptsGzip(const net::HttpRequest& request) {
  return request.headers.Get("Accept-Encoding").find("gzip") != std::string_view::npos;
}

void CompressBody(const net::HttpRequest& request, net::HttpResponse* response) {
  if (response->body.size() < kWorthCompressing || !AcceptsGzip(request) ||
      base::LooksLikeGzip(response->body))
    return;
  response->body = base::GzipQuickly(response->body);
  response->headers.Set("Content-Encoding", "gzip");
}

Json MetaOf(const Scanned& scanned, uint64_t watermark, double took_ms,
            std::string_view request_id) {
  Json meta = {{"watermark", watermark},
               {"partial", !scanned.missing.empty()},
               {"scanned", {{"parts", scanned.parts}, {"samples", scanned.samples}}},
               {"took_ms", took_ms},
               {"request_id", request_id}};
  if (!scanned.missing.empty())
    meta["missing"] = scanned.missing;
  return meta;
}

// `scratch` is the id of an upload. If it is empty, uses the stored data of the tenant.
absl::StatusOr<DataSet> FindData(const RunOptions& options, const Call& call,
                                 std::string_view scratch) {
  if (scratch.empty())
    return options.find_data(call.tenant);
  FLARE_ASSIGN(const auto upload,
               FindUpload(options.scratch, {call.tenant, scratch}, call.now_nanos));
  return DataSet{.store = upload->store.get(),
                 .names = upload->names.get(),
                 .notes = upload->store.get(),
                 .range = upload->range,
                 .hold = upload,
                 .default_type = upload->default_type};
}

absl::Status FillIn(const Endpoint& endpoint, const RunOptions& options, Call* call) {
  FLARE_RETURN_IF_ERROR(CheckParameters(endpoint, call->request));
  FLARE_ASSIGN(call->tenant, options.find_tenant(call->request));
  FLARE_ASSIGN(call->data, FindData(options, *call, call->Text(kScratchParameter)));
  if (const auto baseline = call->Find(kBaselineScratchParameter)) {
    FLARE_ASSIGN(call->baseline, FindData(options, *call, *baseline));
  }
  if (options.find_symbols != nullptr) {
    FLARE_ASSIGN(call->symbols, options.find_symbols(call->tenant, endpoint.method == "PUT"));
  }
  return absl::OkStatus();
}

// The response before compression.
net::HttpResponse ResponseOf(Answer answer, Json meta) {
  net::HttpResponse response;
  if (!answer.location.empty())
    response.headers.Set("Location", std::move(answer.location));
  if (answer.content_type.empty()) {
    if (!answer.empty.is_null())
      answer.json["empty"] = std::move(answer.empty);
    answer.json["meta"] = std::move(meta);
    // Names come from outside and may be invalid UTF-8, which JSON cannot represent.
    response.body = answer.json.dump(-1, ' ', false, Json::error_handler_t::replace);
    response.body += '\n';
    response.headers.Set("Content-Type", "application/json");
    return response;
  }
  response.body = std::move(answer.bytes);
  response.headers.Set("Content-Type", std::move(answer.content_type));
  if (!answer.empty.is_null())
    meta["empty"] = std::move(answer.empty);
  // Header values must be ASCII.
  response.headers.Set("Flarestack-Meta", meta.dump(-1, ' ', true, Json::error_handler_t::replace));
  return response;
}

constexpr std::string_view kLateHint = "shorten the range, add a condition, or raise `timeout`";

// A stopped read returns the data read so far, so mark the answer as partial. Drop `empty`: the
// data may exist and only not have been read.
absl::StatusOr<Answer> MarkStopped(absl::StatusOr<Answer> answer, const ReadBounds& bounds) {
  const auto stop = bounds.stop();
  if (!stop.has_value())
    return answer;
  if (*stop == ReadBounds::Stop::kClientGone)
    return absl::CancelledError("the client disconnected");
  if (!answer.ok() && absl::IsDeadlineExceeded(answer.status()))
    return answer;
  if (!answer.ok())
    return WithHint(absl::DeadlineExceededError("reading the data timed out"), kLateHint);
  answer->empty = Json();
  answer->json.erase("empty");
  if (answer->scanned.missing.empty())
    answer->scanned.missing = base::StrCat("not read in time: ", kLateHint);
  return answer;
}

void CountStop(const absl::StatusOr<Answer>& answer, const ReadBounds& bounds,
               base::Counters* counters) {
  if (counters == nullptr)
    return;
  auto stop = bounds.stop();
  // Profile reads check the deadline themselves.
  const bool is_part =
      answer.ok() ? !answer->scanned.missing.empty() : absl::IsDeadlineExceeded(answer.status());
  if (!stop.has_value() && is_part && ReadBounds::Clock::now() >= bounds.deadline())
    stop = ReadBounds::Stop::kDeadline;
  if (stop.has_value())
    counters->Add("flarestack_reads_stopped_total", {{"reason", StopText(*stop)}}, 1);
}

net::HttpResponse RunCall(const Endpoint& endpoint, const ReadBounds& bounds, Call& call,
                          base::Counters* counters) {
  const auto begin = std::chrono::steady_clock::now();
  // Read before the handler runs: data appended while it runs must change the next ETag.
  const uint64_t watermark = call.source().Watermark();
  const bool is_read = endpoint.method == "GET" && endpoint.has_etag;
  const std::string etag = is_read ? EtagFor(call, watermark) : "";
  if (is_read && call.request.headers.Get("If-None-Match") == etag) {
    net::HttpResponse unchanged;
    unchanged.status = 304;
    unchanged.headers.Set("ETag", etag);
    return unchanged;
  }
  absl::StatusOr<Answer> answer = MarkStopped(endpoint.handler(call), bounds);
  CountStop(answer, bounds, counters);
  if (!answer.ok())
    return ErrorResponse(answer.status(), &call.request);
  const std::string request_id = RequestId(&call.request);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  Json meta = MetaOf(answer->scanned, watermark, took.count(), request_id);
  const bool is_complete = answer->scanned.missing.empty();
  net::HttpResponse response = ResponseOf(*std::move(answer), std::move(meta));
  response.status = endpoint.status;
  // A partial response gets no ETag: the next one may be complete.
  if (is_read && is_complete)
    response.headers.Set("ETag", etag);
  response.headers.Set("X-Request-Id", request_id);
  response.headers.Set("Vary", base::StrCat("Accept, Accept-Encoding, ", kTenantHeader));
  return response;
}

net::HttpResponse Run(const Endpoint& endpoint, const RunOptions& options,
                      net::HttpRequest& request) {
  Call call = {.data = DataSet(),
               .budget = options.budget,
               .request = request,
               .now_nanos = options.now_nanos(),
               .scratch = options.scratch,
               .sources = options.sources,
               .health = options.health,
               .guide = options.guide};
  if (absl::Status status = FillIn(endpoint, options, &call); !status.ok())
    return ErrorResponse(status, &request);
  const auto timeout = ReadDuration(call, "timeout", endpoint.timeout);
  if (!timeout.ok())
    return ErrorResponse(timeout.status(), &request);
  const auto timeout_max = static_cast<uint64_t>(endpoint.timeout_max.count());
  call.deadline =
      ReadBounds::Clock::now() + std::chrono::nanoseconds(std::min(*timeout, timeout_max));
  const bool wants_events = WantsEvents(request);
  EventStream events(request.peer);
  ReadBounds bounds(
      call.deadline,
      [&](const store::ReadProgress& progress) {
        if (wants_events)
          return events.Report(progress);
        return request.peer == nullptr || !request.peer->IsGone();
      },
      options.budget);
  call.report = [&](const store::ReadProgress& progress) { return bounds.OnProgress(progress); };
  const auto source_of = [&](const DataSet& data) {
    return query::DataSource(
        {.store = data.store,
         .names = data.names,
         .on_progress = call.report,
         .try_reserve = [&](uint64_t bytes) { return bounds.TryReserve(bytes); }});
  };
  const query::DataSource source = source_of(call.data);
  call.data.source = &source;
  std::optional<query::DataSource> baseline;
  if (call.baseline.has_value()) {
    baseline.emplace(source_of(*call.baseline));
    call.baseline->source = &*baseline;
  }
  net::HttpResponse response = RunCall(endpoint, bounds, call, options.counters);
  if (wants_events)
    return events.Finish(std::move(response));
  CompressBody(request, &response);
  return response;
}

}  // namespace

absl::Status WithHint(absl::Status status, std::string_view hint) {
  status.SetPayload(kHintPayload, absl::Cord(std::string(hint)));
  return status;
}

std::string HintOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kHintPayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

net::HttpRoute MakeRoute(Endpoint endpoint, RunOptions options) {
  net::HttpRoute route;
  route.method = endpoint.method;
  route.pattern = base::StrCat(endpoint.prefix, endpoint.path);
  route.needed = endpoint.role;
  route.handler = [endpoint = std::move(endpoint), options = std::move(options)](
                      net::HttpRequest& request) { return Run(endpoint, options, request); };
  return route;
}

}  // namespace flarestack::server::api
