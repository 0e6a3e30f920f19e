// SPDX-License-Identifier: Apache-2.0
//
// Large answers of other servers, written to a file as they come. Nothing is seen under the file's
// name before it is complete.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace flarestack::net {

struct DownloadLimits {
  uint64_t bytes_max = uint64_t{2} << 30;  // of the file, after decompression
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds total_timeout{300'000};
  // Slower than this for that long is given up.
  uint32_t bytes_per_second_min = 4 << 10;
  std::chrono::seconds slow_max{20};
  int redirects_max = 3;  // to http: and https: alone
};

struct DownloadRequest {
  std::string url;   // http: or https:
  std::string path;  // what is there is replaced
  DownloadLimits limits;
  // Asked about once a second, and more often while bytes come. Null: never.
  std::function<bool()> is_cancelled;
};

// The size of the file. Otherwise there is none: kNotFound when the server has it not (404, 410),
// kUnavailable when it cannot be reached, breaks off, is overloaded or broken (408, 429, 5xx),
// kFailedPrecondition for any other answer than 200, kResourceExhausted for more than the limit,
// kDeadlineExceeded, kCancelled, kInvalidArgument for the url, kUnauthenticated when the server's
// certificate is not to be trusted, and whatever writing the file may say. Thread-safe.
absl::StatusOr<uint64_t> DownloadFile(const DownloadRequest& request);

}  // namespace flarestack::net
