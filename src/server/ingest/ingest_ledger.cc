// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/ingest_ledger.h"

#include <algorithm>

#include "base/text/encoding.h"

namespace flarestack::server {
namespace {

// Drops the port, which differs for each connection.
std::string_view HostOf(std::string_view peer) { return peer.substr(0, peer.rfind(':')); }

}  // namespace

void IngestLedger::Note(const NotedRequest& request) {
  const base::MutexLock lock(mutex_);
  auto at = books_.find(request.tenant);
  if (at == books_.end()) {
    if (books_.size() >= limits_.tenants_max)
      return;
    at = books_.emplace(std::string(request.tenant), Book()).first;
  }
  Book& book = at->second;
  SignalTotals& totals = book.signals[static_cast<size_t>(request.signal)];
  ++totals.requests;
  totals.failed += request.error.empty() ? 0 : 1;
  totals.items += request.items;
  totals.rejected += request.rejected;
  totals.bytes += request.bytes;
  if (request.items > 0)
    totals.last_nanos = std::max(totals.last_nanos, request.time_nanos);
  if (request.services.empty())
    NoteSender(request, "", &book);
  for (const std::string& service : request.services)
    NoteSender(request, service, &book);
}

void IngestLedger::NoteSender(const NotedRequest& request, std::string_view service,
                              Book* book) const {
  const auto cut = [this](std::string_view text) {
    return base::ToValidUtf8(text.substr(0, limits_.text_bytes_max));
  };
  std::pair<std::string, std::string> key(cut(HostOf(request.peer)), cut(service));
  auto at = book->senders.find(key);
  if (at == book->senders.end()) {
    if (book->senders.size() >= limits_.senders_max) {
      book->senders.erase(std::ranges::min_element(
          book->senders, {}, [](const auto& entry) { return entry.second.last_nanos; }));
      ++book->senders_forgotten;
    }
    SenderTotals fresh = {.host = key.first, .service = key.second};
    at = book->senders.emplace(std::move(key), std::move(fresh)).first;
  }
  SenderTotals& sender = at->second;
  ++sender.requests;
  sender.bytes += request.bytes;
  sender.last_nanos = std::max(sender.last_nanos, request.time_nanos);
  if (!request.error.empty()) {
    ++sender.failed;
    sender.last_error = cut(request.error);
  }
}

IngestReport IngestLedger::ReportFor(std::string_view tenant) const {
  IngestReport report;
  const base::MutexLock lock(mutex_);
  const auto at = books_.find(tenant);
  if (at == books_.end())
    return report;
  report.signals = at->second.signals;
  report.senders_forgotten = at->second.senders_forgotten;
  for (const auto& [key, sender] : at->second.senders)
    report.senders.push_back(sender);
  std::ranges::stable_sort(report.senders, std::greater(), &SenderTotals::last_nanos);
  return report;
}

}  // namespace flarestack::server
