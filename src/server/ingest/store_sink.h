// SPDX-License-Identifier: Apache-2.0
//
// A sink that writes to the store.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "base/counters.h"
#include "model/sink.h"
#include "server/limits/room.h"
#include "server/tenants/tenants.h"

namespace flarestack::server {

class StoreSink : public model::Sink {
 public:
  // Called when there is something to store.
  using FindData = std::function<absl::StatusOr<TenantData>()>;

  // The room, the counters and the data must outlive the sink.
  StoreSink(FindData find_data, const Room* room, base::Counters* counters)
      : find_data_(std::move(find_data)), room_(*room), counters_(*counters) {}

  absl::StatusOr<model::Pushed> Push(const model::Batch& batch) override;
  absl::Status Push(const model::TraceBatch& batch) override;
  absl::Status Push(const model::LogBatch& batch) override;
  absl::StatusOr<model::Pushed> Push(const model::MetricBatch& batch) override;

  // Totals so far, for the ledger.
  uint64_t items() const { return items_; }                            // stored
  const std::set<std::string>& services() const { return services_; }  // the first few

 private:
  void NoteServices(const model::Batch& batch);
  void NoteServices(const model::SignalBatch& batch);
  void NoteService(std::string name);
  model::Pushed BeyondSeriesLimit(std::string_view signal, std::string_view items, uint64_t count);
  absl::StatusOr<TenantData> DataWithRoom() const;

  const FindData find_data_;
  const Room& room_;
  base::Counters& counters_;
  uint64_t items_ = 0;
  std::set<std::string> services_;
};

}  // namespace flarestack::server
