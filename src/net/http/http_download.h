// SPDX-License-Identifier: Apache-2.0
//
// Downloads large responses of other servers to a file. Nothing is visible under the file's name
// before it is complete.
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
  // A transfer slower than this rate for this long is aborted.
  uint32_t bytes_per_second_min = 4 << 10;
  std::chrono::seconds slow_max{20};
  int redirects_max = 3;  // only to http: and https:
};

struct DownloadRequest {
  std::string url;   // http: or https:
  std::string path;  // an existing file is replaced
  DownloadLimits limits;
  // Called about once a second, and more often while bytes arrive. Null: never cancelled.
  std::function<bool()> is_cancelled;
};

// Returns the size of the file. On error there is no file. Returns kNotFound if the server does not
// have it (404, 410), kUnavailable if the server cannot be reached, disconnects, is overloaded or
// broken (408, 429, 5xx), kFailedPrecondition for any other status than 200, kResourceExhausted if
// the file exceeds the limit, kDeadlineExceeded, kCancelled, kInvalidArgument for a bad url,
// kUnauthenticated if the server's certificate is not trusted, or any error from writing the file.
// Thread-safe.
absl::StatusOr<uint64_t> DownloadFile(const DownloadRequest& request);

}  // namespace flarestack::net
