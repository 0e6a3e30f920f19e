// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/clock.h"
#include "base/status.h"
#include "base/text/human_value.h"
#include "model/signal.h"
#include "server/api/health/health.h"

namespace flarestack::server::api {
namespace {

using Severity = Problem::Severity;

constexpr uint64_t kSilenceNanos = 10 * base::kNanosPerMinute;
constexpr double kNearly = 0.9;  // of a limit

std::string Bytes(uint64_t bytes) {
  return base::HumanValue(static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)), "bytes");
}

std::string Ago(uint64_t nanos) {
  const uint64_t seconds = nanos / base::kNanosPerSecond;
  if (seconds < 120)
    return base::StrCat(seconds, " seconds");
  if (seconds < 120 * 60)
    return base::StrCat(seconds / 60, " minutes");
  return seconds < 48 * 3600 ? base::StrCat(seconds / 3600, " hours")
                             : base::StrCat(seconds / 86400, " days");
}

uint64_t Since(uint64_t then, uint64_t now) { return now - std::min(then, now); }

bool IsNear(uint64_t value, uint64_t limit) {
  return limit != 0 && static_cast<double>(value) >= kNearly * static_cast<double>(limit);
}

void FindSilence(const HealthFacts& facts, std::vector<Problem>* problems) {
  const SignalTotals& profiles = facts.ingest.of(model::Signal::kProfiles);
  const bool has_any = std::ranges::any_of(
      facts.ingest.signals, [](const SignalTotals& totals) { return totals.last_nanos != 0; });
  const uint64_t running = Since(facts.started_nanos, facts.now_nanos);
  constexpr std::string_view kHowToSend =
      "point an OTLP exporter at this server, or send a file: flarestack send FILE";
  if (!has_any) {
    problems->push_back({running < kSilenceNanos ? Severity::kInfo : Severity::kWarning,
                         "nothing_received",
                         base::StrCat("no data received since the start, ", Ago(running), " ago"),
                         std::string(kHowToSend)});
  } else if (profiles.last_nanos == 0) {
    problems->push_back({Severity::kInfo, "no_profiles",
                         base::StrCat("no profiles received since the start, ", Ago(running),
                                      " ago; other signals were received"),
                         "enable profiles in the sender, or add a profiler"});
  } else if (Since(profiles.last_nanos, facts.now_nanos) > kSilenceNanos) {
    problems->push_back(
        {Severity::kWarning, "profiles_stopped",
         base::StrCat("no profiles received in the last 10 minutes; the last one arrived ",
                      Ago(Since(profiles.last_nanos, facts.now_nanos)), " ago"),
         "check that the senders below are running, and check their logs"});
  }
}

void FindStoreProblems(const HealthFacts& facts, std::vector<Problem>* problems) {
  if (!facts.store_status.ok()) {
    problems->push_back(
        {Severity::kError, "store_unavailable",
         base::StrCat("the store does not respond: ", base::Message(facts.store_status)),
         "check the disk and the server log"});
  }
  if (facts.reopen_failed > 0 && !facts.store_status.ok()) {
    problems->push_back({Severity::kError, "store_reopen_failed",
                         base::StrCat("the store could not be reopened after a failed write, ",
                                      facts.reopen_failed, " times"),
                         "free disk space; the server retries automatically"});
  }
  if (facts.is_full) {
    problems->push_back({Severity::kError, "disk_full", "the disk is full: new data is rejected",
                         "free disk space, raise --disk-limit, or lower --retention"});
  }
  if (IsNear(facts.store.disk_bytes, facts.disk_bytes_max) && !facts.is_full) {
    problems->push_back(
        {Severity::kInfo, "disk_limit",
         base::StrCat("the disk limit is nearly reached (", Bytes(facts.store.disk_bytes), " of ",
                      Bytes(facts.disk_bytes_max), "): the oldest data is deleted first"),
         "raise --disk-limit to keep data longer"});
  }
  if (IsNear(facts.store.series, facts.series_max)) {
    problems->push_back(
        {Severity::kWarning, "series_limit",
         base::StrCat("there are ", facts.store.series, " series of samples, and may be ",
                      facts.series_max, ": profiles of new series are rejected"),
         "reduce resource attributes with many values (/api/v1/attrs), or raise --max-series"});
  }
  if (facts.housekeeping_failed > 0) {
    problems->push_back({Severity::kWarning, "housekeeping_failed",
                         base::StrCat("housekeeping failed ", facts.housekeeping_failed, " times"),
                         "see housekeeping.failed in the server log"});
  }
}

struct DropWords {
  std::string_view reason;
  std::string_view advice;
};
constexpr DropWords kDropWords[] = {
    {"disk_limit", "raise --disk-limit to keep data longer"},
    {"series_limit", "raise --max-series, or send fewer high-cardinality attributes"},
    {"credentials", "configure the senders with a token from the auth file"},
    {"role", "grant the credentials the role: write for senders, read for the API"},
    {"rate_limit", "raise the rate limit of these credentials in the auth file"},
    {"body_too_large", "send smaller batches, or raise --max-request-bytes"},
    {"bytes_in_flight", "send less at once, or raise --memory-limit"},
    {"connections", "raise --max-connections"},
    {"requests", "raise --max-requests"},
};

// Drops that are expected, or that concern only the client of the API.
bool IsOrdinary(const Drop& drop) {
  return drop.reason == "retention" || drop.reason == "duplicate" || drop.port == "api";
}

void FindDrops(const HealthFacts& facts, std::vector<Problem>* problems) {
  for (const Drop& drop : facts.drops) {
    if (drop.count == 0 || IsOrdinary(drop))
      continue;
    const auto words = std::ranges::find(kDropWords, drop.reason, &DropWords::reason);
    const bool is_by_limit = drop.reason == "disk_limit";
    std::string message = base::StrCat(drop.count, " ", drop.what);
    if (!drop.signal.empty())
      base::StrAppend(&message, " of ", drop.signal);
    if (!drop.port.empty())
      base::StrAppend(&message, " at the port ", drop.port);
    base::StrAppend(&message,
                    is_by_limit ? " of the oldest data were deleted since the start: "
                                : " were dropped or changed since the start: ",
                    drop.reason);
    problems->push_back(
        {is_by_limit ? Severity::kInfo : Severity::kWarning, is_by_limit ? "removed" : "dropped",
         std::move(message),
         std::string(words == std::end(kDropWords) ? "docs/reference/serve.md explains the reason"
                                                   : words->advice)});
  }
}

}  // namespace

std::vector<Problem> FindProblems(const HealthFacts& facts) {
  std::vector<Problem> problems;
  FindStoreProblems(facts, &problems);
  FindSilence(facts, &problems);
  FindDrops(facts, &problems);
  for (const SenderTotals& sender : facts.ingest.senders) {
    if (sender.failed == 0 || sender.failed != sender.requests)
      continue;
    problems.push_back({Severity::kWarning, "sender_failing",
                        base::StrCat("all ", sender.requests, " requests of ", sender.host,
                                     " failed; last error: ", sender.last_error),
                        "check the data and settings of this sender"});
  }
  std::ranges::stable_sort(problems, std::greater(), &Problem::severity);
  return problems;
}

}  // namespace flarestack::server::api
