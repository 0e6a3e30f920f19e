// SPDX-License-Identifier: Apache-2.0
//
// A window of the story as the four OTLP signals. Each has its file: traces.cc, logs.cc,
// metrics.cc, profiles.cc.
#pragma once

#include <string>
#include <vector>

#include "codec/otlp/export_response.h"
#include "demo/timeline.h"
#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/signal.h"
#include "model/trace.h"

namespace flarestack::demo {

model::TraceBatch TracesOf(const Window& window);
model::LogBatch LogsOf(const Window& window);
model::MetricBatch MetricsOf(const Timeline& timeline, const Window& window);
model::Batch ProfilesOf(const Timeline& timeline, const Window& window);

// An export request in protobuf.
struct Message {
  model::Signal signal;
  std::string bytes;
};

std::vector<Message> MessagesOf(const Timeline& timeline, const Window& window);

}  // namespace flarestack::demo
