// SPDX-License-Identifier: Apache-2.0
//
// The curl setup shared by the HTTP client and the downloads. Internal; only their .cc files
// include it.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace flarestack::net {

struct CurlFree {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using CurlHandle = std::unique_ptr<CURL, CurlFree>;

// Call before any other use of curl. May be called repeatedly.
void InitializeCurl();

// Allows only HTTP and HTTPS, also after a redirect; disables signals; bypasses the proxy for
// loopback. The url must outlive the request.
void SetCurlUrl(CURL* handle, const std::string& url);

// `code` must not be CURLE_OK. `details` is the content of the error buffer, or empty.
absl::Status CurlStatus(CURLcode code, std::string_view url, std::string_view details);

}  // namespace flarestack::net
