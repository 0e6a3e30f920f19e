// SPDX-License-Identifier: Apache-2.0
#include "record/export/retry_delay.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <random>
#include <string>

namespace flarestack::record::exporting {

std::chrono::milliseconds BackOff(int failures, const BackOffLimits& limits) {
  thread_local std::minstd_rand random(std::random_device{}());
  int64_t base = std::max<int64_t>(limits.first.count(), 1);
  for (int i = 0; i < failures && base < limits.longest.count(); ++i)
    base *= 2;
  base = std::max<int64_t>(std::min<int64_t>(base, limits.longest.count()), 1);
  return std::chrono::milliseconds(base / 2 + static_cast<int64_t>(random()) % base);
}

std::optional<std::chrono::milliseconds> ParseRetryAfter(
    std::string_view header, std::chrono::system_clock::time_point now) {
  uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (error == std::errc() && end == header.data() + header.size())
    return std::chrono::seconds(seconds);
  std::tm date = {};
  const std::string text(header);
  const char* const rest = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (rest == nullptr || *rest != '\0')
    return std::nullopt;
  const auto at = std::chrono::system_clock::from_time_t(timegm(&date));
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(at - now));
}

}  // namespace flarestack::record::exporting
