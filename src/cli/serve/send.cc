// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/flags/byte_limit.h"
#include "cli/flags/resource_flags.h"
#include "cli/input/inputs.h"
#include "cli/terminal/progress.h"
#include "codec/input_collector.h"
#include "codec/otlp/profiles/json_writer.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/batch.h"
#include "model/validation/profile_sift.h"
#include "record/export/otlp_environment.h"
#include "record/export/otlp_sender.h"

namespace flarestack::cli {
namespace {

class SendCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ReadMessages(record::exporting::OtlpProtocol protocol);
  int SendAll(record::exporting::OtlpSenderOptions options);

  std::vector<std::string> paths_;
  std::string from_;  // format of the inputs
  record::exporting::OtlpTargetFlags target_flags_;
  ResourceFlags resource_;
  std::string progress_ = "auto";
  double rate_ = 0;
  uint64_t repeat_ = 1;
  bool now_ = false;
  uint64_t bytes_max_ = uint64_t{1} << 30;

  std::vector<std::string> messages_;
};

using Clock = std::chrono::steady_clock;
using record::exporting::OtlpProtocol;
using record::exporting::OtlpRetry;
using record::exporting::OtlpSender;
using record::exporting::OtlpSenderOptions;

std::string Encode(const model::Batch& batch, OtlpProtocol protocol) {
  if (protocol == OtlpProtocol::kHttpJson) {
    std::string json;
    FLARE_CHECK(codec::otlp::EncodeJson(batch, [&](std::string_view piece) {
                  json += piece;
                  return absl::OkStatus();
                }).ok());
    return json;
  }
  codec::wire::ReverseWriter out(codec::otlp::EstimateProtobufBytes(batch));
  codec::otlp::EncodeProtobuf(batch, &out);
  return std::string(out.view());
}

// The end of the last profile or sample.
uint64_t EndOf(const model::Batch& batch) {
  uint64_t last = 0;
  for (const model::Profile& profile : batch.profiles)
    last = std::max(last, profile.time_unix_nano + profile.duration_nano);
  for (const uint64_t time : batch.timestamps)
    last = std::max(last, time);
  return last;
}

// Without the warning, users would search for an old file at the current time. Absurd times need no
// warning because the server corrects them.
void WarnOfAge(const model::Batch& batch, base::Warnings* warnings) {
  const uint64_t now = base::NowNanos();
  const uint64_t end = EndOf(batch);
  if (end + base::kNanosPerHour > now || model::IsAbsurdTime(end, now))
    return;
  warnings->Add(
      "the profile is dated in the past; query that time, or resend with --now",
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixNanos(static_cast<int64_t>(end)),
                       absl::UTCTimeZone()));
}

// Shifts all times of a batch so that its last profile ends now.
void MoveToNow(model::Batch* batch) {
  const uint64_t shift = base::NowNanos() - EndOf(*batch);
  for (model::Profile& profile : batch->profiles) {
    profile.time_unix_nano += shift;
    profile.profile_id = {};  // at another time it is a different profile
  }
  for (uint64_t& time : batch->timestamps)
    time += shift;
}

}  // namespace

void SendCommand::Define(CLI::App* app) {
  app->add_option("PATH", paths_,
                  "profiles in any format that convert reads; - reads standard input")
      ->required();
  app->add_option("--endpoint", target_flags_.endpoint,
                  "http://HOST:4318, https://..., grpc://HOST:4317 or grpcs://... (default "
                  "http://127.0.0.1:4318)");
  app->add_option("--protocol", target_flags_.protocol,
                  "grpc, http/protobuf or http/json (default: by the endpoint)");
  app->add_option("--header", target_flags_.headers,
                  "request header, such as authorization=\"Bearer TOKEN\"; repeatable")
      ->allow_extra_args(false);
  app->add_option("--ca", target_flags_.ca_path,
                  "PEM file with the CA certificates that sign the server's certificate");
  app->add_option("--compression", target_flags_.compression,
                  "gzip, none, or zstd over HTTP (default gzip)")
      ->check(OneOf({"gzip", "zstd", "none"}));
  resource_.Define(app);
  app->add_flag("--now", now_, "shift the profiles in time so that they end now");
  app->add_option("--rate", rate_, "maximum requests per second (default: unlimited)")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--repeat", repeat_, "number of times to send the input")->capture_default_str();
  app->add_option("--progress", progress_, "auto, plain or none")
      ->check(OneOf({"auto", "plain", "none"}));
  AddInputFormat(app, &from_);
  AddByteLimit(app, &bytes_max_);
  app->footer(
      "Defaults come from OTEL_EXPORTER_OTLP_PROFILES_... or OTEL_EXPORTER_OTLP_...:\n"
      "ENDPOINT, PROTOCOL, HEADERS, COMPRESSION, TIMEOUT, CERTIFICATE, CLIENT_CERTIFICATE,\n"
      "CLIENT_KEY, INSECURE. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES set resource "
      "attributes\n"
      "that a profile lacks.\n\n"
      "Examples:\n"
      "  flarestack send cpu.pb.gz --service checkout --resource service.version=1.4.2\n"
      "  flarestack send --now --endpoint grpc://127.0.0.1:4317 profile.otlp\n"
      "  perf script | flarestack send -\n"
      "  flarestack send --repeat 1000 --rate 50 profile.otlp      a load generator");
}

int SendCommand::ReadMessages(OtlpProtocol protocol) {
  base::Warnings warnings;
  for (const std::string& path : paths_) {
    auto bytes = base::ReadFile(path, bytes_max_);
    absl::Status status = bytes.status();
    if (status.ok()) {
      status = codec::ReadInput(&*bytes, LimitsOf(bytes_max_, from_), &warnings,
                                [&](model::Batch batch) {
                                  resource_.Apply(&batch);
                                  if (now_)
                                    MoveToNow(&batch);
                                  else
                                    WarnOfAge(batch, &warnings);
                                  messages_.push_back(Encode(batch, protocol));
                                  return absl::OkStatus();
                                })
                   .status();
    }
    if (!status.ok()) {
      return Report({"cannot read " + InputName(path), std::string(base::Message(status)),
                     "flarestack convert --help    lists the formats"},
                    kFailed);
    }
  }
  PrintWarnings(warnings);
  return kSuccess;
}

int SendCommand::SendAll(OtlpSenderOptions options) {
  Progress progress(ProgressModeFrom(progress_));
  const std::string endpoint = options.target.endpoint;
  const uint64_t total = repeat_ * messages_.size();
  uint64_t sent = 0;
  uint64_t bytes = 0;
  int64_t rejected = 0;
  std::string reason;
  options.on_retry = [&](const OtlpRetry& retry) {
    progress.Step(fmt::format("sent {} of {} requests; attempt {} of {} in {:.1f} s: {}", sent,
                              total, retry.attempt, retry.attempts_max,
                              static_cast<double>(retry.delay.count()) / 1e3, retry.why));
  };
  const auto created = OtlpSender::Create(std::move(options));
  if (!created.ok())
    return Report({"cannot send", std::string(base::Message(created.status())), ""}, kUsage);
  OtlpSender* const sender = created->get();
  const Clock::time_point start = Clock::now();
  for (uint64_t round = 0; round < repeat_; ++round) {
    for (const std::string& message : messages_) {
      if (rate_ > 0) {
        std::this_thread::sleep_until(
            start + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(static_cast<double>(sent) / rate_)));
      }
      progress.Step(fmt::format("sent {} of {} requests", sent, total));
      const auto response = sender->Send(message);
      if (!response.ok()) {
        return Report(
            {fmt::format("request {} of {} was rejected by {}", sent + 1, total, endpoint),
             std::string(base::Message(response.status())),
             "check that the server is running and accepts OTLP at this endpoint"},
            kUnreachable);
      }
      ++sent;
      bytes += message.size();
      rejected += response->rejected;
      if (!response->error_message.empty())
        reason = response->error_message;
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  fmt::print("sent {} request{}, {:.1f} MB in {:.1f} s", sent, sent == 1 ? "" : "s",
             static_cast<double>(bytes) / 1e6, seconds);
  if (sender->retries() > 0)
    fmt::print(", {} retried", sender->retries());
  fmt::print("\n");
  if (!reason.empty())
    fmt::print(stderr, "the server rejected {} profile{}: {}\n", rejected, rejected == 1 ? "" : "s",
               reason);
  return rejected > 0 ? kFailed : kSuccess;
}

int SendCommand::Run() {
  if (const int code = RejectRepeatedStandardInput(paths_); code != kSuccess)
    return code;
  OtlpSenderOptions options;
  auto target =
      record::exporting::FindOtlpTarget(target_flags_, record::exporting::ProcessVariable);
  if (!target.ok()) {
    const bool is_usage = absl::IsInvalidArgument(target.status());
    return Report({is_usage ? "invalid endpoint" : "cannot read a certificate",
                   std::string(base::Message(target.status())),
                   "flarestack help send    lists the flags and the variables"},
                  is_usage ? kUsage : kFailed);
  }
  options.target = *std::move(target);
  if (const absl::Status status = resource_.Read(record::exporting::ProcessVariable); !status.ok())
    return Report({"invalid resource", std::string(base::Message(status)),
                   "--resource service.version=1.4.2"},
                  kUsage);
  if (const int code = ReadMessages(options.target.protocol); code != kSuccess)
    return code;
  return SendAll(std::move(options));
}

std::unique_ptr<Command> MakeSendCommand() { return std::make_unique<SendCommand>(); }

}  // namespace flarestack::cli
