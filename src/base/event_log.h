// SPDX-License-Identifier: Apache-2.0
//
// What a server says about itself: one line for each event, for people or for machines.
//
//   log.Write(LogLevel::kWarn, "auth.refused", {{"name", "anna"}, {"reason", "no such role"}});
//
//   2026-03-01T12:30:00.123Z warn auth.refused name=anna reason="no such role"
//   {"time":"2026-03-01T12:30:00.123Z","level":"warn","event":"auth.refused","name":"anna",...}
//
// An event that repeats itself is written once in a while, with the number of those left out.
// Secrets are never a field: whoever writes an event names who and why, and not with what.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace flarestack::base {

enum class LogLevel : uint8_t { kInfo, kWarn, kError, kOff };
enum class LogFormat : uint8_t { kText, kJson };

std::optional<LogLevel> ParseLogLevel(std::string_view name);  // "info", "warn", "error", "off"

struct EventLogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level_min = LogLevel::kInfo;
  uint64_t repeat_nanos = 10'000'000'000;            // between lines of the same event and fields
  std::function<void(std::string_view line)> write;  // null: standard error
  std::function<uint64_t()> now_nanos;               // null: the clock of the machine
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

  // How many lines were left out before this one; nothing when it is to be left out too.
  std::optional<uint64_t> Take(const std::string& key, uint64_t now);

  const EventLogOptions options_;
  std::mutex mutex_;
  std::map<std::string, Repeat> repeats_;  // by event and fields; guarded by mutex_
};

}  // namespace flarestack::base
