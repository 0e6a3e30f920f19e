// SPDX-License-Identifier: Apache-2.0
//
// The server's log: one line per event, for people or for machines.
//
//   log.Write(LogLevel::kWarn, "auth.refused", {{"name", "anna"}, {"reason", "no such role"}});
//
//   2026-03-01T12:30:00.123Z warn auth.refused name=anna reason="no such role"
//   {"time":"2026-03-01T12:30:00.123Z","level":"warn","event":"auth.refused","name":"anna",...}
//
// A repeated event is written only once per interval, with the number of suppressed repeats. Never
// put a secret into a field: log who and why, not the credential.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"

namespace flarestack::base {

enum class LogLevel : uint8_t { kInfo, kWarn, kError, kOff };
enum class LogFormat : uint8_t { kText, kJson };

std::optional<LogLevel> ParseLogLevel(std::string_view name);  // "info", "warn", "error", "off"

struct EventLogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level_min = LogLevel::kInfo;
  uint64_t repeat_nanos = 10'000'000'000;            // between lines of the same event and fields
  std::function<void(std::string_view line)> write;  // null: standard error
  std::function<uint64_t()> now_nanos;               // null: the system clock
};

class EventLog {
 public:
  using Field = std::pair<std::string_view, std::string_view>;

  explicit EventLog(EventLogOptions options = {});

  void Write(LogLevel level, std::string_view event, std::initializer_list<Field> fields = {});

 private:
  struct Repeat {
    uint64_t written_nanos = 0;
    uint64_t left_out = 0;
  };

  // Returns the number of lines suppressed before this one, or nullopt if this one is suppressed
  // too.
  std::optional<uint64_t> Take(const std::string& key, uint64_t now) FLARE_REQUIRES(mutex_);

  const EventLogOptions options_;
  Mutex mutex_;
  std::map<std::string, Repeat> repeats_ FLARE_GUARDED_BY(mutex_);  // by event and fields
};

}  // namespace flarestack::base
