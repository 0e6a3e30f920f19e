// SPDX-License-Identifier: Apache-2.0
//
// Counts log records by service, severity and pattern of their text, for the filters beside a list
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
// digits, replaced by "#". Records that one statement of a program writes have the same pattern.
std::string LogPattern(std::string_view body);

// Not thread-safe. Memory is bounded: of the services and of the patterns, the first 1000 values
// are counted by value; later ones go into `other`.
class LogFacets {
 public:
  void Add(const model::LogBatch& batch);

  // The `limit` most frequent values of each facet, and as `other` how many records have none of
  // them. Severities are listed from the worst on, without a limit.
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
