// SPDX-License-Identifier: Apache-2.0
//
// Checks an export response: the required content of a partial success.
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "check/check.h"
#include "codec/otlp/split.h"
#include "codec/wire/reader.h"

namespace flarestack::check {
namespace {

using base::StrCat;
namespace wire = codec::wire;

struct PartialSuccess {
  int64_t rejected_count = 0;
  std::string error_message;
};

struct Response {
  std::optional<PartialSuccess> partial_success;
};

absl::StatusOr<Response> DecodeProtobuf(std::string_view bytes) {
  Response response;
  wire::Fault fault;
  for (wire::Reader in(bytes, &fault); in.Next();) {
    if (in.tag() != wire::Tag(1, wire::kBytes)) {
      in.Skip();
      continue;
    }
    if (!response.partial_success)
      response.partial_success.emplace();
    for (wire::Reader part(in.Bytes(), &fault); part.Next();) {
      switch (part.tag()) {
        case wire::Tag(1, wire::kVarint):
          response.partial_success->rejected_count = part.Int64();
          break;
        case wire::Tag(2, wire::kBytes):
          response.partial_success->error_message = part.Bytes();
          break;
        default:
          part.Skip();
      }
    }
  }
  if (fault.is_set()) {
    return absl::InvalidArgumentError(
        StrCat("not an export response: ", fault.what, " at byte ", fault.at - bytes.data()));
  }
  return response;
}

// proto3 JSON writes 64-bit integers as text; numbers are accepted too.
std::optional<int64_t> ReadInteger(const nlohmann::json& value) {
  if (value.is_number_integer())
    return value.get<int64_t>();
  if (!value.is_string())
    return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

absl::StatusOr<Response> DecodeJson(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return absl::InvalidArgumentError("not an export response: not a JSON object");
  Response response;
  const auto partial = json.find("partialSuccess");
  if (partial == json.end() || partial->is_null())
    return response;
  if (!partial->is_object())
    return absl::InvalidArgumentError("partialSuccess: expected an object");
  PartialSuccess& success = response.partial_success.emplace();
  if (const auto count = partial->find("rejectedProfiles"); count != partial->end()) {
    const auto number = ReadInteger(*count);
    if (!number)
      return absl::InvalidArgumentError("partialSuccess.rejectedProfiles: expected an integer");
    success.rejected_count = *number;
  }
  if (const auto message = partial->find("errorMessage"); message != partial->end()) {
    if (!message->is_string())
      return absl::InvalidArgumentError("partialSuccess.errorMessage: expected a string");
    success.error_message = message->get<std::string>();
  }
  return response;
}

void CheckPartialSuccess(const PartialSuccess& success, Collector* findings) {
  const Path root;
  const Path at = root.Field("partial_success");
  if (success.rejected_count < 0) {
    findings->Add(Rule::kResponseCount, at.Field("rejected_profiles"),
                  [&] { return StrCat(success.rejected_count, "; it must be 0 or more"); });
  } else if (success.error_message.empty() && success.rejected_count == 0) {
    findings->Add(Rule::kResponseEmpty, at, [] {
      return "nothing was rejected and error_message is empty; omit partial_success, or set "
             "error_message to a warning for the sender";
    });
  } else if (success.error_message.empty()) {
    findings->Add(Rule::kResponseReason, at.Field("error_message"), [&] {
      return StrCat("not set, though ", success.rejected_count,
                    " profiles were rejected; set it to the reason");
    });
  }
  if (!base::IsValidUtf8(success.error_message)) {
    findings->Add(Rule::kInvalidUtf8, at.Field("error_message"), [&] {
      return StrCat(Quote(success.error_message),
                    " is not valid UTF-8; bad bytes are shown as U+FFFD");
    });
  }
}

}  // namespace

absl::StatusOr<FileReport> CheckResponse(std::string bytes, const CheckOptions& options) {
  FLARE_ASSIGN(const codec::UnpackedInput input,
               codec::Unpack(std::move(bytes), options.limits.bytes_max));
  const std::string_view text = codec::otlp::SkipJsonSpace(input.bytes);
  const bool is_json = text.starts_with("{");
  FLARE_ASSIGN(const Response response, is_json ? DecodeJson(text) : DecodeProtobuf(input.bytes));
  Collector findings(options.findings_per_rule);
  if (response.partial_success)
    CheckPartialSuccess(*response.partial_success, &findings);
  FileReport file;
  file.format = is_json ? "otlp-json response" : "otlp response";
  file.compression = input.compression;
  file.message_count = 1;
  file.report = std::move(findings).Finish();
  return file;
}

}  // namespace flarestack::check
