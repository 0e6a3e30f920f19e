// SPDX-License-Identifier: Apache-2.0
#include "demo/request_writer.h"

#include "base/check.h"
#include "base/text/text.h"

namespace flarestack::demo {
namespace {

constexpr double kMicro = 1e3;
constexpr int64_t kOk = 200;

}  // namespace

RequestWriter::RequestWriter(uint32_t thread, Random* random) : thread_(thread), random_(random) {
  request_.trace_id = random_->Bytes(model::kTraceIdBytes);
}

void RequestWriter::Work(Code code, uint64_t ticks) {
  if (ticks == 0)
    return;
  const uint64_t duration = ticks * kTickNanos;
  span().stretches.push_back({.code = code, .start_nanos = clock_, .duration_nanos = duration});
  clock_ += duration;
}

void RequestWriter::Wait(Code code, uint64_t nanos) {
  if (nanos == 0)
    return;
  span().stretches.push_back({.code = code, .start_nanos = clock_, .duration_nanos = nanos});
  clock_ += nanos;
}

void RequestWriter::Open(const Process& process, std::string name, model::SpanKind kind) {
  Span opened = {.span_id = random_->Bytes(model::kSpanIdBytes),
                 .process = process,
                 .thread = thread_,
                 .name = std::move(name),
                 .kind = kind,
                 .start_nanos = clock_};
  if (!open_.empty())
    opened.parent = static_cast<int32_t>(open_.back());
  for (const Attribute& attribute : ThreadOf(process, thread_))
    opened.attributes.push_back(attribute);
  open_.push_back(request_.spans.size());
  request_.spans.push_back(std::move(opened));
  // A thread that wakes up first waits in the run queue.
  Wait(FactsOf(process.service).queued, static_cast<uint64_t>(random_->Spread(180 * kMicro)));
}

void RequestWriter::OpenServer(const Process& process, std::string_view method,
                               std::string_view route) {
  Open(process, base::StrCat(method, " ", route), model::SpanKind::kServer);
  Set("http.request.method", std::string(method));
  Set("http.route", std::string(route));
  Set("http.response.status_code", kOk);
}

void RequestWriter::Close() {
  span().end_nanos = clock_;
  open_.pop_back();
}

// Network latency. It counts only as time of the caller's thread.
void RequestWriter::Hop() { clock_ += static_cast<uint64_t>(random_->Spread(250 * kMicro)); }

uint64_t RequestWriter::BeginCall(const Call& call) {
  const Process from = span().process;
  Open(from, base::StrCat(call.method, " ", call.route), model::SpanKind::kClient);
  Set("http.request.method", std::string(call.method));
  Set("url.template", std::string(call.route));
  Set("server.address", std::string(FactsOf(call.to.service).name));
  Set("http.response.status_code", kOk);
  const uint64_t sent = clock_;
  Hop();
  OpenServer(call.to, call.method, call.route);
  return sent;
}

void RequestWriter::EndCall(const Call& call, uint64_t sent) {
  const Span& server = span();
  const std::string error = server.error;
  int64_t status = kOk;
  for (const Attribute& attribute : server.attributes) {
    if (attribute.key == "http.response.status_code")
      status = std::get<int64_t>(attribute.value);
  }
  Close();
  Hop();
  span().stretches.push_back(
      {.code = call.await, .start_nanos = sent, .duration_nanos = clock_ - sent});
  if (!error.empty())
    Fail(status, error);
  Close();
}

void RequestWriter::Set(std::string_view key, std::string value) {
  for (Attribute& attribute : span().attributes) {
    if (attribute.key == key) {
      attribute.value = std::move(value);
      return;
    }
  }
  span().attributes.push_back({key, std::move(value)});
}

void RequestWriter::Set(std::string_view key, int64_t value) {
  for (Attribute& attribute : span().attributes) {
    if (attribute.key == key) {
      attribute.value = value;
      return;
    }
  }
  span().attributes.push_back({key, value});
}

void RequestWriter::Fail(int64_t status, std::string why) {
  Set("http.response.status_code", status);
  Set("error.type", std::to_string(status));
  span().error = std::move(why);
}

void RequestWriter::AddEvent(std::string_view name, Attributes attributes) {
  span().events.push_back(
      {.name = name, .time_nanos = clock_, .attributes = std::move(attributes)});
}

void RequestWriter::Log(model::SeverityNumber severity, std::string body, Attributes attributes) {
  span().logs.push_back({.time_nanos = clock_,
                         .severity = severity,
                         .body = std::move(body),
                         .attributes = std::move(attributes)});
}

Request RequestWriter::Finish() && {
  FLARE_CHECK(open_.empty());
  FLARE_CHECK(request_.end_nanos() < kRequestNanosMax, request_.end_nanos());
  return std::move(request_);
}

}  // namespace flarestack::demo
