// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_download.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/file/file.h"
#include "base/status.h"
#include "net/http/http_curl.h"

namespace flarestack::net {
namespace {

struct Receiver {
  const DownloadRequest& request;
  base::OutputFile file;
  uint64_t bytes = 0;
  // Why we aborted the transfer; curl itself reports only "failed".
  absl::Status broken_off = absl::OkStatus();
};

size_t OnBody(char* bytes, size_t, size_t count, void* user) {
  auto* receiver = static_cast<Receiver*>(user);
  const uint64_t bytes_max = receiver->request.limits.bytes_max;
  if (count > bytes_max - receiver->bytes) {
    receiver->broken_off = absl::ResourceExhaustedError(
        base::StrCat(receiver->request.url, ": larger than ", bytes_max, " bytes"));
    return 0;
  }
  receiver->broken_off = receiver->file.Write({bytes, count});
  receiver->bytes += count;
  return receiver->broken_off.ok() ? count : 0;
}

// A nonzero result ends the transfer.
int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto* receiver = static_cast<Receiver*>(user);
  const auto& is_cancelled = receiver->request.is_cancelled;
  if (is_cancelled == nullptr || !is_cancelled())
    return 0;
  receiver->broken_off = absl::CancelledError(base::StrCat(receiver->request.url, ": cancelled"));
  return 1;
}

absl::Status StatusOfAnswer(long status, std::string_view url) {
  const std::string text = base::StrCat(url, ": the server responded ", status);
  if (status == 200)
    return absl::OkStatus();
  if (status == 404 || status == 410)
    return absl::NotFoundError(text);
  if (status >= 500 || status == 408 || status == 429)
    return absl::UnavailableError(text);
  return absl::FailedPreconditionError(text);
}

void SetLimits(CURL* handle, const DownloadLimits& limits) {
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(limits.connect_timeout.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.total_timeout.count()));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.bytes_per_second_min));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits.slow_max.count()));
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, static_cast<long>(limits.redirects_max));
}

void SetCallbacks(CURL* handle, Receiver* receiver) {
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, receiver);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, receiver);
}

}  // namespace

absl::StatusOr<uint64_t> DownloadFile(const DownloadRequest& request) {
  InitializeCurl();
  FLARE_ASSIGN(base::OutputFile file, base::OutputFile::Create(request.path));
  Receiver receiver = {.request = request, .file = std::move(file)};
  const CurlHandle handle(curl_easy_init());
  FLARE_CHECK(handle != nullptr);
  char details[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, details);
  SetCurlUrl(handle.get(), request.url);
  SetLimits(handle.get(), request.limits);
  SetCallbacks(handle.get(), &receiver);
  curl_easy_setopt(handle.get(), CURLOPT_ACCEPT_ENCODING, "gzip");
  // An error page must not become the file.
  curl_easy_setopt(handle.get(), CURLOPT_FAILONERROR, 1L);
  // Cancellation must not wait for a name server either.
  curl_easy_setopt(handle.get(), CURLOPT_QUICK_EXIT, 1L);
  const CURLcode code = curl_easy_perform(handle.get());
  if (!receiver.broken_off.ok())
    return receiver.broken_off;
  if (code != CURLE_OK && code != CURLE_HTTP_RETURNED_ERROR)
    return CurlStatus(code, request.url, details);
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  FLARE_RETURN_IF_ERROR(StatusOfAnswer(status, request.url));
  FLARE_RETURN_IF_ERROR(receiver.file.Commit());
  return receiver.bytes;
}

}  // namespace flarestack::net
