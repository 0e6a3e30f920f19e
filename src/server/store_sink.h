// SPDX-License-Identifier: Apache-2.0
//
// The store as the end of a pipeline.
#pragma once

#include "base/counters.h"
#include "model/sink.h"
#include "server/housekeeping.h"
#include "store/store.h"

namespace flarestack::server {

class StoreSink : public model::Sink {
 public:
  // All must outlive the sink.
  StoreSink(store::Store* store, const Housekeeping* housekeeping, base::Counters* counters)
      : store_(*store), housekeeping_(*housekeeping), counters_(*counters) {}

  absl::StatusOr<model::Pushed> Push(const model::Batch& batch) override;
  absl::Status Push(const model::TraceBatch& batch) override;
  absl::Status Push(const model::LogBatch& batch) override;
  absl::StatusOr<model::Pushed> Push(const model::MetricBatch& batch) override;

 private:
  model::Pushed BeyondSeriesLimit(std::string_view signal, std::string_view items, uint64_t count);

  store::Store& store_;
  const Housekeeping& housekeeping_;
  base::Counters& counters_;
};

}  // namespace flarestack::server
