// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_limits.h"

#include "base/status.h"
#include "cli/byte_limit.h"
#include "query/time_expression.h"

namespace flarestack::cli {
namespace {

// Attributes beyond this are not even decoded; see codec/otlp/limits.h.
constexpr uint32_t kAttributesMax = 1 << 16;
// Tables and lists are counted in 32 bits, and a message has at most 2^31 bytes.
constexpr uint32_t kEntriesMax = 1 << 26;
constexpr uint32_t kConnectionsMax = 1 << 20;
// Each is a store with its own files.
constexpr uint32_t kScratchUploadsMax = 1000;

template <typename Number>
void AddCount(CLI::App* app, const std::string& name, Number* number, uint64_t most,
              const std::string& help) {
  app->add_option(name, *number, help)->check(CLI::Range(uint64_t{1}, most))->capture_default_str();
}

}  // namespace

void ServeLimits::Define(CLI::App* app, server::Limits* limits) {
  limits_ = limits;
  AddSize(app, "--max-request-bytes", &limits->request_bytes_max,
          "largest request, as sent (default 64 MiB)");
  AddSize(app, "--max-decompressed-bytes", &limits->decompressed_bytes_max,
          "largest request after decompression (default: that of --max-request-bytes)");
  AddCount(app, "--max-compression-ratio", &limits->compression_ratio_max, uint64_t{1} << 20,
           "how many times a request beyond 1 MiB may grow in decompression");
  AddCount(app, "--max-samples", &limits->samples_max, kEntriesMax, "most samples of a request");
  AddCount(app, "--max-items", &limits->items_max, kEntriesMax,
           "most spans, log records or points of a request");
  AddCount(app, "--max-table-entries", &limits->table_entries_max, kEntriesMax,
           "most entries of each table of a request's dictionary");
  AddCount(app, "--max-attributes", &limits->attributes_max, kAttributesMax,
           "most attributes of an item; more are dropped");
  AddSize(app, "--max-attribute-bytes", &limits->attribute_value_bytes_max,
          "longest value of an attribute; what is longer is cut (default 64 KiB)");
  AddCount(app, "--max-series", &limits->series_max, UINT32_MAX, "most series of samples");
  AddCount(app, "--max-metric-series", &limits->metric_series_max, UINT32_MAX,
           "most series of points");
  AddSize(app, "--max-scratch-bytes", &limits->scratch_bytes_max,
          "most bytes on disk of files uploaded to be looked at; 0: none (default 1 GiB)");
  AddCount(app, "--max-scratch-uploads", &limits->scratch_uploads_max, kScratchUploadsMax,
           "most such files");
  AddSize(app, "--max-in-flight-bytes", &limits->in_flight_bytes_max,
          "most bytes of requests on their way (default: an eighth of --memory-limit)");
  AddCount(app, "--max-connections", &limits->connections_max, kConnectionsMax,
           "most connections of each port");
  AddCount(app, "--max-requests", &limits->requests_max, kConnectionsMax,
           "most requests of each port at the same time");
  app->add_option("--queue-timeout", queue_timeout_,
                  "how long a request may wait for its turn under load before it is refused")
      ->capture_default_str();
  app->add_option("--header-timeout", header_timeout_,
                  "how long the head of a request, or a TLS handshake, may take")
      ->capture_default_str();
  app->add_option("--body-timeout", body_timeout_,
                  "how long a body may take; over HTTP and 1s for each 16 KiB")
      ->capture_default_str();
  app->add_option("--idle-timeout", idle_timeout_,
                  "how long an HTTP connection may wait for a request; of gRPC five times as long")
      ->capture_default_str();
}

std::optional<Failure> ServeLimits::Read() {
  struct Row {
    const char* flag;
    const std::string& text;
    std::chrono::milliseconds* time;
  };
  for (const Row& row : {Row{"--header-timeout", header_timeout_, &limits_->header_timeout},
                         Row{"--queue-timeout", queue_timeout_, &limits_->queue_timeout},
                         Row{"--body-timeout", body_timeout_, &limits_->body_timeout},
                         Row{"--idle-timeout", idle_timeout_, &limits_->idle_timeout}}) {
    const auto nanos = query::ParseDuration(row.text);
    const auto milliseconds = nanos.ok() ? std::chrono::duration_cast<std::chrono::milliseconds>(
                                               std::chrono::nanoseconds(*nanos))
                                         : std::chrono::milliseconds(0);
    if (milliseconds < std::chrono::milliseconds(1) || milliseconds > std::chrono::hours(24)) {
      return Failure{std::string("cannot use ") + row.flag,
                     nanos.ok() ? row.text + " is not between 1ms and 24h"
                                : std::string(base::Message(nanos.status())),
                     "a duration such as 500ms or 10s"};
    }
    *row.time = milliseconds;
  }
  return std::nullopt;
}

}  // namespace flarestack::cli
