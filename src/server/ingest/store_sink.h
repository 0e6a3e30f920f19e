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
#include "store/store.h"

namespace flarestack::server {

class StoreSink : public model::Sink {
 public:
  // Called when there is data to store.
  using FindStore = std::function<absl::StatusOr<store::Store*>()>;

  // The room, the counters and the store must outlive the sink.
  StoreSink(FindStore find_store, const Room* room, base::Counters* counters)
      : find_store_(std::move(find_store)), room_(*room), counters_(*counters) {}

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
  absl::StatusOr<store::Store*> StoreWithRoom() const;

  const FindStore find_store_;
  const Room& room_;
  base::Counters& counters_;
  uint64_t items_ = 0;
  std::set<std::string> services_;
};

}  // namespace flarestack::server
