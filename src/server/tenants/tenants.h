// SPDX-License-Identifier: Apache-2.0
//
// Maps requests to tenants, and tenants to their stores. With tenants enabled, each tenant has its
// own store in DATA_DIR/tenants/NAME and cannot see the data of others. Otherwise one store in
// DATA_DIR serves all requests.
//
// Thread-safe. A store is created with the first data of its tenant and stays open until the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/counters.h"
#include "base/event_log.h"
#include "base/mutex.h"
#include "net/http/http_message.h"
#include "net/principal.h"
#include "query/data/profile_names.h"
#include "server/symbols/symbol_service.h"
#include "store/rocks/rocks_store.h"
#include "store/store.h"

namespace flarestack::server {

inline constexpr std::string_view kTenantHeader = "X-Scope-OrgID";

struct TenantsOptions {
  std::string directory;  // DATA_DIR
  bool is_on = false;
  uint32_t tenants_max = 100;
  store::RocksStoreOptions store;  // per tenant, except for directory and memory
  // Per tenant, except for the directory. Unset: no symbolization.
  std::optional<SymbolServiceOptions> symbols;
  // Required; must outlive the tenants.
  base::Counters* counters = nullptr;
  base::EventLog* log = nullptr;
};

// The sender of a request. For gRPC, the headers are the metadata of the call.
struct Caller {
  const net::HttpHeaders& headers;
  const net::Principal& principal;
};

// Whether the credentials allow access to this tenant.
bool MayUse(const net::Principal& principal, std::string_view tenant);

// Both are null for a tenant without data. `names` is also null without symbolization.
struct TenantData {
  store::Store* store = nullptr;
  query::ProfileNames* names = nullptr;
};

class Tenants {
 public:
  // Opens all existing stores. Returns kFailedPrecondition if the directory was used in the other
  // mode, or is in use.
  static absl::StatusOr<std::unique_ptr<Tenants>> Open(TenantsOptions options);

  bool is_on() const { return options_.is_on; }
  uint32_t tenants_max() const { return options_.tenants_max; }

  // Empty if tenants are off. Returns kUnauthenticated if the header is missing, kInvalidArgument
  // for an invalid name, and kPermissionDenied if the credentials are bound to other tenants.
  absl::StatusOr<std::string> NameFor(const Caller& caller) const;

  // Creates the store of a new tenant. Returns kResourceExhausted at the limit of tenants.
  absl::StatusOr<TenantData> ForWriting(const std::string& name);

  // Creates nothing.
  TenantData ForReading(const std::string& name) const { return Find(name); }

  // Null for a tenant without data, and without symbolization.
  SymbolService* Symbols(const std::string& name) const;

  struct Named {
    std::string name;
    store::Store* store = nullptr;
  };
  std::vector<Named> All() const;  // by name

 private:
  explicit Tenants(TenantsOptions options) : options_(std::move(options)) {}
  absl::Status OpenExisting();
  absl::StatusOr<TenantData> OpenStore(const std::string& name);
  void NoteReopening(std::string_view name, const absl::Status& status) const;
  TenantData Find(const std::string& name) const;

  struct Tenant {
    TenantData data() const { return {.store = store.get(), .names = names.get()}; }

    std::unique_ptr<SymbolService> symbols;  // first, because `names` uses it
    std::unique_ptr<query::ProfileNames> names;
    std::unique_ptr<store::Store> store;
  };

  TenantsOptions options_;
  std::shared_ptr<void> directory_lock_;  // locks DATA_DIR
  base::Mutex opening_mutex_;             // held while a store is opened, which is slow
  mutable base::Mutex mutex_;
  std::map<std::string, Tenant, std::less<>> tenants_ FLARE_GUARDED_BY(mutex_);
};

// Returns the sorted names of the tenants in a data directory.
std::vector<std::string> TenantNames(const std::string& data_dir);
std::string TenantDirectory(const std::string& data_dir, std::string_view name);

}  // namespace flarestack::server
