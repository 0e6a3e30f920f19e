// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace flarestack::server {

// How long a client should wait before a retry, when the store could not serve its request.
inline constexpr std::chrono::seconds kRetryDelay{1};

}  // namespace flarestack::server
