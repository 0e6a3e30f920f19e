// SPDX-License-Identifier: Apache-2.0
//
// Sends the demo's data to a server as any program would: OTLP over HTTP.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "demo/signals.h"
#include "net/http/http_client.h"

namespace flarestack::cli {

class DemoFeed {
 public:
  explicit DemoFeed(std::string endpoint);  // "http://HOST:PORT"

  // Returns once the server has accepted everything. Rejected data is an error.
  absl::Status Send(const demo::Timeline& timeline, const demo::Window& window);

 private:
  absl::Status Send(const demo::Message& message);

  std::string endpoint_;
  net::HttpClient client_;
};

}  // namespace flarestack::cli
