// SPDX-License-Identifier: Apache-2.0
#include "server/api/read_bounds.h"

namespace flarestack::server::api {

bool ReadBounds::OnProgress(const store::ReadProgress& progress) {
  const base::MutexLock lock(mutex_);
  if (stop_.has_value())
    return false;
  // The client first: one that has gone does not need the deadline.
  if (report_ != nullptr && !report_(progress))
    stop_ = Stop::kClientGone;
  else if (Clock::now() >= deadline_)
    stop_ = Stop::kDeadline;
  return !stop_.has_value();
}

bool ReadBounds::TryReserve(uint64_t bytes) {
  const base::MutexLock lock(mutex_);
  return lease_.GrowTo(bytes);
}

std::optional<ReadBounds::Stop> ReadBounds::stop() const {
  const base::MutexLock lock(mutex_);
  return stop_;
}

std::string_view StopText(ReadBounds::Stop stop) {
  return stop == ReadBounds::Stop::kDeadline ? "deadline" : "client_gone";
}

}  // namespace flarestack::server::api
