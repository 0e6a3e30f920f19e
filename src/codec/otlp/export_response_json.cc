// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/memory/arena.h"
#include "base/status.h"
#include "base/warnings.h"
#include "codec/otlp/export_response_text.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/json/json_output.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {
namespace {

using Value = JsonInput::Value;

std::string_view RejectedName(model::Signal signal) {
  switch (signal) {
    case model::Signal::kTraces:
      return "rejectedSpans";
    case model::Signal::kMetrics:
      return "rejectedDataPoints";
    case model::Signal::kLogs:
      return "rejectedLogRecords";
    case model::Signal::kProfiles:
      return "rejectedProfiles";
  }
  return "";
}

template <typename WriteMembers>
std::string ObjectText(WriteMembers write_members) {
  std::string text;
  const auto append = [&](std::string_view piece) {
    text.append(piece);
    return absl::OkStatus();
  };
  JsonOutput out(append);
  out.BeginObject();
  write_members(&out);
  out.EndObject();
  out.Finish().IgnoreError();  // appending to a string does not fail
  return text;
}

void WriteViolations(const std::vector<FieldViolation>& violations, JsonOutput* out) {
  out->BeginObject();
  out->StringField("@type", kBadRequestType);
  out->Name("fieldViolations");
  out->BeginArray();
  for (size_t i = 0; i < std::min(violations.size(), kViolationsMax); ++i) {
    const FieldViolation& violation = violations[i];
    out->BeginObject();
    out->StringField("field", Shortened(violation.field, kViolationTextBytesMax));
    out->StringField("description", Shortened(violation.description, kViolationTextBytesMax));
    out->StringField("reason", Shortened(violation.reason, kViolationTextBytesMax));
    out->EndObject();
  }
  out->EndArray();
  out->EndObject();
}

void WriteDetails(const RpcStatus& status, JsonOutput* out) {
  if (!status.retry_delay.has_value() && status.violations.empty())
    return;
  out->Name("details");
  out->BeginArray();
  if (status.retry_delay.has_value()) {
    out->BeginObject();
    out->StringField("@type", kRetryInfoType);
    out->StringField("retryDelay", DurationText(*status.retry_delay));
    out->EndObject();
  }
  if (!status.violations.empty())
    WriteViolations(status.violations, out);
  out->EndArray();
}

absl::Status ReadText(JsonInput& in, Value& value, std::string* out) {
  std::string_view text;
  FLARE_RETURN_IF_ERROR(in.Read(value, &text));
  *out = text;
  return absl::OkStatus();
}

absl::Status ReadViolation(JsonInput& in, Value& value, std::vector<FieldViolation>* out) {
  FieldViolation violation;
  FLARE_RETURN_IF_ERROR(in.Object(value).Read({
      {"field", [&](Value& member) { return ReadText(in, member, &violation.field); }},
      {"description", [&](Value& member) { return ReadText(in, member, &violation.description); }},
      {"reason", [&](Value& member) { return ReadText(in, member, &violation.reason); }},
  }));
  if (out->size() < kViolationsMax)
    out->push_back(std::move(violation));
  return absl::OkStatus();
}

// Accepts the members of both details, because the member with the type may come last.
absl::Status ReadDetail(JsonInput& in, Value& value, RpcStatus* out) {
  std::string type;
  std::string delay;
  std::vector<FieldViolation> violations;
  FLARE_RETURN_IF_ERROR(in.Object(value).Read({
      {"@type", [&](Value& member) { return ReadText(in, member, &type); }},
      {"retryDelay", [&](Value& member) { return ReadText(in, member, &delay); }},
      {"fieldViolations",
       [&](Value& member) {
         return in.ReadArray(
             member, [&](Value& element) { return ReadViolation(in, element, &violations); });
       }},
  }));
  if (type == kRetryInfoType) {
    out->retry_delay = delay.empty() ? std::chrono::nanoseconds(0) : ParseDuration(delay);
    if (!out->retry_delay.has_value())
      return in.Error("retryDelay is not a duration such as \"1.5s\"");
  } else if (type == kBadRequestType) {
    out->violations = std::move(violations);
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeExportResponseJson(model::Signal signal, const PartialSuccess& partial_success) {
  return ObjectText([&](JsonOutput* out) {
    if (partial_success == PartialSuccess{})
      return;
    out->Name("partialSuccess");
    out->BeginObject();
    out->IntegerField(RejectedName(signal), partial_success.rejected);
    out->StringField("errorMessage",
                     Shortened(partial_success.error_message, kErrorMessageBytesMax));
    out->EndObject();
  });
}

absl::Status DecodeExportResponseJson(model::Signal signal, std::string_view json,
                                      PartialSuccess* out) {
  base::Arena arena;
  base::Warnings warnings;
  JsonInput in(json, &arena, &warnings, JsonInput::Names::kCamelCaseOnly);
  return in.ReadDocument({
      {"partialSuccess",
       [&](Value& value) {
         return in.Object(value).Read({
             {RejectedName(signal), [&](Value& member) { return in.Read(member, &out->rejected); }},
             {"errorMessage",
              [&](Value& member) { return ReadText(in, member, &out->error_message); }},
         });
       }},
  });
}

std::string EncodeRpcStatusJson(const RpcStatus& status) {
  return ObjectText([&](JsonOutput* out) {
    out->SignedNumberField("code", status.code);
    out->StringField("message", Shortened(status.message, kErrorMessageBytesMax));
    WriteDetails(status, out);
  });
}

absl::Status DecodeRpcStatusJson(std::string_view json, RpcStatus* out) {
  base::Arena arena;
  base::Warnings warnings;
  JsonInput in(json, &arena, &warnings, JsonInput::Names::kCamelCaseOnly);
  return in.ReadDocument({
      {"code", [&](Value& member) { return in.Read(member, &out->code); }},
      {"message", [&](Value& member) { return ReadText(in, member, &out->message); }},
      {"details",
       [&](Value& member) {
         return in.ReadArray(member, [&](Value& element) { return ReadDetail(in, element, out); });
       }},
  });
}

}  // namespace flarestack::codec::otlp
