// SPDX-License-Identifier: Apache-2.0
//
// Counts log records by service, severity and pattern of their text, for the filters next to a list
// of logs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/log.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

inline constexpr std::array<std::string_view, 6> kSeverityNames = {"trace", "debug", "info",
                                                                   "warn",  "error", "fatal"};

// 0 for a record without a valid severity, else one more than its index in kSeverityNames.
size_t SeverityLine(const model::LogRecord& record);

// The first 120 bytes of `body` with each number, and each word of eight or more hexadecimal
// digits, replaced by "#". Records written by the same log statement have the same pattern.
std::string LogPattern(std::string_view body);

// Not thread-safe. Memory is bounded: the first 1000 services and patterns are counted
// individually; later ones count as `other`.
class LogFacets {
 public:
  void Add(const model::LogBatch& batch);

  // The `limit` most frequent values of each facet; all other records count as `other`. All
  // severities are listed, the worst first.
  Json ToJson(size_t limit) const;

 private:
  struct Counts {
    std::map<std::string, uint64_t, std::less<>> values;
    uint64_t untracked = 0;

    void Add(std::string_view value, uint64_t count);
    Json ToJson(size_t limit) const;
  };

  Counts services_;
  Counts patterns_;
  std::array<uint64_t, kSeverityNames.size() + 1> severities_ = {};
};

}  // namespace flarestack::server::api
