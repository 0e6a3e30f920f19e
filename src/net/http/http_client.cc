// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_client.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/text/text.h"
#include "net/http/http_curl.h"

namespace flarestack::net {
namespace {

struct Receiver {
  HttpResponse response;
  uint64_t bytes_max = 0;
  bool is_too_large = false;
};

size_t OnBody(char* bytes, size_t, size_t count, void* user) {
  auto* receiver = static_cast<Receiver*>(user);
  if (count > receiver->bytes_max - receiver->response.body.size()) {
    receiver->is_too_large = true;
    return 0;
  }
  receiver->response.body.append(bytes, count);
  return count;
}

// Called once per line, also for the heads of redirects and of "100 Continue".
size_t OnHeader(char* bytes, size_t, size_t count, void* user) {
  auto* receiver = static_cast<Receiver*>(user);
  std::string_view line(bytes, count);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
    line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    receiver->response.headers = {};
    return count;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    return count;
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.size(), value.find_first_not_of(' ')));
  receiver->response.headers.Add(std::string(line.substr(0, colon)), std::string(value));
  return count;
}

absl::Status StatusOf(CURLcode code, const Receiver& receiver, std::string_view url,
                      std::string_view details) {
  if (receiver.is_too_large) {
    return absl::ResourceExhaustedError(
        base::StrCat(url, ": the response is larger than ", receiver.bytes_max, " bytes"));
  }
  return CurlStatus(code, url, details);
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

}  // namespace

struct HttpClient::Impl {
  CurlHandle Take() {
    const base::MutexLock lock(mutex);
    if (idle.empty())
      return CurlHandle(curl_easy_init());
    CurlHandle handle = std::move(idle.back());
    idle.pop_back();
    return handle;
  }

  void ReturnHandle(CurlHandle handle) {
    curl_easy_reset(handle.get());  // keeps its connections
    const base::MutexLock lock(mutex);
    idle.push_back(std::move(handle));
  }

  void SetTls(CURL* handle) const {
    const auto set_blob = [handle](CURLoption option, const std::string& pem) {
      if (pem.empty())
        return;
      curl_blob blob = {const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_COPY};
      curl_easy_setopt(handle, option, &blob);
    };
    set_blob(CURLOPT_CAINFO_BLOB, options.ca_pem);
    set_blob(CURLOPT_SSLCERT_BLOB, options.certificate_pem);
    set_blob(CURLOPT_SSLKEY_BLOB, options.key_pem);
  }

  void SetRequest(CURL* handle, const HttpClientRequest& request) const {
    const bool is_read = request.method == "GET" || request.method == "HEAD";
    SetCurlUrl(handle, request.url);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(options.connect_timeout.count()));
    // A redirected POST would become a GET, or go to an unintended server.
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, is_read ? 1L : 0L);
    curl_easy_setopt(handle, CURLOPT_MAXREDIRS, static_cast<long>(options.redirects_max));
    if (request.method == "HEAD") {
      curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
    } else if (!is_read || !request.body.empty()) {
      curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
      curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
  }

  HttpClientOptions options;
  base::Mutex mutex;
  std::vector<CurlHandle> idle FLARE_GUARDED_BY(mutex);
};

HttpClient::HttpClient(HttpClientOptions options) : impl_(std::make_unique<Impl>()) {
  InitializeCurl();
  impl_->options = std::move(options);
}

HttpClient::~HttpClient() = default;

absl::StatusOr<HttpResponse> HttpClient::Send(const HttpClientRequest& request) {
  // Without these headers, curl would wait a second for "100 Continue" and label the body a form.
  std::unique_ptr<curl_slist, CurlFree> headers(curl_slist_append(nullptr, "Expect:"));
  if (!request.headers.Find("Content-Type").has_value())
    headers.reset(curl_slist_append(headers.release(), "Content-Type:"));
  for (const auto& [name, value] : request.headers) {
    if (name.empty() || HasLineBreak(name) || HasLineBreak(value))
      return absl::InvalidArgumentError(base::StrCat("header '", name, "' cannot be sent"));
    const std::string line =
        value.empty() ? base::StrCat(name, ";") : base::StrCat(name, ": ", value);
    headers.reset(curl_slist_append(headers.release(), line.c_str()));
  }
  CurlHandle handle = impl_->Take();
  FLARE_CHECK(handle != nullptr);
  Receiver receiver = {.bytes_max = impl_->options.response_bytes_max};
  char details[CURL_ERROR_SIZE] = "";
  impl_->SetTls(handle.get());
  impl_->SetRequest(handle.get(), request);
  curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, details);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &receiver);
  curl_easy_setopt(handle.get(), CURLOPT_HEADERFUNCTION, OnHeader);
  curl_easy_setopt(handle.get(), CURLOPT_HEADERDATA, &receiver);
  const CURLcode code = curl_easy_perform(handle.get());
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  impl_->ReturnHandle(std::move(handle));
  if (code != CURLE_OK)
    return StatusOf(code, receiver, request.url, details);
  receiver.response.status = static_cast<int>(status);
  return std::move(receiver.response);
}

}  // namespace flarestack::net
