// SPDX-License-Identifier: Apache-2.0
//
// What every use of curl here has in common. Internal to the HTTP client and the downloads, whose
// .cc files alone include it.
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

// Before anything else of curl, as often as one likes.
void InitializeCurl();

// HTTP and HTTPS alone, also behind a redirect; no signals; no proxy to reach this machine. The url
// must outlive the request.
void SetCurlUrl(CURL* handle, const std::string& url);

// For any code but CURLE_OK. `details` is what the error buffer has, or empty.
absl::Status CurlStatus(CURLcode code, std::string_view url, std::string_view details);

}  // namespace flarestack::net
