// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_curl.h"

#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/text/text.h"
#include "net/address.h"

namespace flarestack::net {
namespace {

// Loopback URLs bypass the proxy from the environment.
bool IsLoopbackUrl(const std::string& url) {
  const std::unique_ptr<CURLU, CurlFree> parsed(curl_url());
  char* host = nullptr;
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
      curl_url_get(parsed.get(), CURLUPART_HOST, &host, 0) != CURLUE_OK) {
    return false;
  }
  std::string name(host);
  curl_free(host);
  if (name.starts_with('[') && name.ends_with(']'))
    name = name.substr(1, name.size() - 2);
  return IsLoopback({std::move(name), 0});
}

}  // namespace

void InitializeCurl() {
  static std::once_flag once;
  std::call_once(once, [] { FLARE_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
}

void SetCurlUrl(CURL* handle, const std::string& url) {
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  if (IsLoopbackUrl(url))
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
}

absl::Status CurlStatus(CURLcode code, std::string_view url, std::string_view details) {
  const std::string text = base::StrCat(
      url, ": ", details.empty() ? std::string_view(curl_easy_strerror(code)) : details);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return absl::DeadlineExceededError(text);
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_SSL_CERTPROBLEM:
      return absl::InvalidArgumentError(text);
    case CURLE_PEER_FAILED_VERIFICATION:
    // No certificates on this machine (yet): no server can be trusted.
    case CURLE_SSL_CACERT_BADFILE:
      return absl::UnauthenticatedError(text);
    default:
      return absl::UnavailableError(text);
  }
}

}  // namespace flarestack::net
