// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/serve_limits.h"

#include "base/status.h"
#include "cli/flags/byte_limit.h"
#include "query/scope/time_expression.h"

namespace flarestack::cli {
namespace {

// The decoder drops attributes beyond this; see codec/otlp/values/limits.h.
constexpr uint32_t kAttributesMax = 1 << 16;
// Tables and lists are counted in 32 bits, and a message has at most 2^31 bytes.
constexpr uint32_t kEntriesMax = 1 << 26;
constexpr uint32_t kConnectionsMax = 1 << 20;
// Each upload is a store with its own files.
constexpr uint32_t kScratchUploadsMax = 1000;

template <typename Number>
void AddCount(CLI::App* app, const std::string& name, Number* number, uint64_t most,
              const std::string& help) {
  app->add_option(name, *number, help)->check(CLI::Range(uint64_t{1}, most))->capture_default_str();
}

}  // namespace

void ServeLimits::Define(CLI::App* app, server::Limits* limits) {
  limits_ = limits;
  app->option_defaults()->group("Limits of requests");
  AddSize(app, "--max-request-bytes", &limits->request_bytes_max,
          "maximum request size as sent (default 64 MiB)");
  AddSize(app, "--max-decompressed-bytes", &limits->decompressed_bytes_max,
          "maximum request size after decompression (default: --max-request-bytes)");
  AddCount(app, "--max-compression-ratio", &limits->compression_ratio_max, uint64_t{1} << 20,
           "maximum decompression ratio for requests over 1 MiB");
  AddCount(app, "--max-samples", &limits->samples_max, kEntriesMax, "maximum samples per request");
  AddCount(app, "--max-items", &limits->items_max, kEntriesMax,
           "maximum spans, log records or points per request");
  AddCount(app, "--max-table-entries", &limits->table_entries_max, kEntriesMax,
           "maximum entries per dictionary table of a request");
  AddCount(app, "--max-attributes", &limits->attributes_max, kAttributesMax,
           "maximum attributes per item; the rest are dropped");
  AddSize(app, "--max-attribute-bytes", &limits->attribute_value_bytes_max,
          "maximum attribute value length; longer values are truncated (default 64 KiB)");
  app->option_defaults()->group("Limits of stored data");
  AddCount(app, "--max-series", &limits->series_max, UINT32_MAX, "maximum profile series");
  AddCount(app, "--max-metric-series", &limits->metric_series_max, UINT32_MAX,
           "maximum metric series");
  AddSize(app, "--max-scratch-bytes", &limits->scratch_bytes_max,
          "maximum disk usage of temporary uploads; 0 disables them (default 1 GiB)");
  AddCount(app, "--max-scratch-uploads", &limits->scratch_uploads_max, kScratchUploadsMax,
           "maximum temporary uploads");
  app->option_defaults()->group("Limits of connections");
  AddSize(app, "--max-in-flight-bytes", &limits->in_flight_bytes_max,
          "maximum bytes of requests in flight (default: an eighth of --memory-limit)");
  AddCount(app, "--max-connections", &limits->connections_max, kConnectionsMax,
           "maximum connections per port");
  AddCount(app, "--max-requests", &limits->requests_max, kConnectionsMax,
           "maximum concurrent requests per port");
  app->add_option("--queue-timeout", queue_timeout_,
                  "maximum queue time of a request under load before it is rejected")
      ->capture_default_str();
  app->add_option("--header-timeout", header_timeout_,
                  "timeout for request headers and TLS handshakes")
      ->capture_default_str();
  app->add_option("--body-timeout", body_timeout_,
                  "timeout for request bodies; over HTTP plus 1s per 16 KiB")
      ->capture_default_str();
  app->add_option("--idle-timeout", idle_timeout_,
                  "idle timeout of HTTP connections; five times as long for gRPC")
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
