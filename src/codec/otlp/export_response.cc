// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/export_response.h"

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/export_response_text.h"
#include "codec/wire/reader.h"
#include "codec/wire/reverse_writer.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {
namespace {

using wire::Fault;
using wire::kBytes;
using wire::kVarint;
using wire::Reader;
using wire::ReverseWriter;
using wire::Tag;

absl::Status CheckSize(std::string_view bytes) {
  if (bytes.size() <= kResponseBytesMax)
    return absl::OkStatus();
  return absl::ResourceExhaustedError(base::StrCat(
      "a response of ", bytes.size(), " bytes, where at most ", kResponseBytesMax, " are taken"));
}

absl::Status StatusOf(const Fault& fault, std::string_view bytes, std::string_view what) {
  if (!fault.is_set())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      base::StrCat("not ", what, ": ", fault.what, " at byte ", fault.at - bytes.data()));
}

// Written from the last field to the first.
std::string PartialSuccessBytes(const PartialSuccess& partial_success) {
  ReverseWriter out(partial_success.error_message.size());
  out.BytesUnlessEmpty(2, Shortened(partial_success.error_message, kErrorMessageBytesMax));
  out.VarintUnlessZero(1, static_cast<uint64_t>(partial_success.rejected));
  out.CloseMessage(1, 0);
  return std::string(out.view());
}

// Writes the google.protobuf.Any around a detail; `end` as in CloseMessage.
void CloseDetail(std::string_view type, size_t end, ReverseWriter* out) {
  out->CloseMessage(2, end);
  out->Bytes(1, type);
  out->CloseMessage(3, end);
}

void AddRetryInfo(std::chrono::nanoseconds delay, ReverseWriter* out) {
  const size_t end = out->size();
  const DurationParts parts = PartsOf(delay);
  out->EnumUnlessZero(2, parts.nanos);
  out->VarintUnlessZero(1, static_cast<uint64_t>(parts.seconds));
  out->CloseMessage(1, end);
  CloseDetail(kRetryInfoType, end, out);
}

void AddBadRequest(const std::vector<FieldViolation>& violations, ReverseWriter* out) {
  const size_t end = out->size();
  for (size_t i = std::min(violations.size(), kViolationsMax); i-- > 0;) {
    const size_t violation_end = out->size();
    out->BytesUnlessEmpty(3, Shortened(violations[i].reason, kViolationTextBytesMax));
    out->BytesUnlessEmpty(2, Shortened(violations[i].description, kViolationTextBytesMax));
    out->BytesUnlessEmpty(1, Shortened(violations[i].field, kViolationTextBytesMax));
    out->CloseMessage(1, violation_end);
  }
  CloseDetail(kBadRequestType, end, out);
}

std::string RpcStatusBytes(const RpcStatus& status) {
  ReverseWriter out(256);
  if (!status.violations.empty())
    AddBadRequest(status.violations, &out);
  if (status.retry_delay.has_value())
    AddRetryInfo(*status.retry_delay, &out);
  out.BytesUnlessEmpty(2, Shortened(status.message, kErrorMessageBytesMax));
  out.EnumUnlessZero(1, status.code);
  return std::string(out.view());
}

void ReadPartialSuccess(Reader in, PartialSuccess* out) {
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        out->rejected = in.Int64();
        break;
      case Tag(2, kBytes):
        out->error_message = in.Bytes();
        break;
      default:
        in.Skip();
    }
  }
}

void ReadRetryInfo(Reader in, RpcStatus* out) {
  DurationParts parts;
  while (in.Next()) {
    if (in.tag() != Tag(1, kBytes)) {
      in.Skip();
      continue;
    }
    for (Reader duration = in.Message(); duration.Next();) {
      switch (duration.tag()) {
        case Tag(1, kVarint):
          parts.seconds = duration.Int64();
          break;
        case Tag(2, kVarint):
          parts.nanos = static_cast<int32_t>(duration.Varint());
          break;
        default:
          duration.Skip();
      }
    }
  }
  out->retry_delay = DurationOf(parts);
}

FieldViolation ReadViolation(Reader in) {
  FieldViolation violation;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        violation.field = in.Bytes();
        break;
      case Tag(2, kBytes):
        violation.description = in.Bytes();
        break;
      case Tag(3, kBytes):
        violation.reason = in.Bytes();
        break;
      default:
        in.Skip();
    }
  }
  return violation;
}

void ReadBadRequest(Reader in, RpcStatus* out) {
  while (in.Next()) {
    if (in.tag() == Tag(1, kBytes) && out->violations.size() < kViolationsMax) {
      out->violations.push_back(ReadViolation(in.Message()));
    } else {
      in.Skip();
    }
  }
}

void ReadDetail(Reader in, Fault* fault, RpcStatus* out) {
  std::string_view type;
  std::string_view value;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        type = in.Bytes();
        break;
      case Tag(2, kBytes):
        value = in.Bytes();
        break;
      default:
        in.Skip();
    }
  }
  if (type == kRetryInfoType) {
    ReadRetryInfo(Reader(value, fault), out);
  } else if (type == kBadRequestType) {
    ReadBadRequest(Reader(value, fault), out);
  }
}

absl::Status ReadRpcStatus(std::string_view bytes, RpcStatus* out) {
  Fault fault;
  for (Reader in(bytes, &fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        out->code = static_cast<int32_t>(in.Varint());
        break;
      case Tag(2, kBytes):
        out->message = in.Bytes();
        break;
      case Tag(3, kBytes):
        ReadDetail(in.Message(), &fault, out);
        break;
      default:
        in.Skip();
    }
  }
  return StatusOf(fault, bytes, "a google.rpc.Status");
}

absl::Status ReadExportResponse(std::string_view bytes, PartialSuccess* out) {
  Fault fault;
  for (Reader in(bytes, &fault); in.Next();) {
    if (in.tag() == Tag(1, kBytes)) {
      ReadPartialSuccess(in.Message(), out);
    } else {
      in.Skip();
    }
  }
  return StatusOf(fault, bytes, "an OTLP export response");
}

}  // namespace

std::string EncodeExportResponse(model::Signal signal, const PartialSuccess& partial_success,
                                 Encoding encoding) {
  if (encoding == Encoding::kJson)
    return EncodeExportResponseJson(signal, partial_success);
  return partial_success == PartialSuccess{} ? "" : PartialSuccessBytes(partial_success);
}

absl::StatusOr<PartialSuccess> DecodeExportResponse(model::Signal signal, std::string_view bytes,
                                                    Encoding encoding) {
  FLARE_RETURN_IF_ERROR(CheckSize(bytes));
  PartialSuccess partial_success;
  FLARE_RETURN_IF_ERROR(encoding == Encoding::kJson
                            ? DecodeExportResponseJson(signal, bytes, &partial_success)
                            : ReadExportResponse(bytes, &partial_success));
  return partial_success;
}

RpcStatus RpcStatusOf(const absl::Status& status) {
  RpcStatus out;
  out.code = static_cast<int32_t>(status.code());
  out.message = base::Message(status);
  return out;
}

std::string EncodeRpcStatus(const RpcStatus& status, Encoding encoding) {
  return encoding == Encoding::kJson ? EncodeRpcStatusJson(status) : RpcStatusBytes(status);
}

absl::StatusOr<RpcStatus> DecodeRpcStatus(std::string_view bytes, Encoding encoding) {
  FLARE_RETURN_IF_ERROR(CheckSize(bytes));
  RpcStatus status;
  FLARE_RETURN_IF_ERROR(encoding == Encoding::kJson ? DecodeRpcStatusJson(bytes, &status)
                                                    : ReadRpcStatus(bytes, &status));
  return status;
}

}  // namespace flarestack::codec::otlp
