// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/clock.h"
#include "base/counters.h"
#include "base/memory/byte_budget.h"
#include "base/memory/byte_queue.h"
#include "base/mutex.h"
#include "base/status.h"
#include "model/signal.h"
#include "net/auth/auth_file.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/tls/tls_files.h"
#include "query/scope/catalogue.h"
#include "server/api/endpoint.h"
#include "server/api/endpoints.h"
#include "server/api/error.h"
#include "server/ingest/ingest_ledger.h"
#include "server/ingest/otlp_grpc.h"
#include "server/ingest/otlp_http.h"
#include "server/ingest/otlp_intake.h"
#include "server/limits/limits_of_ports.h"
#include "server/limits/memory_shares.h"
#include "server/limits/room.h"
#include "server/symbols/debuginfod_routes.h"
#include "server/tenants/scratch_uploads.h"
#include "server/tenants/tenants.h"
#include "server/ui/ui_folder.h"
#include "server/ui/ui_routes.h"
#include "server/upkeep/health_source.h"
#include "server/upkeep/housekeeping.h"
#include "server/upkeep/metrics_text.h"

namespace flarestack::server {
namespace {

using base::LogLevel;

constexpr std::string_view kThisProcess = "this process";  // used instead of a peer address

store::RocksStoreOptions StoreOptions(const ServerOptions& options,
                                      std::shared_ptr<store::DiskQuota> quota) {
  store::RocksStoreOptions store;
  store.sync_each_commit = options.sync_each_commit;
  store.memory_bytes_max = MemoryShares(options.memory_bytes_max).store_bytes;
  store.series_max = options.limits.series_max;
  store.metric_series_max = options.limits.metric_series_max;
  store.caps = {.disk_bytes = options.disk_bytes_max, .memory_bytes = options.memory_bytes_max};
  store.quota = std::move(quota);
  return store;
}

// Limits for data other than telemetry, as fractions of the disk limit. They guarantee that
// dropping hours always frees space.
constexpr uint64_t kDiskPartOfUploadedSymbols = 8;
constexpr uint64_t kDiskPartOfTables = 8;
constexpr uint64_t kDiskPartOfScratch = 16;

uint64_t WithinDisk(const ServerOptions& options, uint64_t bytes_max, uint64_t divisor) {
  return options.disk_bytes_max == 0 ? bytes_max
                                     : std::min(bytes_max, options.disk_bytes_max / divisor);
}

absl::Status CheckExposure(const ServerOptions& options) {
  const bool has_tls = !options.tls_certificate_path.empty();
  const bool has_auth = !options.auth_path.empty() || !options.tls_client_ca_path.empty();
  if (options.is_insecure || (has_tls && has_auth))
    return absl::OkStatus();
  for (const net::Address* address : {&options.otlp_grpc, &options.otlp_http, &options.http}) {
    if (!net::IsLoopback(*address)) {
      return absl::InvalidArgumentError(
          base::StrCat(net::ToString(*address), " can be reached from outside, and ",
                       has_tls ? "auth" : (has_auth ? "TLS" : "neither TLS nor auth"), " is ",
                       has_tls || has_auth ? "not " : "", "set up"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

struct Server::Impl {
  // Handlers use all members, so the ports close before any member is destroyed.
  ~Impl() { ClosePorts(); }

  // Data of this process belongs to the tenant "local".
  net::HttpHeaders LocalHeaders() const {
    net::HttpHeaders headers;
    if (options.has_tenants)
      headers.Add("X-Scope-OrgID", "local");
    return headers;
  }

  base::Counters counters;
  std::unique_ptr<base::EventLog> log;
  std::shared_ptr<base::ByteBudget> bodies;  // bodies of OTLP requests, as sent
  std::shared_ptr<base::ByteBudget> work;    // memory for processing them, and for everything else
  net::RequestQueues queues;                 // in front of both
  std::shared_ptr<net::TlsFiles> tls;
  std::shared_ptr<net::AuthFile> auth;
  std::shared_ptr<store::DiskQuota> quota;  // null: no --disk-limit
  std::unique_ptr<Tenants> tenants;
  Room room;
  IngestLedger ledger;
  std::unique_ptr<ScratchUploads> scratch;  // null: uploads are disabled
  std::unique_ptr<SourceService> sources;
  std::optional<HealthSource> health;
  std::optional<UiFolder> ui_folder;  // replaces the embedded pages
  std::span<const UiAsset> Pages() const {
    return ui_folder.has_value() ? ui_folder->assets() : UiAssets();
  }
  std::optional<OtlpIntake> intake;
  std::unique_ptr<Housekeeping> housekeeping;
  // The thread that starts and stops the server sets the ports, while handlers read them.
  base::Mutex ports_mutex;
  std::unique_ptr<net::GrpcServer> grpc FLARE_GUARDED_BY(ports_mutex);
  std::unique_ptr<net::HttpServer> otlp_http FLARE_GUARDED_BY(ports_mutex);
  std::unique_ptr<net::HttpServer> http FLARE_GUARDED_BY(ports_mutex);
  ServerOptions options;
  std::atomic<bool> is_ready = false;

  absl::Status Start();
  void MakeBudgets();
  absl::Status LoadSecrets();
  std::function<void(const absl::Status&)> ReloadFailed(std::string_view what);
  std::function<void()> Reloaded(std::string_view what);
  SymbolServiceOptions SymbolOptions();
  absl::Status OpenScratch();
  absl::Status StartOtlp();
  absl::Status StartHttp();
  std::vector<net::HttpRoute> HttpRoutes();
  std::vector<net::HttpRoute> ApiRoutes();
  std::string Metrics(const net::HttpRequest& request);

  // For the thread that sets the ports: they stay until it closes them.
  struct Ports {
    net::GrpcServer* grpc = nullptr;
    net::HttpServer* otlp_http = nullptr;
    net::HttpServer* http = nullptr;
  };
  Ports OpenPorts() {
    const base::MutexLock lock(ports_mutex);
    return {grpc.get(), otlp_http.get(), http.get()};
  }

  // Takes the ports out first: their destructors wait for handlers, which may read the members.
  void ClosePorts() {
    std::unique_ptr<net::GrpcServer> closing_grpc;
    std::unique_ptr<net::HttpServer> closing_otlp_http;
    std::unique_ptr<net::HttpServer> closing_http;
    const base::MutexLock lock(ports_mutex);
    closing_grpc = std::move(grpc);
    closing_otlp_http = std::move(otlp_http);
    closing_http = std::move(http);
  }
};

absl::Status Server::Impl::Start() {
  FLARE_RETURN_IF_ERROR(CheckExposure(options));
  FLARE_RETURN_IF_ERROR(LoadSecrets());
  if (!options.ui_dir.empty()) {
    FLARE_ASSIGN(ui_folder, UiFolder::Read(options.ui_dir));
  }
  if (options.disk_bytes_max != 0)
    quota = std::make_shared<store::DiskQuota>(options.disk_bytes_max);
  FLARE_ASSIGN(tenants, Tenants::Open({.directory = options.data_dir,
                                       .is_on = options.has_tenants,
                                       .tenants_max = options.tenants_max,
                                       .store = StoreOptions(options, quota),
                                       .symbols = SymbolOptions(),
                                       .counters = &counters,
                                       .log = log.get()}));
  if (quota != nullptr)
    quota->SetMeasured(MeasureDisk(options.data_dir).bytes, 0);
  MakeBudgets();
  FLARE_RETURN_IF_ERROR(OpenScratch());
  health.emplace(
      HealthSource::Parts{tenants.get(), &room, &counters, bodies.get(), &ledger, scratch.get()},
      HealthSource::Limits{.disk_bytes_max = options.disk_bytes_max,
                           .memory_bytes_max = options.memory_bytes_max,
                           .series_max = options.limits.series_max,
                           .has_tls = tls != nullptr},
      base::NowNanos());
  housekeeping = std::make_unique<Housekeeping>(
      tenants.get(), &room, &counters,
      HousekeepingOptions{.directory = options.data_dir,
                          .retention = options.retention,
                          .quota = quota,
                          .disk_free_bytes_min = options.disk_free_bytes_min,
                          .now_nanos = base::NowNanos,
                          .log = log.get(),
                          .scratch = scratch.get()});
  intake.emplace(
      OtlpIntake::Parts{tenants.get(), &room, &counters, log.get(), &ledger, queues.work.get()},
      ReceiverOptions(options.limits));
  FLARE_RETURN_IF_ERROR(StartHttp());
  FLARE_RETURN_IF_ERROR(StartOtlp());
  const Ports ports = OpenPorts();
  health->SetOtlpPorts(ports.grpc->port(), ports.otlp_http->port());
  is_ready = true;
  log->Write(LogLevel::kInfo, "server.start",
             {{"data_dir", options.data_dir},
              {"otlp_grpc", net::ToString({options.otlp_grpc.host, ports.grpc->port()})},
              {"otlp_http", net::ToString({options.otlp_http.host, ports.otlp_http->port()})},
              {"http", net::ToString({options.http.host, ports.http->port()})}});
  return absl::OkStatus();
}

void Server::Impl::MakeBudgets() {
  const MemoryShares shares(options.memory_bytes_max);
  bodies = std::make_shared<base::ByteBudget>(options.limits.in_flight_bytes_max != 0
                                                  ? options.limits.in_flight_bytes_max
                                                  : shares.body_bytes);
  work = std::make_shared<base::ByteBudget>(shares.work_bytes);
  queues.bodies = std::make_shared<base::ByteQueue>(bodies.get());
  queues.work = std::make_shared<base::ByteQueue>(work.get());
  queues.timeout = options.limits.queue_timeout;
}

// A symbol worker may use as much memory as the server, and is the first process to be killed when
// memory runs out.
SymbolServiceOptions Server::Impl::SymbolOptions() {
  constexpr uint64_t kWorkerBytesMin = uint64_t{1} << 30;
  constexpr uint64_t kTableBytesMax = uint64_t{512} << 20;
  SymbolServiceOptions symbols = options.symbols;
  symbols.room = &room;
  symbols.upload_bytes_max =
      WithinDisk(options, symbols.upload_bytes_max, kDiskPartOfUploadedSymbols);
  symbols.table_bytes_max = WithinDisk(options, symbols.table_bytes_max, kDiskPartOfTables);
  symbols.worker.limits.memory_bytes = std::max(options.memory_bytes_max, kWorkerBytesMin);
  symbols.worker.limits.file_bytes = kTableBytesMax;
  symbols.worker.warn = [this](const std::string& warning) {
    log->Write(LogLevel::kWarn, "symbols.unfiltered", {{"reason", warning}});
  };
  // With tenants, a path in a profile could probe for files on this host.
  symbols.uses_host_files = symbols.uses_host_files && !options.has_tenants;
  return symbols;
}

// Runs after the tenants are open, because they lock the directory. Without the lock this could
// delete files of another process.
absl::Status Server::Impl::OpenScratch() {
  ScratchOptions scratch_options;
  scratch_options.directory = options.data_dir + "/scratch";
  scratch_options.disk_bytes_max =
      WithinDisk(options, options.limits.scratch_bytes_max, kDiskPartOfScratch);
  scratch_options.uploads_max = options.limits.scratch_uploads_max;
  scratch_options.input_bytes_max = HttpLimits(options.limits).decompress.bytes_max;
  scratch_options.memory_bytes_max = MemoryShares(options.memory_bytes_max).scratch_bytes;
  scratch_options.series_max = options.limits.series_max;
  scratch_options.receiver = ReceiverOptions(options.limits);
  scratch_options.room = &room;
  scratch_options.find_symbolizer = [this](const std::string& tenant) {
    SymbolService* const symbols = tenants->Symbols(tenant);
    return symbols == nullptr ? nullptr : &symbols->symbolizer();
  };
  FLARE_ASSIGN(std::unique_ptr<ScratchUploads> opened,
               ScratchUploads::Open(std::move(scratch_options)));
  if (options.limits.scratch_bytes_max > 0)
    scratch = std::move(opened);
  return absl::OkStatus();
}

absl::Status Server::Impl::LoadSecrets() {
  if (options.tls_certificate_path.empty() != options.tls_key_path.empty() ||
      (options.tls_certificate_path.empty() && !options.tls_client_ca_path.empty()))
    return absl::InvalidArgumentError("TLS needs a certificate and its key: --tls-cert, --tls-key");
  if (!options.tls_certificate_path.empty()) {
    net::TlsOptions tls_options;
    tls_options.certificate_path = options.tls_certificate_path;
    tls_options.key_path = options.tls_key_path;
    tls_options.client_ca_path = options.tls_client_ca_path;
    tls_options.on_reload_error = ReloadFailed("tls");
    tls_options.on_reload = Reloaded("tls");
    FLARE_ASSIGN(tls, net::TlsFiles::Load(std::move(tls_options)));
  }
  if (!options.auth_path.empty()) {
    net::AuthFileOptions auth_options;
    auth_options.path = options.auth_path;
    auth_options.on_reload_error = ReloadFailed("auth");
    auth_options.on_reload = Reloaded("auth");
    auth_options.on_rejected = [this](std::string_view name, const absl::Status& status) {
      log->Write(LogLevel::kWarn, "auth.refused",
                 {{"name", name}, {"reason", base::Message(status)}});
    };
    FLARE_ASSIGN(auth, net::AuthFile::Load(std::move(auth_options)));
  }
  return absl::OkStatus();
}

std::function<void(const absl::Status&)> Server::Impl::ReloadFailed(std::string_view what) {
  return [this, what](const absl::Status& status) {
    counters.Add("flarestack_reload_failed_total", {{"what", what}}, 1);
    log->Write(LogLevel::kError, "reload.failed",
               {{"what", what}, {"error", base::Message(status)}});
  };
}

std::function<void()> Server::Impl::Reloaded(std::string_view what) {
  return [this, what] { log->Write(LogLevel::kInfo, "reload.ok", {{"what", what}}); };
}

absl::Status Server::Impl::StartOtlp() {
  net::GrpcServerOptions grpc_options;
  grpc_options.listen = options.otlp_grpc;
  grpc_options.methods = OtlpGrpcMethods(&*intake);
  grpc_options.limits = GrpcLimits(options.limits, options.memory_bytes_max);
  grpc_options.on_rejected = CountRejections("otlp_grpc", &counters);
  grpc_options.budget = bodies;
  grpc_options.queues = queues;
  grpc_options.details = OtlpGrpcDetails;
  grpc_options.tls = tls;
  grpc_options.authenticator = auth;
  auto grpc_server = net::GrpcServer::Start(std::move(grpc_options));
  if (!grpc_server.ok())
    return base::WithContext("OTLP/gRPC", grpc_server.status());
  {
    const base::MutexLock lock(ports_mutex);
    grpc = *std::move(grpc_server);
  }

  net::HttpServerOptions http_options;
  http_options.listen = options.otlp_http;
  http_options.on_rejected = CountRejections("otlp_http", &counters);
  http_options.routes = OtlpHttpRoutes(&*intake, http_options.on_rejected);
  http_options.limits = HttpLimits(options.limits);
  http_options.budget = bodies;
  http_options.queues = queues;
  http_options.error = OtlpHttpError;
  http_options.tls = tls;
  http_options.authenticator = auth;
  auto http_server = net::HttpServer::Start(std::move(http_options));
  if (!http_server.ok())
    return base::WithContext("OTLP/HTTP", http_server.status());
  const base::MutexLock lock(ports_mutex);
  otlp_http = *std::move(http_server);
  return absl::OkStatus();
}

std::string Server::Impl::Metrics(const net::HttpRequest& request) {
  std::string metrics =
      MetricsText(counters, {*bodies, *work},
                  {.disk_bytes = options.disk_bytes_max, .memory_bytes = options.memory_bytes_max});
  {
    const base::MutexLock lock(ports_mutex);
    const auto requests = [](const auto& port) {
      return port == nullptr ? 0 : port->stats().requests_in_flight;
    };
    metrics += InFlightText({{"api", requests(http)},
                             {"otlp_grpc", grpc == nullptr ? 0 : grpc->stats().calls_in_flight},
                             {"otlp_http", requests(otlp_http)}});
  }
  return metrics + StoreMetricsText(*tenants, request.principal);
}

std::vector<net::HttpRoute> Server::Impl::HttpRoutes() {
  using net::HttpRequest;
  using net::HttpResponse;
  const auto text = [](int status, std::string body) {
    HttpResponse response = {.status = status, .headers = {}, .body = std::move(body)};
    response.headers.Set("Content-Type", "text/plain; charset=utf-8");
    return response;
  };
  std::vector<net::HttpRoute> routes;
  routes.push_back({.method = "GET",
                    .pattern = "/healthz",
                    .handler = [=](HttpRequest&) { return text(200, "ok\n"); },
                    .is_probe = true});
  routes.push_back({.method = "GET",
                    .pattern = "/readyz",
                    .handler =
                        [this, text](HttpRequest&) {
                          if (!is_ready)
                            return text(503, "starting\n");
                          const absl::Status admitted = room.Admit();
                          return admitted.ok()
                                     ? text(200, "ready\n")
                                     : text(503, base::StrCat(base::Message(admitted), "\n"));
                        },
                    .is_probe = true});
  routes.push_back(
      {.method = "GET",
       .pattern = "/metrics",
       .handler = [this, text](HttpRequest& request) { return text(200, Metrics(request)); },
       .needed = net::Role::kRead,
       .is_probe = true});
  for (net::HttpRoute& route : ApiRoutes())
    routes.push_back(std::move(route));
  const auto find_symbols = [this](const HttpRequest& request) -> absl::StatusOr<SymbolService*> {
    FLARE_ASSIGN(const std::string name, tenants->NameFor({request.headers, request.principal}));
    return tenants->Symbols(name);
  };
  for (net::HttpRoute& route : DebuginfodRoutes(find_symbols))
    routes.push_back(std::move(route));
  for (net::HttpRoute& route : UiRoutes(Pages()))
    routes.push_back(std::move(route));
  return routes;
}

std::vector<net::HttpRoute> Server::Impl::ApiRoutes() {
  SourceOptions source_options = options.sources;
  source_options.texts.debuginfod_urls = options.symbols.debuginfod_urls;
  sources = std::make_unique<SourceService>(std::move(source_options));
  api::RunOptions run;
  // Each request reads the store of its tenant.
  run.find_tenant = [this](const net::HttpRequest& request) {
    return tenants->NameFor({request.headers, request.principal});
  };
  run.find_data = [this](const std::string& name) {
    const TenantData data = tenants->ForReading(name);
    return api::DataSet{.store = data.store, .names = data.names, .notes = data.store};
  };
  run.find_symbols = [this](const std::string& name,
                            bool makes_tenant) -> absl::StatusOr<SymbolService*> {
    if (makes_tenant)
      FLARE_RETURN_IF_ERROR(tenants->ForWriting(name).status());
    return tenants->Symbols(name);
  };
  run.scratch = scratch.get();
  run.sources = sources.get();
  run.health = &*health;
  run.guide = &options.guide;
  run.budget = work.get();
  run.counters = &counters;
  run.now_nanos = base::NowNanos;
  std::vector<net::HttpRoute> routes;
  for (api::Endpoint& endpoint : api::Endpoints())
    routes.push_back(api::MakeRoute(std::move(endpoint), run));
  return routes;
}

absl::Status Server::Impl::StartHttp() {
  net::HttpServerOptions http_options;
  http_options.listen = options.http;
  http_options.routes = HttpRoutes();
  http_options.limits = HttpLimits(options.limits);
  http_options.on_rejected = CountRejections("api", &counters);
  http_options.budget = work;
  http_options.error = [this](int status, std::string_view message,
                              const net::HttpRequest& request) {
    auto page = status == 404 ? NotFoundPage(Pages(), request) : std::nullopt;
    return page.has_value() ? *std::move(page) : api::HttpErrorResponse(status, message, request);
  };
  http_options.tls = tls;
  http_options.authenticator = auth;
  auto server = net::HttpServer::Start(std::move(http_options));
  if (!server.ok())
    return base::WithContext("API", server.status());
  const base::MutexLock lock(ports_mutex);
  http = *std::move(server);
  return absl::OkStatus();
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->log = std::make_unique<base::EventLog>(options.log);
  FLARE_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

namespace {

// An address to connect to: the wildcard address becomes localhost.
net::Address Reachable(const net::Address& listened, uint16_t port) {
  return {listened.host.empty() ? "localhost" : listened.host, port};
}

}  // namespace

net::Address Server::otlp_grpc() const {
  return Reachable(impl_->options.otlp_grpc, impl_->OpenPorts().grpc->port());
}
net::Address Server::otlp_http() const {
  return Reachable(impl_->options.otlp_http, impl_->OpenPorts().otlp_http->port());
}
net::Address Server::http() const {
  return Reachable(impl_->options.http, impl_->OpenPorts().http->port());
}

std::string_view Server::scheme() const { return impl_->tls == nullptr ? "http" : "https"; }

absl::Status Server::IngestLocal(model::Batch* profiles) {
  const net::HttpHeaders headers = impl_->LocalHeaders();
  const net::Principal principal;
  return impl_->intake
      ->Receive({.headers = headers, .principal = principal}, kThisProcess, profiles)
      .status;
}

absl::Status Server::IngestLocalMetrics(std::string_view request) {
  const net::HttpHeaders headers = impl_->LocalHeaders();
  const net::Principal principal;
  return impl_->intake
      ->Receive({.headers = headers, .principal = principal},
                {.signal = model::Signal::kMetrics,
                 .encoding = pipeline::Encoding::kProtobuf,
                 .body = request,
                 .peer = kThisProcess})
      .status;
}

absl::StatusOr<Server::OpenedFile> Server::OpenFile(FileToOpen file) {
  if (impl_->scratch == nullptr)
    return absl::FailedPreconditionError("uploads are disabled on this server");
  FLARE_ASSIGN(const std::shared_ptr<const Upload> upload,
               impl_->scratch->Add({.tenant = impl_->options.has_tenants ? "local" : "",
                                    .name = std::move(file.name),
                                    .bytes = std::move(file.bytes),
                                    .reader = file.reader,
                                    .now_nanos = base::NowNanos(),
                                    .life_nanos = UINT64_MAX}));
  FLARE_ASSIGN(const auto services,
               query::ListServices(query::DataSource(upload->store.get()), {}));
  std::set<std::string> types;
  for (const query::Service& service : services)
    types.insert(service.types.begin(), service.types.end());
  return OpenedFile{.id = upload->id,
                    .format = std::string(upload->format),
                    .samples = upload->samples,
                    .types = std::move(types),
                    .warnings = upload->warnings};
}

absl::Status Server::Stop(std::chrono::milliseconds grace) {
  impl_->is_ready = false;
  impl_->log->Write(LogLevel::kInfo, "server.stop");
  // All ports share one deadline, because they stop one after another.
  const auto deadline = std::chrono::steady_clock::now() + grace;
  const auto left = [&] {
    return std::max(std::chrono::milliseconds(0),
                    std::chrono::duration_cast<std::chrono::milliseconds>(
                        deadline - std::chrono::steady_clock::now()));
  };
  const Impl::Ports ports = impl_->OpenPorts();
  absl::Status result = ports.grpc->Stop(left());
  result.Update(ports.otlp_http->Stop(left()));
  result.Update(ports.http->Stop(left()));
  impl_->ClosePorts();
  impl_->housekeeping.reset();
  impl_->scratch.reset();
  impl_->tenants.reset();
  impl_->log->Write(LogLevel::kInfo, "server.stopped",
                    {{"requests_cut", result.ok() ? "no" : "yes"}});
  return result;
}

}  // namespace flarestack::server
