// SPDX-License-Identifier: Apache-2.0
#include "record/export/otlp_sender.h"

#include <thread>
#include <utility>

#include "base/status.h"
#include "record/export/retry_delay.h"

namespace flarestack::record::exporting {

absl::StatusOr<std::unique_ptr<OtlpSender>> OtlpSender::Create(OtlpSenderOptions options) {
  auto sender = std::make_unique<OtlpSender>();
  FLARE_ASSIGN(sender->client_, OtlpClient::Create(options.target));
  if (options.wait == nullptr)
    options.wait = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); };
  sender->options_ = std::move(options);
  return sender;
}

absl::StatusOr<codec::otlp::PartialSuccess> OtlpSender::Send(std::string_view profiles) {
  for (int attempt = 1;; ++attempt) {
    OtlpAttempt tried = client_->Try(profiles);
    if (!tried.may_retry || attempt >= options_.attempts_max)
      return std::move(tried.result);
    const std::string why(base::Message(tried.result.status()));
    const auto requested = tried.delay.value_or(std::chrono::milliseconds(0));
    if (requested > options_.delay_max) {
      return absl::UnavailableError(
          base::StrCat(why, "; retry after ", requested.count() / 1000, " s"));
    }
    // No earlier than the server requested, plus jitter.
    const std::chrono::milliseconds delay = requested + BackOff(attempt - 1);
    ++retries_;
    if (options_.on_retry != nullptr)
      options_.on_retry({.attempt = attempt + 1,
                         .attempts_max = options_.attempts_max,
                         .delay = delay,
                         .why = why});
    options_.wait(delay);
  }
}

}  // namespace flarestack::record::exporting
