// SPDX-License-Identifier: Apache-2.0
//
// The daemon: a store, the ports that receive data and the port that serves queries.
//
//   4317  OTLP/gRPC     4318  OTLP/HTTP     4040  API, /metrics, /healthz, /readyz
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/event_log.h"
#include "codec/format/format.h"
#include "codec/otlp/export_response.h"
#include "net/address.h"
#include "server/limits/limits.h"
#include "server/symbols/source_service.h"
#include "server/symbols/symbol_service.h"
#include "server/ui/guide.h"
#include "store/store.h"

namespace flarestack::server {

struct ServerOptions {
  std::string data_dir;
  net::Address otlp_grpc = {"127.0.0.1", 4317};
  net::Address otlp_http = {"127.0.0.1", 4318};
  net::Address http = {"127.0.0.1", 4040};
  store::SignalTimes retention;  // per signal, ns; 0: forever
  uint64_t disk_bytes_max = 0;   // 0: no limit
  uint64_t disk_free_bytes_min = 64 << 20;
  uint64_t memory_bytes_max = uint64_t{2} << 30;
  bool sync_each_commit = true;
  Limits limits;
  SymbolServiceOptions symbols;  // the server sets the directory
  SourceOptions sources;         // also uses the debuginfod servers of `symbols`
  bool has_tenants = false;      // selected by the header X-Scope-OrgID
  uint32_t tenants_max = 100;
  std::string tls_certificate_path;  // empty: plain text
  std::string tls_key_path;
  std::string tls_client_ca_path;  // set: clients must present a certificate
  std::string auth_path;           // empty: no authentication
  std::string ui_dir;              // serves pages from this folder; empty: the embedded ones
  base::EventLogOptions log;
  bool is_insecure = false;  // allows non-loopback addresses without TLS and auth
  Guide guide;               // the response of GET /api/v1/guide
};

class Server {
 public:
  // Returns once all ports accept requests.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);
  ~Server();

  // The actual addresses, with the port that the kernel assigned for port 0.
  net::Address otlp_grpc() const;
  net::Address otlp_http() const;
  net::Address http() const;
  std::string_view scheme() const;  // "http" or "https"

  // Stores profiles of this process as if a port had received them; with tenants, for the tenant
  // "local". Modifies `profiles`. Counts and logs failures.
  absl::Status IngestLocal(model::Batch* profiles);

  // The same for metrics, an ExportMetricsServiceRequest in protobuf.
  absl::Status IngestLocalMetrics(std::string_view request);

  // Adds a profile in any format as an upload of the API (scratch=ID) that lasts until the server
  // stops. Returns the errors of ScratchUploads::Add.
  struct OpenedFile {
    std::string id;
    std::string format;
    uint64_t samples = 0;
    std::set<std::string> types;  // "cpu:nanoseconds"
    std::vector<std::string> warnings;
  };
  struct FileToOpen {
    std::string name;
    std::string bytes;
    const codec::Reader* reader = nullptr;  // null: detect the format from the content
  };
  absl::StatusOr<OpenedFile> OpenFile(FileToOpen file);

  // Stops accepting requests, lets running ones finish within `grace`, and closes the store.
  absl::Status Stop(std::chrono::milliseconds grace);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::server
