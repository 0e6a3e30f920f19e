// SPDX-License-Identifier: Apache-2.0
#include "cli/record/record_send.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "cli/command/failure.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "record/export/otlp_environment.h"
#include "record/export/otlp_sender.h"

namespace flarestack::cli {
namespace {

absl::StatusOr<record::exporting::OtlpTarget> TargetOf(const std::string& endpoint) {
  return record::exporting::FindOtlpTarget(
      {.endpoint = endpoint, .protocol = endpoint.starts_with("http") ? "http/protobuf" : ""},
      record::exporting::ProcessVariable);
}

}  // namespace

int CheckEndpoint(const std::string& endpoint) {
  const auto target = TargetOf(endpoint);
  if (target.ok())
    return kSuccess;
  return Report({"cannot send to " + endpoint, std::string(base::Message(target.status())),
                 "--send http://127.0.0.1:4318"},
                kUsage);
}

int SendBatch(const model::Batch& batch, const std::string& endpoint) {
  if (const int code = CheckEndpoint(endpoint); code != kSuccess)
    return code;
  auto sender = record::exporting::OtlpSender::Create({.target = *TargetOf(endpoint)});
  absl::Status status = sender.status();
  if (status.ok()) {
    codec::wire::ReverseWriter request(codec::otlp::EstimateProtobufBytes(batch));
    codec::otlp::EncodeProtobuf(batch, &request);
    status = (*sender)->Send(request.view()).status();
  }
  if (status.ok())
    return kSuccess;
  return Report({"cannot send to " + endpoint, std::string(base::Message(status)),
                 "flarestack send FILE --endpoint " + endpoint},
                kUnreachable);
}

}  // namespace flarestack::cli
