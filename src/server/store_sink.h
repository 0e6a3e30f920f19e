// SPDX-License-Identifier: Apache-2.0
//
// The store as the end of a pipeline.
#pragma once

#include "base/counters.h"
#include "model/sink.h"
#include "store/store.h"

namespace flarestack::server {

class StoreSink : public model::Sink {
 public:
  // Both must outlive the sink.
  StoreSink(store::Store* store, base::Counters* counters) : store_(*store), counters_(*counters) {}

  absl::Status Push(const model::Batch& batch) override;
  absl::Status Push(const model::TraceBatch& batch) override { return store_.AppendTraces(batch); }
  absl::Status Push(const model::LogBatch& batch) override { return store_.AppendLogs(batch); }
  absl::Status Push(const model::MetricBatch& batch) override {
    return store_.AppendMetrics(batch);
  }

 private:
  store::Store& store_;
  base::Counters& counters_;
};

}  // namespace flarestack::server
