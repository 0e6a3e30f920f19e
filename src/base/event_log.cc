// SPDX-License-Identifier: Apache-2.0
#include "base/event_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/clock.h"
#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::base {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"info", "warn", "error", "off"};

// Distinct events to remember. Capped because senders choose some fields.
constexpr size_t kRepeatsMax = 1000;
// Capped because a sender may have chosen the value.
constexpr size_t kValueBytesMax = 1000;

// Writes a line with a single call, so that lines of several processes do not interleave.
void WriteToStandardError(std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = write(STDERR_FILENO, line.data(), line.size());
    if (count <= 0)
      return;  // there is nowhere to report the failure
    line.remove_prefix(static_cast<size_t>(count));
  }
}

std::string TimeText(uint64_t nanos) {
  const auto seconds = static_cast<time_t>(nanos / kNanosPerSecond);
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text = {};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string millis = StrCat(1000 + nanos / 1'000'000 % 1000);
  return StrCat(std::string_view(text.data(), size), ".", std::string_view(millis).substr(1), "Z");
}

bool IsPlain(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '"' && c != '=' && c != '\\';
  });
}

class Line {
 public:
  explicit Line(LogFormat format) : format_(format) {}

  // The text format shows time, level and event without their keys.
  void AddHead(std::string_view key, std::string_view value) {
    if (format_ == LogFormat::kJson)
      return Add(key, value);
    StrAppend(&text_, text_.empty() ? "" : " ", value);
  }
  void Add(std::string_view key, std::string_view value) {
    value = value.substr(0, kValueBytesMax);
    if (format_ == LogFormat::kJson) {
      text_ += text_.empty() ? "{" : ",";
      AppendJsonString(key, &text_);
      text_ += ":";
      AppendJsonString(value, &text_);
      return;
    }
    StrAppend(&text_, " ", key, "=");
    if (IsPlain(value))
      text_ += value;
    else
      AppendJsonString(value, &text_);
  }
  std::string Finish() && {
    text_ += format_ == LogFormat::kJson ? "}\n" : "\n";
    return std::move(text_);
  }

 private:
  const LogFormat format_;
  std::string text_;
};

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  const auto found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end())
    return std::nullopt;
  return static_cast<LogLevel>(found - kLevelNames.begin());
}

EventLog::EventLog(EventLogOptions options)
    : options_([&] {
        if (options.write == nullptr)
          options.write = WriteToStandardError;
        if (options.now_nanos == nullptr)
          options.now_nanos = NowNanos;
        return std::move(options);
      }()) {}

void EventLog::Write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) {
  if (level < options_.level_min || level >= LogLevel::kOff)
    return;
  std::string key(event);
  for (const auto& [name, value] : fields)
    StrAppend(&key, "\n", name, "=", value.substr(0, kValueBytesMax));
  const uint64_t now = options_.now_nanos();
  const MutexLock lock(mutex_);
  const std::optional<uint64_t> left_out = Take(key, now);
  if (!left_out.has_value())
    return;
  Line line(options_.format);
  line.AddHead("time", TimeText(now));
  line.AddHead("level", kLevelNames[static_cast<size_t>(level)]);
  line.AddHead("event", event);
  for (const auto& [name, value] : fields)
    line.Add(name, value);
  if (*left_out > 0)
    line.Add("repeated", StrCat(*left_out));
  options_.write(std::move(line).Finish());
}

std::optional<uint64_t> EventLog::Take(const std::string& key, uint64_t now) {
  const auto found = repeats_.find(key);
  if (found == repeats_.end()) {
    // At the cap, evict the events that have been quiet for a while, or all of them if none has.
    // The next line of an evicted event does not report its suppressed repeats.
    if (repeats_.size() >= kRepeatsMax) {
      std::erase_if(repeats_, [&](const auto& entry) {
        return now >= entry.second.written_nanos + options_.repeat_nanos;
      });
    }
    if (repeats_.size() >= kRepeatsMax)
      repeats_.clear();
    repeats_[key] = {.written_nanos = now};
    return 0;
  }
  Repeat& repeat = found->second;
  // If the clock was set back, write the line: the log must not go silent.
  if (now >= repeat.written_nanos && now < repeat.written_nanos + options_.repeat_nanos) {
    ++repeat.left_out;
    return std::nullopt;
  }
  const uint64_t left_out = repeat.left_out;
  repeat = {.written_nanos = now};
  return left_out;
}

}  // namespace flarestack::base
